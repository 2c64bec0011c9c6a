import ArchiveIO
import XMLStream

/// Reads the ordered list of sheets and the start date of serial dates from `xl/workbook.xml`.
final class WorkbookPart: PartHandler {
  /// A sheet in the workbook's list.
  struct Sheet {
    let name: String
    /// The id of the reference to the sheet's part.
    let relation: String
    let isHidden: Bool
  }

  /// The maximum number of sheets in a workbook.
  static let limit = 1000

  private(set) var sheets: [Sheet] = []
  private(set) var dates = SerialDate()
  private var depth = 0

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    depth += 1
    let local = name.local
    if depth == 1, !local.is("workbook") { throw PartProblem("not a workbook") }
    if local.is("workbookPr"), let value = attributes.text("date1904") {
      dates.countsFrom1904 = value == "1" || value == "true" || value == "on"
    }
    guard local.is("sheet"), let title = attributes.text("name") else { return }
    guard sheets.count < Self.limit else { throw PartProblem("a workbook has more than \(Self.limit) sheets") }
    let state = attributes.text("state") ?? "visible"
    var relation = ""
    for (key, value) in attributes where key.local.is("id") { relation = String(decoding: value, as: UTF8.self) }
    sheets.append(Sheet(name: title, relation: relation, isHidden: state != "visible"))
  }
  func end(_ name: XMLName) { depth -= 1 }
  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}
