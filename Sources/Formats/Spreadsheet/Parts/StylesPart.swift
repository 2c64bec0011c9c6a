import ArchiveIO
import XMLStream

/// What `xl/styles.xml` says about numbers: the format of each style that cells name.
final class StylesPart: PartHandler {
  /// How many styles and formats there may be; Excel itself stops at 65490.
  static let limit = 1 << 17

  private var codes: [Int: CellFormat] = [:]
  private var ids: [Int] = []
  private var isInCells = false

  /// By the number that cells give.
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
