import JSONText

/// The plain members of TOML front matter, as in Hugo and Zola: `key = value` lines before the first table.
///
/// This type reads one-line strings, numbers, true and false, dates, and lists of these values, which may span several
/// lines. All other TOML syntax is skipped and kept unchanged. The only table member that is read is `tags` in
/// `[taxonomies]`. The time is linear in the length of the text.
/// - Source: TOML 1.0
struct TOMLFrontMatter {
  /// One member.
  struct Entry {
    let key: String
    /// The member's value as JSON; dates become strings.
    let json: [UInt8]
    /// The range of the member's lines, including the last line end.
    let lines: Range<Int>
    /// The range of the member's value.
    let value: Range<Int>
  }

  /// The text between the fences.
  private(set) var bytes: [UInt8]
  private(set) var entries: [Entry] = []
  /// The offset at which the members before the first table end.
  private var end = 0

  /// Reads the text between the fences.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    read()
  }

  /// The members as a JSON object. If a key occurs several times, the first value counts.
  var json: JSONDocument? {
    var out = ByteBuffer(capacity: bytes.count + 64)
    var seen: Set<String> = []
    out.append(UInt8(ascii: "{"))
    for entry in entries where seen.insert(entry.key).inserted {
      if seen.count > 1 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(entry.key)
      out.append(UInt8(ascii: ":"))
      out.append(entry.json.span)
    }
    out.append(UInt8(ascii: "}"))
    return try? JSONDocument(parsing: out.bytes.span)
  }

  // MARK: Editing

  /// Whether a member with the given key precedes the tables.
  func has(_ key: String) -> Bool { entries.contains { $0.key == key && $0.lines.upperBound <= end } }

  /// Changes the value of a member, or adds the member after the others.
  /// - Parameter json: a string, number, Boolean, or list of strings. A string that contains a time is written as a
  ///   TOML date-time.
  /// - Returns: false for objects and null, which cannot be written.
  mutating func set(_ key: String, _ json: [UInt8]) -> Bool {
    guard json.first != UInt8(ascii: "{"), json != Array("null".utf8) else { return false }
    let line = Array(key.utf8) + Array(" = ".utf8) + json
    if let entry = entries.first(where: { $0.key == key && $0.lines.upperBound <= end }) {
      // A comment after a one-line value is kept.
      bytes.replaceSubrange(entry.value, with: json)
    } else {
      var place = end
      var lead: [UInt8] = []
      if place > 0, bytes[place - 1] != 0x0A { lead = lineEnd }
      // Blank lines before a table belong to the table.
      while place > 1, bytes[place - 1] == 0x0A, bytes[..<(place - 1)].last.map({ $0 == 0x0A }) ?? false { place -= 1 }
      bytes.insert(contentsOf: lead + line + lineEnd, at: place)
    }
    read()
    return entries.contains { $0.key == key && $0.json == json }
  }

  /// Removes a member.
  mutating func remove(_ key: String) -> Bool {
    guard let entry = entries.first(where: { $0.key == key && $0.lines.upperBound <= end }) else { return false }
    bytes.removeSubrange(entry.lines)
    read()
    return !has(key)
  }

  private var lineEnd: [UInt8] { LineEnd.first(in: bytes) ?? LineEnd.standard }

  // MARK: Reading

  private mutating func read() {
    entries = []
    end = bytes.count
    var table: String?
    var at = 0
    while at < bytes.count {
      let start = at
      var line = at
      while line < bytes.count, bytes[line] != 0x0A { line += 1 }
      at = min(bytes.count, line + 1)
      var scan = TOMLScan(bytes, start..<line)
      scan.skipBlanks()
      if scan.next == UInt8(ascii: "[") {
        if table == nil { end = start }
        table = scan.tableName
        continue
      }
      guard table == nil || table == "taxonomies", let key = scan.key() else { continue }
      // A list may span several lines.
      scan.limit = bytes.count
      scan.skipBlanks()
      let first = scan.at
      guard let json = scan.value() else {
        // The lines of a value that is not plain contain no members. Skipping these lines also keeps the time linear.
        at = max(at, passed(first, scan.at))
        continue
      }
      let value = first..<scan.at
      while scan.at < bytes.count, bytes[scan.at] != 0x0A { scan.at += 1 }
      at = max(at, min(bytes.count, scan.at + 1))
      if table == nil || key == "tags" {
        entries.append(Entry(key: key, json: json, lines: start..<at, value: value))
      }
    }
  }

  /// Returns the offset at which reading continues after a value that is not plain: after a multi-line string, or
  /// otherwise on the line where the value stopped being plain.
  private func passed(_ first: Int, _ stopped: Int) -> Int {
    let quotes = bytes[min(first, bytes.count)...].prefix(3)
    if let quote = quotes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      quotes.count == 3, quotes.allSatisfy({ $0 == quote })
    {
      var run = 0
      var at = first + 3
      while at < bytes.count, run < 3 {
        run = bytes[at] == quote ? run + 1 : 0
        // An escaped quote does not end the string.
        at += bytes[at] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
      }
      while at < bytes.count, bytes[at] != 0x0A { at += 1 }
      return min(bytes.count, at + 1)
    }
    var start = min(stopped, bytes.count)
    while start > 0, bytes[start - 1] != 0x0A { start -= 1 }
    return start
  }
}

/// Reads plain TOML values from bytes. The scan never reads past its limit, and nests no deeper than a list in a list.
private struct TOMLScan {
  private let bytes: [UInt8]
  var at: Int
  var limit: Int

  init(_ bytes: [UInt8], _ range: Range<Int>) {
    self.bytes = bytes
    at = range.lowerBound
    limit = range.upperBound
  }

  var next: UInt8? { at < limit ? bytes[at] : nil }

  mutating func skipBlanks() { while let byte = next, byte == 0x20 || byte == 0x09 { at += 1 } }

  /// The name of the table that begins on this line: `[taxonomies]`.
  var tableName: String {
    var end = at
    while end < limit, bytes[end] != UInt8(ascii: "]") { end += 1 }
    return String(decoding: bytes[min(at + 1, end)..<end], as: UTF8.self)
  }

  /// Reads a bare or quoted key and its equals sign; nil for anything else, including dotted keys.
  mutating func key() -> String? {
    let key: String
    if let quote = next, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
      guard let json = text(), let string = try? JSONDocument(parsing: json).root.string else { return nil }
      key = string
    } else {
      let start = at
      while let byte = next, Self.isBare(byte) { at += 1 }
      guard at > start else { return nil }
      key = String(decoding: bytes[start..<at], as: UTF8.self)
    }
    skipBlanks()
    guard next == UInt8(ascii: "=") else { return nil }
    at += 1
    return key
  }

  private static func isBare(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  /// Reads a value as JSON; nil if it is not plain.
  mutating func value(depth: Int = 0) -> [UInt8]? {
    switch next {
    case UInt8(ascii: "\"")?, UInt8(ascii: "'")?: return text()
    case UInt8(ascii: "[")? where depth < 2: return list(depth)
    case UInt8(ascii: "[")?, UInt8(ascii: "{")?, nil: return nil
    default: return word()
    }
  }

  private mutating func list(_ depth: Int) -> [UInt8]? {
    at += 1
    var json: [UInt8] = [UInt8(ascii: "[")]
    while true {
      skipSpace()
      guard let byte = next else { return nil }
      if byte == UInt8(ascii: "]") {
        at += 1
        return json + [UInt8(ascii: "]")]
      }
      guard let element = value(depth: depth + 1) else { return nil }
      if json.count > 1 { json.append(UInt8(ascii: ",")) }
      json += element
      skipSpace()
      if next == UInt8(ascii: ",") { at += 1 } else if next != UInt8(ascii: "]") { return nil }
    }
  }

  /// Skips blanks, line ends and comments inside a list.
  private mutating func skipSpace() {
    while let byte = next {
      if byte == UInt8(ascii: "#") {
        while let byte = next, byte != 0x0A { _ = byte; at += 1 }
      } else if byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
        at += 1
      } else {
        return
      }
    }
  }

  /// Reads a one-line string.
  private mutating func text() -> [UInt8]? {
    guard let quote = next else { return nil }
    // Multi-line strings are not plain.
    if at + 2 < limit, bytes[at + 1] == quote, bytes[at + 2] == quote { return nil }
    let start = at
    at += 1
    while let byte = next, byte != quote {
      if byte == 0x0A || byte == 0x0D { return nil }
      at += byte == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
    }
    guard next == quote else { return nil }
    at += 1
    if quote == UInt8(ascii: "'") {
      var json = ByteBuffer(capacity: at - start + 16)
      json.appendJSONString(bytes.span.extracting(start + 1..<at - 1))
      return json.copy(0..<json.count)
    }
    // TOML has the same escapes as JSON, except for two rare ones.
    let json = Array(bytes[start..<at])
    return (try? JSONDocument(parsing: json)) == nil ? nil : json
  }

  /// Reads a number, true, false, or a date.
  private mutating func word() -> [UInt8]? {
    let start = at
    while let byte = next, byte != UInt8(ascii: ","), byte != UInt8(ascii: "]"), byte != UInt8(ascii: "#"),
      byte != 0x0A, byte != 0x0D
    {
      at += 1
    }
    while at > start, bytes[at - 1] == 0x20 || bytes[at - 1] == 0x09 { at -= 1 }
    let word = Array(bytes[start..<at])
    if word.isEmpty { return nil }
    if let value = try? JSONDocument(parsing: word).root, [.number, .true, .false].contains(value.kind) { return word }
    guard word[0] &- 0x30 < 10 else { return nil }
    var json = ByteBuffer(capacity: word.count + 8)
    json.appendJSONString(word.span)
    return json.copy(0..<json.count)
  }
}
