import ArchiveIO
import XMLStream

/// Reads the number format of each cell style in `xl/styles.xml`.
final class StylesPart: PartHandler {
  /// The maximum number of styles and of formats. Excel's own limit is 65490.
  static let limit = 1 << 17

  private var codes: [Int: CellFormat] = [:]
  private var ids: [Int] = []
  private var isInCells = false

  /// The number formats, by style number.
  var formats: [CellFormat] { ids.map { codes[$0] ?? CellFormat.builtIn($0) } }

  func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
    let local = name.local
    if local.is("cellXfs") {
      isInCells = true
    } else if isInCells, local.is("xf") {
      guard ids.count < Self.limit else { throw PartProblem("a workbook has more than \(Self.limit) styles") }
      ids.append(attributes.text("numFmtId").flatMap { Int($0) } ?? 0)
    } else if local.is("numFmt"), let id = attributes.text("numFmtId").flatMap({ Int($0) }) {
      guard codes.count < Self.limit else { throw PartProblem("a workbook has more than \(Self.limit) formats") }
      codes[id] = CellFormat.of(code: attributes.text("formatCode") ?? "")
    }
  }
  func end(_ name: XMLName) { if isInCells, name.local.is("cellXfs") { isInCells = false } }
  func text(_ bytes: UnsafeBufferPointer<UInt8>) {}
}
