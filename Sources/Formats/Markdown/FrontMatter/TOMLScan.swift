import JSONText

/// Reads the plain values of TOML from its bytes. Never goes beyond its limit, nests no deeper than a list in a list.
struct TOMLScan {
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

  /// The name of a table whose line begins here: `[taxonomies]`.
  var tableName: String {
    var end = at
    while end < limit, bytes[end] != UInt8(ascii: "]") { end += 1 }
    return String(decoding: bytes[min(at + 1, end)..<end], as: UTF8.self)
  }

  /// A bare or quoted key and its equals sign; nil for anything else, dotted keys too.
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

  /// A value as JSON; nil for what is not plain.
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

  /// Blanks, line ends and comments inside a list.
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

  /// A text on one line.
  private mutating func text() -> [UInt8]? {
    guard let quote = next else { return nil }
    // Texts of several lines are not plain.
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
      Array(bytes[start + 1..<at - 1]).withUnsafeBufferPointer { json.appendJSONString($0) }
      return json.copy(0..<json.count)
    }
    // Its escapes are those of JSON, but for two that are rare.
    let json = Array(bytes[start..<at])
    return (try? JSONDocument(parsing: json)) == nil ? nil : json
  }

  /// A number, true, false, or a date.
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
    word.withUnsafeBufferPointer { json.appendJSONString($0) }
    return json.copy(0..<json.count)
  }
}
