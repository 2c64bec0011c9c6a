import Foundation
import JSONText
import XMLStream

/// Brings the bytes of a sheet to its part: the plain rows themselves, everything else through the parser.
///
/// The parser reads the sheet up to `<sheetData>` and goes on with the first thing that is no plain row, at the latest
/// with `</sheetData>`. So it judges all that the plain rows are not.
final class SheetFeed {
  private enum State { case head, rows, parser }

  /// How much may stand before the rows.
  private static let head = 1 << 16
  /// How long a plain row can be.
  private static let row = 1 << 20

  /// Whether rows went by the parser, which then does not know its place.
  private(set) var isPlaceLost = false

  private let parser: XMLStreamParser
  private let part: SheetPart
  private var state = State.head
  private var kept = ByteBuffer(capacity: 1 << 19)
  /// Up to here nothing begins the rows.
  private var looked = 0

  init(_ parser: XMLStreamParser, _ part: SheetPart) {
    self.parser = parser
    self.part = part
  }

  /// Takes the next bytes.
  func feed(_ bytes: UnsafeRawBufferPointer) throws {
    if state == .parser { return try parser.feed(bytes) }
    kept.append(bytes.bindMemory(to: UInt8.self))
    if state == .head { try findRows() }
    if state == .rows { try takeRows() }
  }

  /// Ends the sheet.
  func finish() throws {
    try leave()
    try parser.finish()
  }

  private func takeRows() throws {
    let count = kept.count
    kept.append(0)
    let (at, isIncomplete) = try part.takePlainRows(kept.start, count)
    kept.truncate(to: count)
    if at > 0 { isPlaceLost = true }
    kept.removeFirst(at)
    if !isIncomplete || kept.count > Self.row { try leave() }
  }

  /// Gives everything to the parser from now on.
  private func leave() throws {
    state = .parser
    try feedParser(to: kept.count)
  }

  private func feedParser(to end: Int) throws {
    guard end > 0 else { return }
    try parser.feed(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(kept.bytes)[..<end]))
    kept.removeFirst(end)
  }

  // MARK: - The head

  private func findRows() throws {
    let start = "<sheetData>"
    guard let at = PlainHead.place(of: start, in: kept.bytes, from: max(0, looked - start.utf8.count)) else {
      looked = kept.count
      if kept.count > Self.head { try leave() }
      return
    }
    guard at <= Self.head, PlainHead.isUTF8(kept.bytes, before: at) else { return try leave() }
    // In a comment it is no tag: only when the parser comes to the rows with exactly these bytes, it is one.
    try feedParser(to: at)
    let wasAtRows = part.isAtRows
    try feedParser(to: start.utf8.count)
    if wasAtRows || !part.isAtRows { try leave() } else { state = .rows }
  }
}
