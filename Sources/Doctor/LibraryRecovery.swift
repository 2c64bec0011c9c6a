import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary
import SQLiteRecovery

/// Writes a new library with the readable content of a damaged one. The damaged library is read page by page, without
/// SQLite.
///
/// A row counts if its table's tree contains it, or if a sound index lists the row where it was found. All other rows
/// may be deleted or old. They go to the quarantine of the new library, none of them public, and never replace a row
/// that counts.
///
/// The damaged library is only read. Time and temporary space are proportional to its size.
/// - Source: formats/sqlite-library.md, "Damaged files"
public struct LibraryRecovery: Sendable {
  /// The path of the damaged library.
  public let library: String
  /// The path of the new library.
  public let target: String
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// The maximum number of damaged pages and missing rows that are listed.
  private static let listed = 1000

  /// Creates a recovery.
  public init(_ library: String, to target: String) {
    self.library = library
    self.target = target
  }

  /// Recovers everything that can be read.
  /// - Parameter now: the time in the quarantine's bundle.
  /// - Throws: `RunFailure`: 2 if the file contains no row of a library or the disk is full, 4 if a file with the
  ///   target's name exists.
  public func run(now: Timestamp) throws -> Report {
    let image = try open()
    let file = try NewLibraryFile.reserve(target)
    do {
      return try run(image, into: file, now)
    } catch let error as SQLiteError {
      file.discard()
      throw RunFailure(.failed, "recover '\(library)': \(error.message) (while trying to \(error.operation))")
    } catch {
      file.discard()
      throw error
    }
  }

  private func open() throws -> DatabaseImage {
    let image: DatabaseImage
    do throws(RecoveryFailure) {
      image = try DatabaseImage(path: library)
    } catch {
      switch error {
      case .open(_, let code): throw RunFailure(.failed, "recover '\(library)': \(String(cString: strerror(code)))")
      case .notAFile: throw RunFailure(.failed, "recover '\(library)': not a regular file", advice: "Name the library.")
      }
    }
    guard image.pageCount > 0 else {
      throw RunFailure(
        .failed, "recover '\(library)': the file is empty (0 bytes)",
        advice: "Copy it off the phone again, with its '-journal' or '-wal', or restore a backup.")
    }
    return image
  }

  private func run(_ image: DatabaseImage, into file: AtomicFile, _ now: Timestamp) throws -> Report {
    var report = Report()
    report.pageSize = image.pageSize
    report.pages = image.pageCount
    report.notes = image.notes.map(\.words)
    if let folder = try SidecarFolder(of: library), folder.root.names.contains(SidecarFolder.stateName) {
      report.folder = Sidecar.path(of: library)
    }
    let schema = try RecoverySchema(image)
    report.version = schema.app.version
    report.refused = schema.refused.map { "\($0.name): \($0.reason)" }
    report.tables = schema.tables.map { Report.Table(name: $0.name) }
    let store = try RecoveryStore(schema)
    try scan(image, schema, store, &report)
    try store.finish()
    guard try schema.tables.indices.contains(where: { try store.count($0) > 0 }) else {
      throw RunFailure(
        .failed, "recover '\(library)': no row of a library was found in \(image.pageCount) pages",
        advice: "Check that it is the right file. If it is, copy it off the phone again, or restore a backup.")
    }
    let work = RecoveredLibrary(store: store, schema: schema)
    try work.write(to: file.temporary, pageSize: image.pageSize, &report) { try step("Writing", $0, $1) }
    try findMissing(store, schema, file.temporary, &report)
    try quarantine(store, schema, now, &report) { report in report.bytes = try file.publish() }
    return report
  }

  private func step(_ what: String, _ done: Int, _ total: Int) throws {
    try Interruption.check()
    onProgress?(what, done, total)
  }

  // MARK: Finding

  private func scan(
    _ image: DatabaseImage, _ schema: RecoverySchema, _ store: RecoveryStore, _ report: inout Report
  ) throws {
    let scan = RecoveryScan(
      image, tables: schema.tables.map(\.shape) + [RecoverySchema.sequences],
      indexes: schema.tables.flatMap { $0.indexes.map(\.shape) })
    let indexes = Set(schema.tables.flatMap { $0.indexes.map(\.name) })
    var damages: [Report.Damage] = []
    var count = 0
    var refused: [String] = []
    try scan.run { event in
      switch event {
      case .row(let row): try store.add(row)
      case .indexEntry(let entry): try store.add(entry)
      case .damage(let damage):
        count += 1
        try store.add(damage)
        guard damages.count < Self.listed else { return }
        damages.append(
          Report.Damage(
            page: Int(damage.page), owner: damage.name, isIndex: damage.name.map(indexes.contains) ?? false,
            reason: damage.reason.rawValue, row: Self.name(of: damage)))
      case .withoutRowid(let table):
        if !refused.contains(table) { refused.append(table) }
      case .progress(let done, let total): try step("Reading pages", done, total)
      }
    }
    report.damages = damages
    report.damageCount = count
  }

  /// Returns the id of a broken row, or its number.
  private static func name(of damage: RecoveryDamage) -> String? {
    if case .text(let id)? = damage.values.first {
      return Diagnostic.beginning(of: String(decoding: id, as: UTF8.self))
    }
    return damage.rowid.map { "row \($0)" }
  }

  // MARK: Missing rows

  /// The columns that refer to rows of another table.
  private static let mentions = [
    (table: "library_content", column: "id", of: "checklists"),
    (table: "library_content", column: "id", of: "practice_guides"),
    (table: "checklistExecutionStates", column: "charterID", of: "charters"),
    (table: "checklistExecutionStates", column: "checklistID", of: "checklists"),
    (table: "sync_queue", column: "contentID", of: "library_content"),
  ]

  private func findMissing(
    _ store: RecoveryStore, _ schema: RecoverySchema, _ path: String, _ report: inout Report
  ) throws {
    var known: [Set<String>] = Array(repeating: [], count: schema.tables.count)
    func add(_ number: Int, _ id: String, _ from: String, _ report: inout Report) throws {
      guard known[number].insert(id).inserted else { return }
      report.tables[number].missing += 1
      guard report.missing.count < Self.listed else { return }
      report.missing.append(
        Report.Missing(
          table: schema.tables[number].name, id: id, title: nil, knownFrom: from,
          isUncertain: try store.isUncertain(number, id)))
    }
    for number in schema.tables.indices {
      for (id, index) in try store.unfound(number) { try add(number, id, index, &report) }
    }
    let library = try SQLiteConnection(path, .readImmutable, .own)
    let numbers = Dictionary(uniqueKeysWithValues: schema.tables.enumerated().map { ($1.name, $0) })
    for mention in Self.mentions {
      guard let number = numbers[mention.of], let other = numbers[mention.table],
        schema.tables[other].columns.contains(mention.column)
      else { continue }
      var condition = "\(mention.column) NOT IN (SELECT id FROM \(mention.of)) AND typeof(\(mention.column)) = 'text'"
      // An item has one body, and the item's type determines the body's table.
      if mention.table == "library_content" {
        condition += " AND type \(mention.of == "practice_guides" ? "=" : "<>") 'practice_guide'"
        condition += " AND id NOT IN (SELECT id FROM checklists)"
        if numbers["practice_guides"] != nil { condition += " AND id NOT IN (SELECT id FROM practice_guides)" }
      }
      // If no page is damaged, missing rows were not lost with a page.
      guard report.damageCount > 0 else { continue }
      let ids = try library.rows(
        "SELECT DISTINCT \(mention.column) FROM \(mention.table) WHERE \(condition) LIMIT 100000")
      for id in ids.compactMap({ $0[0] }) { try add(number, id, mention.table, &report) }
    }
    try nameMissing(library, &report)
  }

  /// Finds the titles of missing bodies.
  private func nameMissing(_ library: SQLiteConnection, _ report: inout Report) throws {
    guard try library.number("SELECT count(*) FROM sqlite_schema WHERE name = 'library_content'") > 0 else { return }
    for index in report.missing.indices where ["checklists", "practice_guides"].contains(report.missing[index].table) {
      let titles = try library.rows("SELECT title FROM library_content WHERE id = ?", [report.missing[index].id])
      report.missing[index].title = titles.first?.first.flatMap { $0 }
    }
  }

  // MARK: Quarantine

  private func quarantine(
    _ store: RecoveryStore, _ schema: RecoverySchema, _ now: Timestamp, _ report: inout Report,
    publish: (inout Report) throws -> Void
  ) throws {
    guard report.uncertain > 0 else { return try publish(&report) }
    let bins = try UncertainRecords(store: store, schema: schema, library: library).bins()
    let sidecar = try Sidecar(of: target)
    var made: [String] = []
    do {
      let (folder, name) = try sidecar.freshName(.quarantine, "recover", "jsonl")
      for (number, bin) in bins.enumerated() {
        let path = folder.path(number == 0 ? name : name.replacing(".jsonl", with: "-\(number + 1).jsonl"))
        try bin.publish(to: path, now: now)
        made.append(path)
      }
      try publish(&report)
    } catch {
      for path in made { unlink(path) }
      sidecar.removeIfNew()
      throw error
    }
    report.quarantine = made
  }
}

extension LibraryRecovery {
  /// The result of a recovery.
  public struct Report: Sendable {
    /// The outcome of the rows of one table.
    public struct Table: Encodable, Sendable, Equatable {
      /// The name of the table.
      public let name: String
      /// The number of rows in the table's own tree.
      public internal(set) var reachable = 0
      /// The number of rows on damaged or unreachable pages, each listed by a sound index.
      public internal(set) var confirmed = 0
      /// The number of rows that may be deleted or old. They are in the quarantine, not in the library.
      public internal(set) var uncertain = 0
      /// The number of rows that were not found although an index lists them or another table refers to them.
      public internal(set) var missing = 0

      enum CodingKeys: String, CodingKey { case name = "table", reachable, confirmed, uncertain, missing }
    }

    /// A row that is not in the new library.
    public struct Missing: Encodable, Sendable, Equatable {
      /// The table of the row.
      public let table: String
      /// The id of the row.
      public let id: String
      /// The title of the item; nil if unknown.
      public internal(set) var title: String?
      /// The index or table that contains the id.
      public let knownFrom: String
      /// Whether a row with this id is in the quarantine.
      public let isUncertain: Bool
    }

    /// A broken page, or a broken part of a page.
    public struct Damage: Encodable, Sendable, Equatable {
      /// The number of the page, from 1.
      public let page: Int
      /// The table or index that the page belongs to; nil if unknown.
      public let owner: String?
      /// Whether the owner is an index, which has no content of its own.
      public let isIndex: Bool
      /// The damage, as a name for scripts: `malformedPage`.
      public let reason: String
      /// The broken row; nil if the row is unknown, or if the damage is not limited to one row.
      public let row: String?
    }

    /// The app's version of the schema.
    public internal(set) var version = ""
    /// The size of a page in bytes.
    public internal(set) var pageSize = 0
    /// The number of pages that were read.
    public internal(set) var pages = 0
    /// Remarks on opening the file, for people.
    public internal(set) var notes: [String] = []
    /// Every table, in the order in which they are filled.
    public internal(set) var tables: [Table] = []
    /// Broken pages and parts of pages; the first 1,000.
    public internal(set) var damages: [Damage] = []
    /// The number of broken pages and parts of pages.
    public internal(set) var damageCount = 0
    /// Rows that are missing; the first 1,000.
    public internal(set) var missing: [Missing] = []
    /// Tables and indexes that are missing from the new library, with the reasons.
    public internal(set) var refused: [String] = []
    /// The bundles with uncertain rows. The first one has one version of each row.
    public internal(set) var quarantine: [String] = []
    /// The damaged library's sidecar, where FleetKit keeps records for which the app has no table; nil if it is
    /// missing.
    public internal(set) var folder: String?
    /// The size of the new library in bytes.
    public internal(set) var bytes = 0

    /// The number of rows in the new library.
    public var restored: Int { tables.reduce(0) { $0 + $1.reachable + $1.confirmed } }
    /// The number of rows in the quarantine.
    public var uncertain: Int { tables.reduce(0) { $0 + $1.uncertain } }
    /// The number of rows that were not found.
    public var missingCount: Int { tables.reduce(0) { $0 + $1.missing } }
    /// Whether the recovery is complete: nothing is missing or uncertain, and nothing was broken.
    public var isWhole: Bool { damageCount == 0 && uncertain == 0 && missingCount == 0 && refused.isEmpty }
  }
}

extension DatabaseImage.Note {
  /// The remark for people.
  var words: String {
    switch self {
    case .empty: "the file is empty"
    case .headerDamaged: "the file's header is damaged"
    case .pageSizeGuessed: "the page size was guessed"
    case .pageSizeUnknown: "the page size is unknown; 4096 is assumed"
    case .encodingGuessed: "the text encoding was guessed"
    case .truncated(0): "the last page is truncated"
    case .truncated(let pages): "the file is truncated: \(pages) page\(pages == 1 ? " is" : "s are") missing"
    case .journalApplied(let pages): "a journal was applied: \(Plural.count(pages, "page"))"
    case .journalBroken: "the end of the journal is damaged"
    case .journalInvalid: "the journal belongs to another library"
    case .journalSuperseded: "the journal belongs to a transaction that was committed"
    case .walApplied(let frames): "the write-ahead log was applied: \(Plural.count(frames, "frame"))"
    case .walBroken(let frame): "the write-ahead log is damaged, beginning at frame \(frame + 1)"
    case .walInvalid: "the write-ahead log belongs to another library"
    case .walUncommitted(let frames):
      "the log has \(Plural.count(frames, "frame that was", "frames that were")) never committed"
    case .sideFileUnreadable(let name): "'\(name)' cannot be read"
    }
  }
}
