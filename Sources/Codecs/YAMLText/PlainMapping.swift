import JSONText

/// Reads the subset of YAML that most front matter uses: lines of `key: value` with plain or simply quoted values, or
/// with lists of plain words on one line.
///
/// `YAMLDocument` handles all other YAML and all errors. A text that this type reads has exactly the same meaning for
/// `YAMLDocument`; a test compares the two. The text is read once, in linear time.
public enum PlainMapping {
  /// Appends the mapping as a JSON object.
  /// - Returns: false for any text with lines of a different form; `out` is then unchanged.
  public static func write(_ text: Span<UInt8>, into out: inout ByteBuffer) -> Bool {
    let begin = out.count
    var names: [Range<Int>] = []
    out.append(UInt8(ascii: "{"))
    var at = 0
    while at < text.count {
      var end = at
      while end < text.count, text[end] != 0x0A { end += 1 }
      let next = min(text.count, end + 1)
      if end > at, text[end - 1] == 0x0D { end -= 1 }
      guard line(text, at..<end, &names, &out) else {
        out.truncate(to: begin)
        return false
      }
      at = next
    }
    out.append(UInt8(ascii: "}"))
    if names.isEmpty { out.truncate(to: begin) }
    return !names.isEmpty
  }

  /// The largest number of members: with more of them, comparing each with all others would be too slow.
  private static let mostMembers = 64

  private static func line(
    _ text: Span<UInt8>, _ line: Range<Int>, _ names: inout [Range<Int>], _ out: inout ByteBuffer
  ) -> Bool {
    guard let first = line.first else { return true }
    if text[first] == UInt8(ascii: "#") { return isPlainText(text, line) }
    var end = line.lowerBound
    while end < line.upperBound, isNameByte(text[end]) { end += 1 }
    let name = line.lowerBound..<end
    guard !name.isEmpty, text[first] > UInt8(ascii: "9"), end < line.upperBound, text[end] == UInt8(ascii: ":"),
      end + 1 == line.upperBound || text[end + 1] == 0x20, names.count < mostMembers, !isNull(text, name),
      !names.contains(where: { $0.count == name.count && text.extracting($0).equals(text.extracting(name)) })
    else { return false }
    if !names.isEmpty { out.append(UInt8(ascii: ",")) }
    names.append(name)
    out.append(UInt8(ascii: "\""))
    out.append(text.extracting(name))
    out.append("\":")
    return value(text, trimmed(text, end + 1..<line.upperBound), &out)
  }

  private static func value(
    _ text: Span<UInt8>, _ range: Range<Int>, _ out: inout ByteBuffer
  ) -> Bool {
    guard let first = range.first else {
      out.append("null")
      return true
    }
    switch text[first] {
    case UInt8(ascii: "["): return list(text, range, &out)
    case UInt8(ascii: "\""), UInt8(ascii: "'"):
      let inner = first + 1..<max(first + 1, range.upperBound - 1)
      guard range.count >= 2, text[range.upperBound - 1] == text[first], isPlainText(text, inner),
        !text.extracting(inner).contains(text[first]), !text.extracting(inner).contains(UInt8(ascii: "\\"))
      else { return false }
      out.appendJSONString(text.extracting(inner))
      return true
    default: return scalar(text, range, isInList: false, &out)
    }
  }

  private static func list(_ text: Span<UInt8>, _ range: Range<Int>, _ out: inout ByteBuffer) -> Bool {
    guard range.count >= 2, text[range.upperBound - 1] == UInt8(ascii: "]") else { return false }
    let inner = trimmed(text, range.lowerBound + 1..<range.upperBound - 1)
    out.append(UInt8(ascii: "["))
    var start = inner.lowerBound
    while !inner.isEmpty {
      var end = start
      while end < inner.upperBound, text[end] != UInt8(ascii: ",") { end += 1 }
      if start > inner.lowerBound { out.append(UInt8(ascii: ",")) }
      let element = trimmed(text, start..<end)
      guard !element.isEmpty, scalar(text, element, isInList: true, &out) else { return false }
      if end == inner.upperBound { break }
      start = end + 1
    }
    out.append(UInt8(ascii: "]"))
    return true
  }

  /// Returns a plain scalar, or nil if it may begin or contain other syntax.
  private static func scalar(
    _ text: Span<UInt8>, _ range: Range<Int>, isInList: Bool, _ out: inout ByteBuffer
  ) -> Bool {
    guard !indicators.contains(text[range.lowerBound]), isPlainText(text, range) else { return false }
    for at in range {
      switch text[at] {
      case UInt8(ascii: ":"): if isInList || at + 1 == range.upperBound || text[at + 1] == 0x20 { return false }
      case UInt8(ascii: "#"): if text[at - 1] == 0x20 { return false }
      case UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): if isInList { return false }
      default: break
      }
    }
    switch text[range.lowerBound] {
    case UInt8(ascii: "~"), UInt8(ascii: "n"), UInt8(ascii: "N"), UInt8(ascii: "t"), UInt8(ascii: "T"),
      UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "."):
      switch CoreScalar(Array(text.extracting(range))) {
      case .null: out.append("null")
      case .bool(let isTrue): out.append(isTrue ? "true" : "false")
      case .number(let number): out.append(utf8: number)
      case .text: out.appendJSONString(text.extracting(range))
      case .refused: return false
      }
    default: out.appendJSONString(text.extracting(range))
    }
    return true
  }

  // MARK: Bytes

  /// The bytes that begin syntax other than a plain scalar. A dash may begin either, so it is included.
  private static let indicators: Set<UInt8> = Set(",[]{}#&*!|>'\"%@`?-:".utf8)

  private static func isNameByte(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- 0x61 < 26 || byte &- 0x30 < 10 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
  }

  private static func isNull(_ text: Span<UInt8>, _ name: Range<Int>) -> Bool {
    let name = text.extracting(name)
    return name.equals("null") || name.equals("Null") || name.equals("NULL")
  }

  /// Returns whether all bytes are printable characters without a role in line structure: no tabs or other control
  /// characters, no Unicode line ends and no byte order marks. Most letters beyond ASCII in notes have two bytes.
  private static func isPlainText(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var at = range.lowerBound
    while at < range.upperBound {
      let byte = text[at]
      switch byte {
      case 0x20...0x7E: at += 1
      case 0xC3...0xDF:
        guard at + 1 < range.upperBound, text[at + 1] & 0xC0 == 0x80 else { return false }
        at += 2
      default: return false
      }
    }
    return true
  }

  private static func trimmed(_ text: Span<UInt8>, _ range: Range<Int>) -> Range<Int> {
    var (start, end) = (range.lowerBound, range.upperBound)
    while start < end, text[start] == 0x20 { start += 1 }
    while end > start, text[end - 1] == 0x20 { end -= 1 }
    return start..<end
  }
}
