import Diagnostics
import Interchange
import Synchronization

/// A limit for the text in all cells of a workbook. A text that many cells share is stored only once in the file, so
/// without a limit, a small file could produce any amount of text.
///
/// 64 MiB are always allowed. Larger workbooks may have 16 bytes of text for each byte of XML in the sheets and the
/// shared texts. A cell that refers to a shared text takes about 30 bytes of XML, so a workbook reaches the limit only
/// if its shared texts have some 500 bytes on average. The object can be used from any number of threads.
final class TextBudget: Sendable {
  /// The number of bytes of text that any workbook may have.
  static let free = 64 << 20
  /// The number of bytes of text allowed for each byte of XML.
  static let ratio = 16

  /// The maximum number of bytes of text, in UTF-8.
  let most: Int
  /// The largest number of bytes of text in a pass over each sheet, and the sum for all sheets. Sheets may be read
  /// several times.
  private let taken = Mutex<(parts: [String: Int], sum: Int)>(([:], 0))

  /// - Parameter bytes: the unpacked size of the sheets and the shared texts.
  init(xml bytes: Int) {
    let (limit, isLarge) = bytes.multipliedReportingOverflow(by: Self.ratio)
    most = isLarge || limit > Int.max - Self.free ? Int.max : Self.free + limit
  }

  /// Records the number of bytes of text that a pass over a sheet has produced so far.
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
    let why = "its cells have more than \(most) bytes of text, \(Self.ratio) times the size of its XML"
    return RunFailure(
      .failed,
      Diagnostic(.workbookDamaged, why, at: place, fix: "leave cells empty that repeat a long text from the row above"),
      message: "read '\(file)': refused at \(TerminalEscaping.escape(place.description)): \(why)")
  }
}
