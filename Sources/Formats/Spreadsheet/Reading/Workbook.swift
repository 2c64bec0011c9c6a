import ArchiveIO
import Diagnostics
import Interchange
import Synchronization

/// An open workbook: its sheets, and the data that their cells refer to.
///
/// - Source: ECMA-376 (Office Open XML), transitional and strict
final class Workbook: Sendable {
  /// A sheet with cells.
  struct Sheet: Sendable {
    /// The sheet's name, which is shown on its tab.
    let name: String
    /// The part with the sheet's cells.
    let part: String
    /// Whether the sheet is hidden.
    let isHidden: Bool
  }

  /// The archive.
  let file: ZipFile
  /// The sheets with cells, in the order of their tabs, including hidden ones.
  let sheets: [Sheet]
  /// The number format of each style.
  let formats: [CellFormat]
  /// The converter for dates, with the workbook's start date.
  let dates: SerialDate
  /// The names of sheets that contain a chart instead of cells.
  let charts: [String]

  /// The limit for the text in the workbook's cells.
  let text: TextBudget

  private let stringsPart: String?
  private let loaded = Mutex<SharedStrings?>(nil)

  /// Opens a workbook.
  /// - Parameters:
  ///   - path: the file's path.
  ///   - name: the file's name in messages.
  /// - Throws: `RunFailure`: 5 when the workbook is damaged, 2 when it is refused or the file is not a workbook.
  init(_ path: String, name: String) throws {
    try Self.checkHead(path, name: name)
    let file = try ZipFile(path, name: name)
    self.file = file
    let root = try Relationships(of: "", in: file)
    let part = root.part("officeDocument") ?? "xl/workbook.xml"
    if part.lowercased().hasSuffix(".bin") || !file.has(part) && file.has("xl/workbook.bin") {
      throw Self.wrongKind(name, "it is a binary workbook (.xlsb)")
    }
    let book = WorkbookPart()
    guard try file.parse(part, book) else {
      throw Self.wrongKind(name, file.has("content.xml") ? "it is an OpenDocument file (.ods)" : "not a workbook")
    }
    let relations = try Relationships(of: part, in: file)
    var sheets: [Sheet] = []
    var charts: [String] = []
    var taken = Set<String>()
    for sheet in book.sheets {
      let target = relations.targets[sheet.relation]
      if let target, target.type != "worksheet" {
        charts.append(sheet.name)
        continue
      }
      guard let part = target?.part, file.has(part) else {
        throw Self.damage(name, "the sheet '\(sheet.name)' is missing")
      }
      guard taken.insert(part.lowercased()).inserted else {
        throw Self.damage(name, "the sheet '\(sheet.name)' has the same cells as another sheet")
      }
      sheets.append(Sheet(name: sheet.name, part: part, isHidden: sheet.isHidden))
    }
    self.sheets = sheets
    self.charts = charts
    let styles = StylesPart()
    if let part = relations.part("styles") { _ = try file.parse(part, styles) }
    formats = styles.formats
    dates = book.dates
    stringsPart = relations.part("sharedStrings")
    let parts = sheets.map(\.part) + (stringsPart.map { [$0] } ?? [])
    text = TextBudget(xml: parts.reduce(0) { $0 + (file.size(of: $1) ?? 0) })
  }

  /// Returns the shared texts, which are read at the first request.
  func strings() throws -> SharedStrings {
    try loaded.withLock { loaded in
      if let loaded { return loaded }
      func make() -> SharedStrings { SharedStrings(expecting: stringsPart.flatMap { file.size(of: $0) } ?? 0) }
      let strings = try stringsPart.flatMap { try file.parse($0, strings: make) } ?? make()
      try strings.finish()
      loaded = strings
      return strings
    }
  }

  /// Descriptions of the workbook's features other than cells.
  var extras: [String] {
    var found: [String] = []
    func look(_ words: String, _ isMeant: (String) -> Bool) {
      if file.names.contains(where: isMeant) { found.append(words) }
    }
    look("macros") { $0.hasSuffix("vbaproject.bin") }
    look("links to other workbooks") { $0.contains("/externallinks/") }
    look("pictures") { $0.contains("/media/") }
    look("charts") { $0.contains("/charts/") }
    look("comments") { $0.contains("/comments") || $0.contains("/threadedcomments/") }
    look("embedded files") { $0.contains("/embeddings/") }
    return found
  }

  private static func checkHead(_ path: String, name: String) throws {
    let head = try SourceProbe.head(of: Source(path), count: 8)
    if head.starts(with: WorkbookHead.compound) {
      throw wrongKind(name, "it is password-protected or an old .xls file")
    }
    guard head.starts(with: [0x50, 0x4B]) else { throw wrongKind(name, "not a workbook") }
  }

  private static func wrongKind(_ name: String, _ reason: String) -> RunFailure {
    RunFailure(
      .failed, "read '\(name)': \(reason)", advice: "Open it in a spreadsheet program and save it as .xlsx.")
  }

  private static func damage(_ name: String, _ reason: String) -> RunFailure {
    RunFailure(
      .mismatch, Diagnostic(.workbookDamaged, reason, at: Place(file: name)),
      message: "read '\(name)': damaged: \(TerminalEscaping.escape(reason))")
  }
}
