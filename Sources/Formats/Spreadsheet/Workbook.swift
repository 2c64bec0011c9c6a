import ArchiveIO
import Diagnostics
import Interchange
import Synchronization
import XMLStream

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
  /// - Throws: `RunFailure`: 5 if the workbook is damaged, 2 if it is refused or the file is not a workbook.
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

  /// Returns the shared strings, which are read at the first request.
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
    func find(_ words: String, where isMeant: (String) -> Bool) {
      if file.names.contains(where: isMeant) { found.append(words) }
    }
    find("macros") { $0.hasSuffix("vbaproject.bin") }
    find("links to other workbooks") { $0.contains("/externallinks/") }
    find("pictures") { $0.contains("/media/") }
    find("charts") { $0.contains("/charts/") }
    find("comments") { $0.contains("/comments") || $0.contains("/threadedcomments/") }
    find("embedded files") { $0.contains("/embeddings/") }
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

/// The references of a workbook part: `xl/_rels/workbook.xml.rels` for `xl/workbook.xml`.
///
/// Only one level of references is followed, so cycles are impossible: a workbook refers to sheets, but sheets do not
/// refer to other sheets.
/// - Source: ECMA-376 part 2, 9.3
struct Relationships {
  /// A reference.
  struct Target {
    /// The last component of the reference's type, such as `worksheet` or `sharedStrings`. It is the same in all
    /// editions of the standard.
    let type: String
    /// The referenced part, without a leading slash; nil if the target is outside the workbook.
    let part: String?
  }

  /// The references, by id.
  private(set) var targets: [String: Target] = [:]

  /// Reads the references of a part. The list is empty if the part has none.
  init(of part: String, in file: ZipFile) throws {
    let folder = part.split(separator: "/", omittingEmptySubsequences: true).dropLast().joined(separator: "/")
    let name = part.split(separator: "/").last ?? ""
    let list = (folder.isEmpty ? "" : folder + "/") + "_rels/\(name).rels"
    let handler = Handler(folder: folder)
    _ = try file.parse(list, handler)
    targets = handler.targets
  }

  /// Returns the first referenced part of a type.
  func part(_ type: String) -> String? {
    targets.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.first { $0.value.type == type }?.value.part
  }

  /// Resolves a target relative to a folder. `..` means the parent folder, but never leaves the archive.
  static func resolve(_ target: String, in folder: String) -> String {
    var parts = target.utf8.first == 0x2F ? [] : folder.split(separator: "/")
    for piece in target.split(separator: "/") where piece != "." {
      if piece == ".." { _ = parts.popLast() } else { parts.append(piece) }
    }
    return parts.joined(separator: "/")
  }

  private final class Handler: PartHandler {
    let folder: String
    var targets: [String: Target] = [:]

    init(folder: String) { self.folder = folder }

    func begin(_ name: XMLName, _ attributes: XMLAttributes) throws {
      guard name.local.is("Relationship"), let id = attributes.text("Id"), let target = attributes.text("Target")
      else { return }
      guard targets.count < 65_536 else { throw PartProblem("a part refers to more than 65536 other parts") }
      let type = attributes.text("Type") ?? ""
      let isElsewhere = attributes.text("TargetMode") == "External"
      targets[id] = Target(
        type: type.split(separator: "/").last.map(String.init) ?? type,
        part: isElsewhere ? nil : Relationships.resolve(target, in: folder))
    }
    func end(_ name: XMLName) {}
    func text(_ bytes: Span<UInt8>) {}
  }
}

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
  func text(_ bytes: Span<UInt8>) {}
}

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
  func text(_ bytes: Span<UInt8>) {}
}

/// A limit for the text in all cells of a workbook. A string that many cells share is stored only once in the file, so
/// without a limit, a small file could produce any amount of text.
///
/// 64 MiB are always allowed. Larger workbooks may have 16 bytes of text for each byte of XML in the sheets and the
/// shared strings. A cell that refers to a shared string takes about 30 bytes of XML, so a workbook reaches the limit
/// only if its shared strings have some 500 bytes on average. The object can be used from any number of threads.
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

  /// - Parameter bytes: the unpacked size of the sheets and the shared strings.
  init(xml bytes: Int) {
    let (limit, isLarge) = bytes.multipliedReportingOverflow(by: Self.ratio)
    most = isLarge || limit > Int.max - Self.free ? Int.max : Self.free + limit
  }

  /// Records the number of bytes of text that a pass over a sheet has produced so far.
  /// - Returns: false if all sheets together exceed the maximum.
  func claim(_ bytes: Int, of part: String) -> Bool {
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
      Diagnostic(.workbookDamaged, why, at: place, fix: "clear the cells that repeat long text from the row above"),
      message: "read '\(file)': refused at \(TerminalEscaping.escape(place.description)): \(why)")
  }
}
