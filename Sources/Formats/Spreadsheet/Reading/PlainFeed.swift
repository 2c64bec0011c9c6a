import JSONText
import XMLStream

/// Passes the bytes of a part on: plain content directly to the part, everything else through the parser.
///
/// The parser reads up to the tag before the plain content. It continues with the first element that is not plain, at
/// the latest with the tag that ends the list. Everything that is not plain is therefore checked by the parser.
final class PlainFeed<Part: PlainPart> {
  private enum State { case head, plain, parser }

  /// The maximum number of bytes before the plain content.
  private static var longestHead: Int { 1 << 16 }
  /// The maximum length of one plain element, including its tags.
  private static var longestElement: Int { 1 << 20 }

  /// Whether bytes bypassed the parser, so that it does not have the right position.
  private(set) var isPlaceLost = false

  private let parser: XMLStreamParser
  private let part: Part
  private var state = State.head
  private var kept = ByteBuffer(capacity: 1 << 19)
  /// Plain content does not begin before this offset.
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
    // In a comment it is not a tag. It is one only if the parser reaches the part's state after exactly these bytes.
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

  /// Passes everything to the parser from now on.
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
