import ArchiveIO
import Diagnostics
import Interchange
import JSONText
import XMLStream

extension ZipFile {
  /// Reads a part of a workbook as XML.
  /// - Returns: false if the part does not exist.
  /// - Throws: `RunFailure`: 5 if the archive or the XML is damaged, 2 if the part contains something that is refused.
  func parse(_ part: String, _ handler: any PartHandler, packed progress: ((Int) -> Void)? = nil) throws -> Bool {
    let parser = try XMLStreamParser(handler)
    return try parse(part, parser, packed: progress, { try parser.feed($0) }, { try parser.finish() })
  }

  /// Reads a sheet. Plain rows bypass the parser.
  /// - Throws: the errors of `parse`. If the damage is after plain rows, `PlainFeed.isPlaceLost` shows that the place
  ///   is wrong.
  func parse(
    _ part: String, _ sheet: SheetPart, ahead: ZipReadAhead, feed make: (XMLStreamParser) -> PlainFeed<SheetPart>
  ) throws -> Bool {
    let parser = try XMLStreamParser(sheet)
    let feed = make(parser)
    return try parse(part, parser, ahead, packed: { sheet.packed = $0 }, feed.feed, feed.finish)
  }

  /// Reads shared strings. Plain strings bypass the parser.
  /// - Parameter strings: creates the table that receives the strings. It is called a second time if the strings must
  ///   be read again to find the place of an error.
  /// - Returns: the table; nil if the part does not exist.
  func parse(_ part: String, strings make: () -> SharedStrings) throws -> SharedStrings? {
    var isPlaceLost = false
    do {
      return try parse(part, make(), isPlaceLost: &isPlaceLost)
    } catch  where isPlaceLost {
      let strings = make()
      return try parse(part, SharedStringsPart(strings)) ? strings : nil
    }
  }

  private func parse(_ part: String, _ strings: SharedStrings, isPlaceLost: inout Bool) throws -> SharedStrings? {
    let handler = SharedStringsPart(strings)
    let parser = try XMLStreamParser(handler)
    let feed = PlainFeed(parser, handler)
    defer { isPlaceLost = feed.isPlaceLost }
    let isThere = try parse(part, parser, ZipReadAhead(self, part), packed: nil, feed.feed, feed.finish)
    return isThere ? strings : nil
  }

  private func parse(
    _ part: String, _ parser: XMLStreamParser, _ ahead: ZipReadAhead? = nil, packed progress: ((Int) -> Void)?,
    _ feed: (Span<UInt8>) throws -> Void, _ finish: () throws -> Void
  ) throws -> Bool {
    do {
      let isThere = try ahead?.read(packed: progress, feed) ?? read(part, packed: progress, feed)
      guard isThere else { return false }
      try finish()
      return true
    } catch let problem as XMLProblem {
      throw failure(problem, part: part)
    } catch let problem as PartProblem {
      throw failure(parser.problem(problem.message), part: part)
    }
  }

  /// Converts a problem in a part to a run failure.
  private func failure(_ problem: XMLProblem, part: String) -> RunFailure {
    let place = Place(file: path, member: part, line: problem.line, column: problem.column)
    return RunFailure(
      problem.isRefusal ? .failed : .mismatch,
      Diagnostic(.workbookDamaged, problem.message, at: place),
      message:
        "read '\(path)': \(problem.isRefusal ? "refused" : "damaged") at \(TerminalEscaping.escape(part)):\(problem)"
    )
  }
}

/// A handler for the XML of a workbook part.
protocol PartHandler: XMLHandler {}

/// A problem that a handler finds at the parser's position.
struct PartProblem: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

/// A workbook part that can read its plain content without the parser.
protocol PlainPart: PartHandler {
  /// The tag before the plain content.
  static var plainStart: String { get }
  /// The end tag of the element in which the parser waits; nil if the parser waits at the position where the plain
  /// content ends.
  static var plainEnd: String? { get }

  /// Whether the last tag that the parser read was `plainStart`, in the right position.
  var isAtPlain: Bool { get }

  /// Reads complete plain elements from bytes that are followed by a zero.
  /// - Parameter isFirst: whether this is the first call. The bytes then begin directly after the tag.
  /// - Returns: the offset of the first byte that was not read, and whether the bytes end inside an element that may be
  ///   plain.
  func scanPlain(_ bytes: UnsafePointer<UInt8>, _ count: Int, isFirst: Bool) throws -> (at: Int, isIncomplete: Bool)

  /// Skips the content of the element in which the parser waits, because it was already read.
  func passOver()
}

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
  /// The offset up to which the bytes were searched for the beginning of the plain content.
  private var looked = 0

  init(_ parser: XMLStreamParser, _ part: Part) {
    self.parser = parser
    self.part = part
  }

  /// Processes the next bytes.
  func feed(_ bytes: Span<UInt8>) throws {
    if state == .parser { return try parser.feed(bytes) }
    kept.append(bytes)
    if state == .head { try findPlain() }
    if state == .plain { try scanPlain() }
  }

  /// Ends the part.
  func finish() throws {
    try leave()
    try parser.finish()
  }

  private func findPlain() throws {
    let start = Part.plainStart
    guard let at = PlainHead.place(of: start, in: kept.bytes.span, from: max(0, looked - start.utf8.count)) else {
      looked = kept.count
      if kept.count > Self.longestHead { try leave() }
      return
    }
    guard at <= Self.longestHead, PlainHead.isUTF8(kept.bytes.span, before: at) else { return try leave() }
    // The match could be inside a comment. It is a tag only if the parser reaches the part's state after exactly these
    // bytes.
    try feedParser(to: at)
    let wasThere = part.isAtPlain
    try feedParser(to: start.utf8.count)
    if wasThere || !part.isAtPlain { try leave() } else { state = .plain }
  }

  private func scanPlain() throws {
    let count = kept.count
    kept.append(0)
    let (at, isIncomplete) = try part.scanPlain(kept.start, count, isFirst: !isPlaceLost)
    kept.truncate(to: count)
    if at > 0 { isPlaceLost = true }
    kept.removeFirst(at)
    if !isIncomplete || kept.count > Self.longestElement { try leave() }
  }

  /// Switches to the parser for all following bytes.
  private func leave() throws {
    if state == .plain, isPlaceLost, let end = Part.plainEnd {
      part.passOver()
      try parser.feed(end.utf8.span)
    }
    state = .parser
    try feedParser(to: kept.count)
  }

  private func feedParser(to end: Int) throws {
    guard end > 0 else { return }
    try parser.feed(kept.bytes.span.extracting(first: end))
    kept.removeFirst(end)
  }
}

/// Examines the XML that precedes the plain content.
enum PlainHead {
  /// Whether XML that begins with these bytes declares UTF-8 or has no declaration.
  static func isUTF8(_ bytes: Span<UInt8>, before end: Int) -> Bool {
    guard bytes.first == 0x3C else { return false }
    guard let declared = place(of: "encoding", in: bytes, from: 0), declared < end else { return true }
    return ["encoding=\"UTF-8\"", "encoding=\"utf-8\"", "encoding='UTF-8'", "encoding='utf-8'"]
      .contains { place(of: $0, in: bytes, from: 0) == declared }
  }

  /// Returns the first occurrence of a string at or after an offset.
  static func place(of text: String, in bytes: Span<UInt8>, from: Int) -> Int? {
    let wanted = Array(text.utf8)
    guard bytes.count >= wanted.count else { return nil }
    return (from...(max(from, bytes.count - wanted.count))).first { at in
      at + wanted.count <= bytes.count && bytes[at] == wanted[0]
        && bytes.extracting(at..<(at + wanted.count)).equals(wanted.span)
    }
  }
}
