import JSONText

/// Looks into canonical lines without parsing them: kind and id stand at their start by construction.
package enum RecordLine {
  /// The id of a canonical line: `{"kind":"…","id":…`.
  package static func id(of line: UnsafeBufferPointer<UInt8>) -> String? {
    guard let range = idRange(of: line) else { return nil }
    var bytes = UnsafeBufferPointer(rebasing: line[range])
    if bytes.first == UInt8(ascii: "\"") {
      bytes = UnsafeBufferPointer(rebasing: bytes[1..<bytes.count - 1])
      guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes, as: UTF8.self) }
      var plain = ByteBuffer(capacity: bytes.count)
      JSONStrings.unescape(bytes, into: &plain)
      return String(decoding: plain.bytes, as: UTF8.self)
    }
    return bytes.elementsEqual("null".utf8) ? nil : String(decoding: bytes, as: UTF8.self)
  }

  private static let head: StaticString = "{\"kind\":\""
  private static let idKey: StaticString = ",\"id\":"

  /// Where the id's value stands in a canonical line, quotes included; nil when the line has no id second.
  package static func idRange(of line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    guard let kind = kindRange(of: line) else { return nil }
    let start = kind.upperBound + 1 + idKey.utf8CodeUnitCount
    guard start < line.count, matches(idKey, line, at: kind.upperBound + 1) else { return nil }
    var end = start
    if line[start] == UInt8(ascii: "\"") {
      end += 1
      while end < line.count, line[end] != UInt8(ascii: "\"") {
        end += line[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end += 1
    } else {
      while end < line.count, line[end] != UInt8(ascii: ","), line[end] != UInt8(ascii: "}") { end += 1 }
    }
    return end <= line.count ? start..<end : nil
  }

  /// Where the kind's text stands in a canonical line, without quotes.
  package static func kindRange(of line: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
    let start = head.utf8CodeUnitCount
    guard line.count > start, matches(head, line, at: 0) else { return nil }
    var end = start
    while end < line.count, line[end] != UInt8(ascii: "\"") { end += 1 }
    return end < line.count ? start..<end : nil
  }

  private static func matches(_ text: StaticString, _ line: UnsafeBufferPointer<UInt8>, at start: Int) -> Bool {
    let count = text.utf8CodeUnitCount
    guard start + count <= line.count else { return false }
    for index in 0..<count where line[start + index] != text.utf8Start[index] { return false }
    return true
  }

  /// The kind of a canonical line.
  package static func kind(of line: UnsafeBufferPointer<UInt8>) -> RecordKind? {
    kindRange(of: line).map { RecordKind(String(decoding: line[$0], as: UTF8.self)) }
  }

  /// The title of an item or the name of a charter; parses the line.
  package static func title(of line: UnsafeBufferPointer<UInt8>) -> String? {
    guard let document = try? JSONDocument(parsing: line) else { return nil }
    return (document.root["title"] ?? document.root["name"])?.string
  }
}
