import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO

extension FormatID {
  /// Stores of Core Data and SwiftData.
  public static let coreData = FormatID(rawValue: "core-data")
}

extension DiagnosticCode {
  /// A row cannot be read.
  static let storeRow = DiagnosticCode(
    "CDS0101", "store-row", .error, "A row in a store has a value of the wrong type.",
    why: "the store is damaged or has an unusual model", fix: "examine the row in the rejects")
  /// A store is mirrored to CloudKit.
  static let mirroredStore = DiagnosticCode(
    "CDS0102", "mirrored-store", .note, "The store is mirrored to CloudKit.",
    why: "only the app may write to it: other changes would not reach the cloud", fix: "nothing needs to be done")

  fileprivate static let coreData = [storeRow, mirroredStore, unfitValue, storeBackup]
}

/// The format of any Core Data or SwiftData store. Its rows become foreign records, so that they can be read without
/// any loss.
///
/// - Source: formats/core-data.md
public struct CoreDataFormat: Format {
  /// Creates the format.
  public init() {}

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  static let descriptor = FormatDescriptor(
    .coreData, title: "Core Data store", page: "core-data", extensions: ["coredata"],
    mediaType: "application/vnd.sqlite3", keeps: [.foreign], writes: false, codes: DiagnosticCode.coreData)

  /// Recognizes a store by its tables.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    head.starts(with: Array("SQLite format 3\0".utf8)) && CoreDataStore.isStore(source.path)
  }

  /// Returns false, because all SQLite databases have the same first bytes.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Opens a store without changing it.
  /// - Throws: `RunFailure` with status 2 if the store cannot be read.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    guard !source.isStandardInput else {
      throw RunFailure(.usage, "a store cannot be read from standard input", advice: "Give the file's path.")
    }
    return try DraftReader(of: source, idScope: ["core-data"], traits: SourceTraits(), context: context) {
      try CoreDataSource(source, findings: $0)
    }
  }

  /// Always throws, because the format is read-only.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.usage, "the format 'core-data' cannot be written")
  }
}

/// Creates foreign records from a store's rows, entity by entity.
private final class CoreDataSource: DraftSource {
  private let store: CoreDataStore
  private var entities: [CoreDataStore.Entity]
  private var open: (entity: CoreDataStore.Entity, rows: SQLiteStatement)?
  private var done = 0
  private let total: Int
  private(set) var origin = DraftOrigin.file

  init(_ source: Source, findings: DiagnosticLog?) throws {
    let store = try CoreDataStore(source.path, name: source.name)
    self.store = store
    entities = store.entities
    total = entities.reduce(0) { $0 + store.count(of: $1) }
    if store.isMirrored {
      findings?.report(Diagnostic(.mirroredStore, "the store has CloudKit tables", at: Place(file: source.name)))
    }
  }

  var progress: (done: Int, total: Int?) { (done, total) }

  func next() throws -> SourceDraft? {
    do throws(SQLiteError) {
      while true {
        if let open, try open.rows.step() {
          done += 1
          return draft(open.rows, open.entity)
        }
        guard !entities.isEmpty else { return nil }
        let entity = entities.removeFirst()
        open = (entity, try store.rows(of: entity))
      }
    } catch {
      throw CoreDataStore.failure(error, store.name)
    }
  }

  private func draft(_ row: SQLiteStatement, _ entity: CoreDataStore.Entity) -> SourceDraft {
    let key = String(row.integer(at: 0))
    var raw = ByteBuffer(capacity: 512)
    var columns: [(name: String, range: Range<Int>)] = []
    var problems: [RejectedDraft.Problem] = []
    raw.append(UInt8(ascii: "{"))
    for (index, column) in entity.columns.enumerated() {
      let value = CoreDataStore.Value(row, index + 1, column.type)
      if index > 0 { raw.append(UInt8(ascii: ",")) }
      raw.appendJSONString(column.name.hasPrefix("Z") ? String(column.name.dropFirst()) : column.name)
      raw.append(UInt8(ascii: ":"))
      let start = raw.count
      raw.append(value.json.span)
      columns.append((column.name, start..<raw.count))
      if !value.isSound {
        problems.append(.init(.storeRow, "\(column.name) has a value of the wrong type", at: start..<raw.count))
      }
    }
    raw.append(UInt8(ascii: "}"))
    origin = .row(table: entity.table, id: key, columns: columns)
    let all = 0..<raw.count
    let json = raw.copy(all)
    guard problems.isEmpty else {
      return .rejected(
        RejectedDraft(.foreign, title: "\(entity.name) \(key)", json: json, problems: problems, range: all))
    }
    func member(_ name: String, _ text: String) -> RecordDraft.Member {
      var json = ByteBuffer(capacity: 64)
      json.appendJSONString(text)
      return RecordDraft.Member(name, SourcedText(bytes: json.copy(0..<json.count), range: all))
    }
    var record = RecordDraft(
      .foreign, title: "\(entity.name) \(key)",
      members: [
        member("id", "core-data/\(entity.name)/\(key)"), member("system", "core-data"), member("type", entity.name),
        RecordDraft.Member("raw", SourcedText(bytes: json, range: all)),
      ], range: all)
    for (column, place) in columns {
      let name = column.hasPrefix("Z") ? String(column.dropFirst()) : column
      record.places[JSONPointer([.member("raw"), .member(name)])] = place
    }
    return .record(record)
  }
}
