import Content
import JSONText

/// The content of a FleetKit comment: `<!-- id=0C7D… sort=7 title="…" -->`.
///
/// Keys are words; values are bare words (`[A-Za-z0-9._:-]`) or JSON. A comment that does not fully match this syntax,
/// repeats a key, or has an unexpected key belongs to the note's author and is not read as attributes.
struct CommentAttributes: Sendable {
  /// The keys and values in order. Each value is JSON; a bare word is stored as a JSON string. `\u002d` and `\u003e`
  /// are unescaped.
  var values: [(key: String, value: SourcedText)] = []

  /// Reads the comment at the end of a line or another range of a note. White space may follow the comment.
  ///
  /// The time is linear in the length of the range.
  /// - Parameter keys: the keys that may occur.
  /// - Returns: nil if the range does not end with a FleetKit comment.
  static func read(
    _ text: Span<UInt8>, _ part: Range<Int>, keys: [String]
  ) -> (attributes: CommentAttributes, range: Range<Int>)? {
    var end = part.upperBound
    while end > part.lowerBound, text[end - 1] == 0x20 || text[end - 1] == 0x09 { end -= 1 }
    guard end - part.lowerBound >= 8, text[end - 1] == UInt8(ascii: ">"), text[end - 2] == UInt8(ascii: "-"),
      text[end - 3] == UInt8(ascii: "-")
    else { return nil }
    // A FleetKit comment never contains two hyphens in a row, so only the nearest pair can begin it.
    var start = end - 4
    while start > part.lowerBound, text[start] != UInt8(ascii: "-") || text[start - 1] != UInt8(ascii: "-") {
      if text[start] == UInt8(ascii: ">") { return nil }
      start -= 1
    }
    start -= 3
    guard start >= part.lowerBound, text[start] == UInt8(ascii: "<"), text[start + 1] == UInt8(ascii: "!") else {
      return nil
    }
    var scan = Scan(at: start + 4, end: end - 3)
    var found = CommentAttributes()
    while scan.skipBlanks(text) {
      guard let key = scan.key(text), keys.contains(key), !found.values.contains(where: { $0.key == key }),
        let value = scan.value(text)
      else { return nil }
      found.values.append((key, value))
    }
    return found.values.isEmpty ? nil : (found, start..<end)
  }

  /// Appends a comment; the pairs are keys and JSON texts.
  ///
  /// Values that are plain words are written without quotes. Escaping keeps a value from ending the comment.
  static func write(_ pairs: [(key: String, json: [UInt8])], into out: inout ByteBuffer) {
    out.append("<!--")
    for pair in pairs {
      out.append(UInt8(ascii: " "))
      out.append(utf8: pair.key)
      out.append(UInt8(ascii: "="))
      if let word = bareWord(pair.json) {
        for byte in word { out.append(byte) }
      } else {
        appendHarmless(pair.json, into: &out)
      }
    }
    out.append(" -->")
  }

  /// Returns text as a JSON string.
  static func json(_ text: [UInt8]) -> [UInt8] {
    var out = ByteBuffer(capacity: text.count + 16)
    out.appendJSONString(text.span)
    return out.copy(0..<out.count)
  }

  // MARK: Values

  /// The JSON of a key; nil if the comment does not have the key.
  subscript(key: String) -> SourcedText? { values.first { $0.key == key }?.value }

  /// Returns the text of a key's value: the content of a string or the digits of a number; nil for any other value.
  func text(_ key: String) -> SourcedText? {
    guard let value = self[key], let first = value.bytes.first else { return nil }
    switch first {
    case UInt8(ascii: "\""): return Self.unescaped(value)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return value
    default: return nil
    }
  }

  /// Returns the strings in a list; nil if the value is not a list of strings.
  func texts(_ key: String) -> [SourcedText]? {
    guard let value = self[key], value.bytes.first == UInt8(ascii: "["),
      let document = try? JSONDocument(parsing: value.bytes)
    else { return nil }
    var texts: [SourcedText] = []
    for element in document.root.elements {
      guard element.string != nil else { return nil }
      let span = element.span
      texts.append(Self.unescaped(value.part(span)))
    }
    return texts
  }

  /// The Boolean value of a key; nil if the value is neither true nor false.
  func flag(_ key: String) -> Bool? {
    guard let value = self[key] else { return nil }
    return value.bytes == Array("true".utf8) ? true : value.bytes == Array("false".utf8) ? false : nil
  }

  /// Returns the members of an object, without its braces; nil if the value is not an object.
  func inside(_ key: String) -> SourcedText? {
    guard let value = self[key], value.bytes.first == UInt8(ascii: "{"), value.bytes.count >= 2 else { return nil }
    return value.part(1..<value.bytes.count - 1)
  }

  /// Returns the text of a JSON string, with the source position of each piece.
  private static func unescaped(_ json: SourcedText) -> SourcedText {
    guard json.bytes.count >= 2 else { return json }
    let inner = json.part(1..<json.bytes.count - 1)
    guard inner.bytes.contains(UInt8(ascii: "\\")) else { return inner }
    var bytes: [UInt8] = []
    var stretches: [SourcedText.Stretch] = []
    var at = 0
    var buffer = ByteBuffer(capacity: 64)
    while at < inner.bytes.count {
      var end = at
      while end < inner.bytes.count, inner.bytes[end] != UInt8(ascii: "\\") { end += 1 }
      if end > at {
        stretches.append(.init(value: bytes.count, source: json.place(at + 1)))
        bytes.append(contentsOf: inner.bytes[at..<end])
      }
      at = end
      guard at + 1 < inner.bytes.count else { break }
      var length = inner.bytes[at + 1] == UInt8(ascii: "u") ? 6 : 2
      if length == 6, at + 12 <= inner.bytes.count, inner.bytes[at + 2] | 0x20 == UInt8(ascii: "d"),
        [UInt8](arrayLiteral: 0x38, 0x39, 0x41, 0x42, 0x61, 0x62).contains(inner.bytes[at + 3])
      {
        length = 12
      }
      let escape = Array(inner.bytes[at..<min(at + length, inner.bytes.count)])
      buffer.removeAll()
      JSONStrings.unescape(escape.span, into: &buffer)
      stretches.append(.init(value: bytes.count, source: json.place(at + 1)))
      bytes.append(contentsOf: buffer.copy(0..<buffer.count))
      at += escape.count
    }
    return SourcedText(bytes: bytes, range: inner.range, stretches: stretches)
  }

  // MARK: Steps and sections

  /// The keys of a section's comment.
  static let sectionKeys = ["id", "icon", "sort", "collapsed", "title", "description", "members"]
  /// The keys of a step's comment.
  static let stepKeys = [
    "id", "sort", "title", "details", "tags", "minutes", "required", "optional", "members",
  ]
  /// The keys of the comment at the beginning of a body.
  static let bodyKeys = ["description"]

  /// Whether the value of every step or section key has the expected type. If not, the comment is not a FleetKit
  /// comment.
  var areSound: Bool {
    values.allSatisfy { key, _ in
      switch key {
      case "id", "icon", "title", "details", "description": text(key) != nil
      case "collapsed", "required", "optional": flag(key) != nil
      case "tags": texts(key) != nil
      case "members": inside(key) != nil
      default: true
      }
    }
  }

  // MARK: Writing

  /// Returns the content of a JSON string if it can be written without quotes.
  private static func bareWord(_ json: [UInt8]) -> ArraySlice<UInt8>? {
    guard json.count > 2, json.first == UInt8(ascii: "\""), json.last == UInt8(ascii: "\"") else { return nil }
    let word = json[1..<json.count - 1]
    guard word.allSatisfy(isWordByte), Scan.jsonWord(word) == nil else { return nil }
    for index in word.indices.dropLast() where word[index] == 0x2D && word[index + 1] == 0x2D { return nil }
    return word
  }

  static func isWordByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), 0x30...0x39, 0x2D, 0x2E, 0x3A,
      0x5F:
      true
    default: false
    }
  }

  private static func appendHarmless(_ json: [UInt8], into out: inout ByteBuffer) {
    var last: UInt8 = 0
    for (index, byte) in json.enumerated() {
      let next = index + 1 < json.count ? json[index + 1] : 0
      switch byte {
      case UInt8(ascii: ">"): out.append("\\u003e")
      case UInt8(ascii: "-") where last == byte || next == byte: out.append("\\u002d")
      // JSON contains line ends only between tokens; a blank replaces them so that the comment stays on one line.
      case 0x0A, 0x0D: out.append(UInt8(ascii: " "))
      default: out.append(byte)
      }
      last = byte
    }
  }

  // MARK: Reading

  /// Reads keys and values one after another.
  private struct Scan {
    var at: Int
    let end: Int

    /// Moves to the next pair.
    /// - Returns: whether there is another pair.
    mutating func skipBlanks(_ text: Span<UInt8>) -> Bool {
      while at < end, text[at] == 0x20 || text[at] == 0x09 { at += 1 }
      return at < end
    }

    /// Reads a key and the `=` after it.
    mutating func key(_ text: Span<UInt8>) -> String? {
      let start = at
      while at < end, CommentAttributes.isWordByte(text[at]) { at += 1 }
      guard at > start, at < end, text[at] == UInt8(ascii: "=") else { return nil }
      defer { at += 1 }
      return String(decoding: text.extracting(start..<at))
    }

    /// Reads a value, which must be followed by a blank or the end of the comment.
    mutating func value(_ text: Span<UInt8>) -> SourcedText? {
      guard at < end else { return nil }
      let start = at
      switch text[at] {
      case UInt8(ascii: "\""), UInt8(ascii: "["), UInt8(ascii: "{"):
        guard skipJSON(text), isAtBlank(text) else { return nil }
        let value = restored(text, start..<at)
        guard (try? JSONDocument(parsing: value.bytes)) != nil else { return nil }
        return value
      default:
        while at < end, CommentAttributes.isWordByte(text[at]) || text[at] == UInt8(ascii: "+") { at += 1 }
        guard at > start, isAtBlank(text) else { return nil }
        let word = SourcedText(text, start..<at)
        if Self.jsonWord(word.bytes[...]) != nil { return word }
        guard !word.bytes.contains(UInt8(ascii: "+")) else { return nil }
        let quote = UInt8(ascii: "\"")
        return SourcedText(
          bytes: [quote] + word.bytes + [quote], range: word.range, stretches: [.init(value: 1, source: start)])
      }
    }

    /// Returns a bare word that is already valid JSON: a number, true, false or null.
    fileprivate static func jsonWord(_ word: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
      guard let first = word.first else { return nil }
      switch first {
      case UInt8(ascii: "-"), 0x30...0x39, UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
        return (try? JSONDocument(parsing: Array(word))) == nil ? nil : word
      default: return nil
      }
    }

    private func isAtBlank(_ text: Span<UInt8>) -> Bool { at == end || NoteLines.isBlank(text[at]) }

    /// Skips a JSON text without validating it; the parser does that later.
    private mutating func skipJSON(_ text: Span<UInt8>) -> Bool {
      var depth = 0
      repeat {
        switch text[at] {
        case UInt8(ascii: "\""):
          at += 1
          while at < end, text[at] != UInt8(ascii: "\"") { at += text[at] == UInt8(ascii: "\\") ? 2 : 1 }
          guard at < end else { return false }
        case UInt8(ascii: "["), UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
        at += 1
      } while depth > 0 && at < end
      return depth == 0
    }

    /// Returns the original JSON: reverts the two escapes that keep a value from ending the comment.
    private func restored(_ text: Span<UInt8>, _ range: Range<Int>) -> SourcedText {
      var bytes: [UInt8] = []
      var stretches: [SourcedText.Stretch] = []
      var run = range.lowerBound
      var at = run
      func flush() {
        guard at > run else { return }
        stretches.append(.init(value: bytes.count, source: run))
        bytes.append(contentsOf: text.extracting(run..<at))
      }
      while at < range.upperBound {
        guard text[at] == UInt8(ascii: "\\") else {
          at += 1
          continue
        }
        guard let byte = harmless(text, at, range.upperBound) else {
          at += 2
          continue
        }
        flush()
        stretches.append(.init(value: bytes.count, source: at))
        bytes.append(byte)
        at += 6
        run = at
      }
      at = min(at, range.upperBound)
      flush()
      return SourcedText(bytes: bytes, range: range, stretches: stretches.count > 1 ? stretches : [])
    }

    private func harmless(_ text: Span<UInt8>, _ at: Int, _ end: Int) -> UInt8? {
      guard at + 6 <= end, text[at + 1] == UInt8(ascii: "u"), text[at + 2] == 0x30, text[at + 3] == 0x30 else {
        return nil
      }
      switch (text[at + 4], text[at + 5] | 0x20) {
      case (0x32, UInt8(ascii: "d")): return UInt8(ascii: "-")
      case (0x33, UInt8(ascii: "e")): return UInt8(ascii: ">")
      default: return nil
      }
    }
  }
}
