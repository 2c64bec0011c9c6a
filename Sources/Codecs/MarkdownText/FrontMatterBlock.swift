/// STUB, replaced at merge.
public struct FrontMatterBlock: Sendable {
  public enum Kind: Sendable { case yaml, toml }
  public let kind: Kind
  public let content: Range<Int>
  public let body: Range<Int>
  public static func find(_ text: UnsafeBufferPointer<UInt8>) -> FrontMatterBlock? {
    guard text.count > 7, text.prefix(4).elementsEqual("---\n".utf8) else { return nil }
    var at = 4
    while at < text.count {
      var end = at
      while end < text.count, text[end] != 0x0A { end += 1 }
      if text[at..<end].elementsEqual("---".utf8) {
        return FrontMatterBlock(kind: .yaml, content: 4..<at, body: min(end + 1, text.count)..<text.count)
      }
      at = end + 1
    }
    return nil
  }
}
