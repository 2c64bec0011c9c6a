import Foundation
import JSONText
import XMLStream

/// Brings the bytes of shared texts to their part: plain ones themselves, everything else through the parser.
///
/// The parser reads up to the first `<si>` and into it; the plain texts follow. With the first one that is not plain, at
/// the latest with `</sst>`, the parser leaves its `<si>` and goes on. So it judges all that the plain texts are not.
final class SharedStringsFeed {
  private enum State { case head, items, parser }

  /// How much may stand before the texts.
  private static let head = 1 << 16
  /// How long a plain text can be with its tags.
  private static let item = 1 << 20

  /// Whether texts went by the parser, which then does not know its place.
  private(set) var isPlaceLost = false

  private let parser: XMLStreamParser
  private let part: SharedStringsPart
  private var state = State.head
  private var kept = ByteBuffer(capacity: 1 << 19)
  /// Up to here nothing begins the texts.
  private var looked = 0

  init(_ parser: XMLStreamParser, _ part: SharedStringsPart) {
    self.parser = parser
    self.part = part
  }

  /// Takes the next bytes.
  func feed(_ bytes: UnsafeRawBufferPointer) throws {
    if state == .parser { return try parser.feed(bytes) }
    kept.append(bytes.bindMemory(to: UInt8.self))
    if state == .head { try findItems() }
    if state == .items { try takeItems() }
  }

  /// Ends the texts.
  func finish() throws {
    try leave()
    try parser.finish()
  }

  private func findItems() throws {
    let start = "<si>"
    guard let at = PlainHead.place(of: start, in: kept.bytes, from: max(0, looked - start.utf8.count)) else {
      looked = kept.count
      if kept.count > Self.head { try leave() }
      return
    }
    guard at <= Self.head, PlainHead.isUTF8(kept.bytes, before: at) else { return try leave() }
    // In a comment it is no tag: only when the parser begins a text with exactly these bytes, it is one.
    try feedParser(to: at)
    let wasInItem = part.isAtItem
    try feedParser(to: start.utf8.count)
    if wasInItem || !part.isAtItem { try leave() } else { state = .items }
  }

  private func takeItems() throws {
    let count = kept.count
    kept.append(0)
    let (at, isIncomplete) = try part.takePlainItems(kept.start, count, isInFirst: !isPlaceLost)
    kept.truncate(to: count)
    if at > 0 { isPlaceLost = true }
    kept.removeFirst(at)
    if !isIncomplete || kept.count > Self.item { try leave() }
  }

  /// Gives everything to the parser from now on.
  private func leave() throws {
    if state == .items, isPlaceLost {
      part.passOverItem()
      let end: StaticString = "</si>"
      try parser.feed(UnsafeRawBufferPointer(start: end.utf8Start, count: end.utf8CodeUnitCount))
    }
    state = .parser
    try feedParser(to: kept.count)
  }

  private func feedParser(to end: Int) throws {
    guard end > 0 else { return }
    try parser.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(kept.bytes)[..<end]))
    kept.removeFirst(end)
  }
}
