import Content
import RegistryModel

/// A list position in the form that clients send back: `1767607872123_2f6c…`, the time in milliseconds and the id.
enum PageCursor {
  /// Returns the text form of a position.
  static func text(_ position: PagePosition) -> String { "\(position.time.milliseconds)_\(position.id.text)" }

  /// Parses a position; returns nil for anything that `text` does not write.
  static func position(_ text: String) -> PagePosition? {
    let bytes = Array(text.utf8)
    guard let mark = bytes.firstIndex(of: UInt8(ascii: "_")), mark >= 1, mark <= 15, bytes.count == mark + 37,
      bytes[..<mark].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let time = Int64(String(decoding: bytes[..<mark], as: UTF8.self)),
      let id = RegistryID(String(decoding: bytes[(mark + 1)...], as: UTF8.self))
    else { return nil }
    return PagePosition(time: Timestamp(milliseconds: time), id: id)
  }
}
