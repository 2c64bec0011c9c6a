import Foundation

/// Finds the marks that Obsidian gives blocks: `^abc` at the end of a line.
enum BlockMarks {
  private static let longest = 64

  /// Appends the numbers of a text's marks.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to keys: inout [UInt32]) {
    guard let base = text.baseAddress else { return }
    var from = 0
    while from < text.count, let found = memchr(base + from, 0x5E, text.count - from) {
      let start = UnsafeRawPointer(base).distance(to: found)
      var end = start + 1
      while end < text.count, end - start <= longest, isMark(text[end]) { end += 1 }
      from = end
      var rest = end
      while rest < text.count, text[rest] == 0x20 || text[rest] == 0x09 || text[rest] == 0x0D { rest += 1 }
      guard end > start + 1, start == 0 || text[start - 1] <= 0x20, rest == text.count || text[rest] == 0x0A else {
        continue
      }
      keys.append(LinkKey.block(String(decoding: UnsafeBufferPointer(rebasing: text[start + 1..<end]), as: UTF8.self)))
    }
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "z") || byte &- 0x30 < 10 || byte == 0x2D
  }
}
