import JSONText
import XMLStream

/// Feeds a part's bytes to their readers: plain content directly to the part, and all other content to the parser.
///
/// The parser reads up to the tag before the plain content. It continues with the first element that is not plain, or
/// at the latest with the end tag of the list. All content that is not plain is therefore checked by the parser.
final class PlainFeed<Part: PlainPart> {
  private enum State { case head, plain, parser }

  /// The maximum number of bytes before the plain content.
  private static var longestHead: Int { 1 << 16 }
  /// The maximum length of a plain element, including its tags.
  private static var longestElement: Int { 1 << 20 }

  /// Whether bytes have bypassed the parser, so that the parser's position is wrong.
  private(set) var isPlaceLost = false

  private let parser: XMLStreamParser
  private let part: Part
  private var state = State.head
  private var kept = ByteBuffer(capacity: 1 << 19)
  /// The offset up to which the beginning of the plain content was searched for.
  private var looked = 0

  init(_ parser: XMLStreamParser, _ part: Part) {
    self.parser = parser
    self.part = part
  }

  /// Processes the next bytes.
  func feed(_ bytes: UnsafeRawBufferPointer) throws {
    if state == .parser { return try parser.feed(bytes) }
    kept.append(bytes.bindMemory(to: UInt8.self))
    if state == .head { try findPlain() }
    if state == .plain { try takePlain() }
  }

  /// Ends the part.
  func finish() throws {
    try leave()
    try parser.finish()
  }

  private func findPlain() throws {
    let start = Part.plainStart
    guard let at = PlainHead.place(of: start, in: kept.bytes, from: max(0, looked - start.utf8.count)) else {
      looked = kept.count
      if kept.count > Self.longestHead { try leave() }
      return
    }
    guard at <= Self.longestHead, PlainHead.isUTF8(kept.bytes, before: at) else { return try leave() }
    // The match could be inside a comment. It is a tag only if the parser reaches the part's state after exactly these
    // bytes.
    try feedParser(to: at)
    let wasThere = part.isAtPlain
    try feedParser(to: start.utf8.count)
    if wasThere || !part.isAtPlain { try leave() } else { state = .plain }
  }

  private func takePlain() throws {
    let count = kept.count
    kept.append(0)
    let (at, isIncomplete) = try part.takePlain(kept.start, count, isFirst: !isPlaceLost)
    kept.truncate(to: count)
    if at > 0 { isPlaceLost = true }
    kept.removeFirst(at)
    if !isIncomplete || kept.count > Self.longestElement { try leave() }
  }

  /// Switches to the parser for all following bytes.
  private func leave() throws {
    if state == .plain, isPlaceLost, let end = Part.plainEnd {
      part.passOver()
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
