import JSONText

/// The plain members of TOML front matter, as Hugo and Zola write it: `key = value` in front of the first table.
///
/// Texts in one line, numbers, true and false, dates, and lists of those, also over several lines. Whatever else TOML
/// can say is passed over and stays as it is. Of tables only `tags` of `[taxonomies]` is read. Linear.
/// - Source: TOML 1.0
struct TOMLFrontMatter {
  /// One member.
  struct Entry {
    let key: String
    /// Its value as JSON; dates are texts.
    let json: [UInt8]
    /// Its lines, with the last line end.
    let lines: Range<Int>
    /// Its value.
    let value: Range<Int>
  }

  /// The text between the fences.
  private(set) var bytes: [UInt8]
  private(set) var entries: [Entry] = []
  /// Where the members in front of the first table end.
  private var end = 0

  /// Reads the text between the fences.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    read()
  }

  /// The members as a JSON object; the first of equal keys counts.
  var json: JSONDocument? {
    var out = ByteBuffer(capacity: bytes.count + 64)
    var seen: Set<String> = []
    out.append(UInt8(ascii: "{"))
    for entry in entries where seen.insert(entry.key).inserted {
      if seen.count > 1 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(entry.key)
      out.append(UInt8(ascii: ":"))
      entry.json.withUnsafeBufferPointer { out.append($0) }
    }
    out.append(UInt8(ascii: "}"))
    return try? JSONDocument(parsing: out.bytes)
  }

  // MARK: Editing

  /// Whether there is a member of that name in front of the tables.
  func has(_ key: String) -> Bool { entries.contains { $0.key == key && $0.lines.upperBound <= end } }

  /// Makes a member say something else, or adds it behind the others.
  /// - Parameter json: a text, number, boolean, or a list of texts; a text that is a time is written as one.
  /// - Returns: false for objects, which are not written in TOML.
  mutating func set(_ key: String, _ json: [UInt8]) -> Bool {
    guard json.first != UInt8(ascii: "{"), json != Array("null".utf8) else { return false }
    let line = Array(key.utf8) + Array(" = ".utf8) + json
    if let entry = entries.first(where: { $0.key == key && $0.lines.upperBound <= end }) {
      // A comment behind a value on one line stays where it is.
      bytes.replaceSubrange(entry.value, with: json)
    } else {
      var place = end
      var lead: [UInt8] = []
      if place > 0, bytes[place - 1] != 0x0A { lead = lineEnd }
      // Blank lines in front of a table belong to it.
      while place > 1, bytes[place - 1] == 0x0A, bytes[..<(place - 1)].last.map({ $0 == 0x0A }) ?? false { place -= 1 }
      bytes.insert(contentsOf: lead + line + lineEnd, at: place)
    }
    read()
    return entries.contains { $0.key == key && $0.json == json }
  }

  /// Takes a member away.
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
      // A list may go on over several lines.
      scan.limit = bytes.count
      scan.skipBlanks()
      let first = scan.at
      guard let json = scan.value() else {
        // Lines of a value that is not plain are no members; and no byte is looked at once for each line above it.
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

  /// Where reading goes on behind a value that is not plain: behind a text of several lines, else in the line where
  /// the value stopped being plain.
  private func passed(_ first: Int, _ stopped: Int) -> Int {
    let quotes = bytes[min(first, bytes.count)...].prefix(3)
    if let quote = quotes.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"),
      quotes.count == 3, quotes.allSatisfy({ $0 == quote })
    {
      var run = 0
      var at = first + 3
      while at < bytes.count, run < 3 {
        run = bytes[at] == quote ? run + 1 : 0
        // An escaped quote ends nothing.
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
