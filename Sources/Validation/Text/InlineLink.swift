/// A Markdown link or picture in a text that the app shows as plain text.
struct InlineLink {
  /// The whole link, with its brackets.
  let range: Range<Int>
  /// The words of the link, which a Markdown reader shows.
  let words: Range<Int>

  /// The maximum length of a link in bytes. Longer links are not recognized, so that a text full of brackets is not
  /// read again for each one.
  private static let longest = 600

  /// Parses `[words](address)`, `![words](address)`, `[[note|words]]` or `![[file]]` at a position.
  init?(_ bytes: UnsafeBufferPointer<UInt8>, _ start: Int) {
    let isPicture = bytes[start] == UInt8(ascii: "!")
    let open = isPicture ? start + 1 : start
    let limit = min(bytes.count, start + Self.longest)
    guard open + 1 < limit, bytes[open] == UInt8(ascii: "[") else { return nil }
    if bytes[open + 1] == UInt8(ascii: "[") {
      guard let end = Self.end(bytes, open + 2..<limit), end + 1 < limit, bytes[end + 1] == UInt8(ascii: "]"),
        end > open + 2
      else { return nil }
      let bar = bytes[open + 2..<end].lastIndex(of: UInt8(ascii: "|"))
      (range, words) = (start..<end + 2, (bar.map { $0 + 1 } ?? open + 2)..<end)
      return
    }
    guard let end = Self.end(bytes, open + 1..<limit), end + 1 < limit, bytes[end + 1] == UInt8(ascii: "("),
      let close = Self.close(bytes, end + 2..<limit), close > end + 2
    else { return nil }
    // `[A](left)` is not a link, because an address contains one of these characters.
    let signs: Set<UInt8> = [0x23, 0x2E, 0x2F, 0x3A]
    guard isPicture || bytes[end + 2..<close].contains(where: signs.contains) else { return nil }
    (range, words) = (start..<close + 1, open + 1..<end)
  }

  /// Returns the position of the bracket that ends the words.
  private static func end(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    for at in range {
      switch bytes[at] {
      case UInt8(ascii: "]"): return at
      case UInt8(ascii: "["), 0x0A: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the position of the bracket that ends the address, which may contain pairs of brackets.
  private static func close(_ bytes: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> Int? {
    var depth = 0
    for at in range {
      switch bytes[at] {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"):
        if depth == 0 { return at }
        depth -= 1
      case 0x0A: return nil
      default: continue
      }
    }
    return nil
  }

  /// Returns the number of characters that people read in a text. In links and pictures, only the words count.
  static func readCharacters(_ text: OutlineText) -> Int {
    let bytes = text.bytes
    var read: [UInt8] = []
    var (at, done) = (0, 0)
    while at < bytes.count {
      guard bytes[at] == UInt8(ascii: "[") || bytes[at] == UInt8(ascii: "!"), let link = InlineLink(bytes, at) else {
        at += 1
        continue
      }
      read += bytes[done..<at]
      read += bytes[link.words]
      (at, done) = (link.range.upperBound, link.range.upperBound)
    }
    if done == 0 { return text.characters }
    return String(decoding: read + bytes[done...], as: UTF8.self).count
  }
}
