import Diagnostics
import Interchange
import Synchronization

/// The maximum amount of text in all cells of a workbook. A text that many cells share is stored once in the file, so a
/// small file could otherwise produce any amount.
///
/// 64 MiB are free; beyond them, cells may have 16 times as many bytes as the XML of the sheets and of the shared
/// texts. A cell that refers to a shared text takes about 30 bytes of XML, so a workbook reaches the limit only with
/// shared texts of some 500 bytes on average. Used by any number of threads.
final class TextBudget: Sendable {
  /// The number of bytes that any workbook may have.
  static let free = 64 << 20
  /// The number of bytes of text allowed for each byte of XML.
  static let ratio = 16

  /// The maximum number of bytes of text, in UTF-8.
  let most: Int
  /// The largest number of bytes read from each sheet, and the sum; sheets are read several times.
  private let taken = Mutex<(parts: [String: Int], sum: Int)>(([:], 0))

  /// - Parameter bytes: the unpacked bytes of the sheets and of the shared texts.
  init(xml bytes: Int) {
    let (limit, isLarge) = bytes.multipliedReportingOverflow(by: Self.ratio)
    most = isLarge || limit > Int.max - Self.free ? Int.max : Self.free + limit
  }

  /// Records the number of bytes of text that a reading of a sheet has produced so far.
  /// - Returns: false if all sheets together exceed the maximum.
  func take(_ bytes: Int, of part: String) -> Bool {
    taken.withLock { taken in
      let more = bytes - taken.parts[part, default: 0]
      if more > 0 {
        taken.parts[part] = bytes
        taken.sum += more
      }
      return taken.sum <= most
    }
  }

  /// Returns the error for a workbook that exceeds the maximum.
  func failure(_ sheet: Workbook.Sheet, row: Int?, _ file: String) -> RunFailure {
    let place = Place(file: file, member: sheet.name, line: row)
    let why = "its cells have more than \(most) bytes of text, \(Self.ratio) times as many as its XML"
    return RunFailure(
      .failed,
      Diagnostic(.workbookDamaged, why, at: place, fix: "leave cells empty that repeat a long text of the row above"),
      message: "read '\(file)': refused at \(TerminalEscaping.escape(place.description)): \(why)")
  }
}
