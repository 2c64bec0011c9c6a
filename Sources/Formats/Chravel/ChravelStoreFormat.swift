import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

extension FormatID {
  /// Chravel's store on the phone.
  public static let chravelStore = FormatID(rawValue: "chravel-store")
}

extension DiagnosticCode {
  static let chravelValue = DiagnosticCode(
    "CHV0112", "chravel-value", .error, "A row of the store has a value that cannot be read.",
    why: "the row is damaged, or its model version is unknown", fix: "copy the readable values from the rejects")

  fileprivate static let chravelStore = [chravelValue]
}

/// The format of Chravel's store on the phone: Core Data with messages, tasks and events.
///
/// - Source: formats/chravel.md; formats/core-data.md
public struct ChravelStoreFormat: Format {
  /// Creates the format.
  public init() {}

  /// The model's entities.
  static let entities = ChravelEntity.Kind.allCases.map(\.rawValue)

  /// The format's names and capabilities.
  public var descriptor: FormatDescriptor { Self.descriptor }

  static let descriptor = FormatDescriptor(
    .chravelStore, title: "Chravel on the phone", page: "chravel", extensions: ["chravelstore"],
    mediaType: "application/vnd.sqlite3", keeps: [.foreign], writes: false, fills: true,
    differences: [.ownExtras, .requiredTimes], codes: DiagnosticCode.chravelStore)

  /// Recognizes a store by its entities.
  public func recognises(_ source: Source, head: FileHead) -> Bool {
    guard head.starts(with: Array("SQLite format 3\0".utf8)), CoreDataStore.isStore(source.path) else { return false }
    return Self.isStore(source.path, name: source.name)
  }

  private static func isStore(_ path: String, name: String) -> Bool {
    let names = Set(((try? CoreDataStore(path, name: name))?.entities ?? []).map(\.name))
    return names.isSuperset(of: entities)
  }

  /// Returns false, because all SQLite databases have the same first bytes.
  public func hasSignature(_ head: FileHead) -> Bool { false }

  /// Whether the target is an existing store, regardless of its name.
  public func isNamed(by target: Target) -> Bool {
    if descriptor.extensions.contains(target.pathExtension) { return true }
    return target.fillsAppStore && CoreDataStore.isStore(target.path) && Self.isStore(target.path, name: target.path)
  }

  /// Opens a store without changing it.
  /// - Throws: `RunFailure` with status 2 if the store cannot be read.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    guard !source.isStandardInput else {
      throw RunFailure(.usage, "a store cannot be read from standard input", advice: "Give the file's path.")
    }
    let now = context.now
    return try DraftReader(
      of: source, idScope: ["chravel"], traits: SourceTraits(), context: context, mentionsUnknown: false
    ) { _ in try ChravelStoreSource(source, now: now) }
  }

  /// Begins to fill an empty store, if `--write-app-store` was given.
  /// - Throws: `RunFailure`: 64 without `--write-app-store`, 4 if the store does not exist or is not empty.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    let app = StoreWriter.App(
      name: "Chravel", has: "messages, tasks and events", bundle: "com.chravel.app", entities: Self.entities)
    return try StoreWriter(target, of: app, context: context) { record, kind in
      switch ChravelRecord(record, kind) {
      case .foreign(let type, let raw) where Self.entities.contains(type):
        .row(StoreWriter.Row(type, Array(raw.raw), at: "/raw"))
      case .derived: .derived
      default: .nothing
      }
    }
  }
}

/// The counterpart of a record in Chravel.
enum ChravelRecord {
  /// A row, or an object in the phone's model.
  case foreign(type: String, raw: JSONNode)
  /// A record that was created from a trip's rows. Only the rows are written.
  case derived
  case other

  init(_ record: JSONNode, _ kind: RecordKind) {
    if kind == .foreign, record.member("system")?.equals("chravel") == true, let type = record.member("type")?.string,
      let raw = record.member("raw"), raw.kind == .object
    {
      self = .foreign(type: type, raw: raw)
    } else {
      self = record.member("extras")?.member("chravel") != nil ? .derived : .other
    }
  }
}

/// Creates drafts from a store's rows: first the trips, then every row as a foreign record.
private final class ChravelStoreSource: DraftSource {
  /// A row as an object, or the problem that prevents the conversion.
  private struct Found {
    let table: String
    let key: String
    let columns: [(name: String, range: Range<Int>)]
    let range: Range<Int>
    let entity: ChravelEntity?
    let json: [UInt8]
    let problem: RejectedDraft.Problem?
  }

  private var rows: [Found] = []
  private let drafts: ChravelDrafts
  private var trips: [ChravelDrafts.Trip] = []
  private var waiting: [(draft: SourceDraft, row: Int)] = []
  private var done = 0
  private var row = 0

  init(_ source: Source, now: Timestamp) throws {
    drafts = ChravelDrafts(now: now)
    let store = try CoreDataStore(source.path, name: source.name)
    do throws(SQLiteError) {
      for entity in store.entities {
        guard let kind = ChravelEntity.Kind(rawValue: entity.name) else { continue }
        let statement = try store.rows(of: entity)
        while try statement.step() { rows.append(Self.found(statement, entity, kind)) }
      }
    } catch {
      throw CoreDataStore.failure(error, source.name)
    }
    var trips = ChravelDrafts.Trips()
    for (number, row) in rows.enumerated() {
      if let entity = row.entity { trips.add(entity, row.range, row: number) }
    }
    self.trips = trips.all.sorted { $0.id < $1.id }
  }

  private static func found(
    _ row: SQLiteStatement, _ entity: CoreDataStore.Entity, _ kind: ChravelEntity.Kind
  ) -> Found {
    var json = ByteBuffer(capacity: 512)
    json.append("{")
    var columns: [(name: String, range: Range<Int>)] = []
    var texts: [String: String] = [:]
    var problem: RejectedDraft.Problem?
    var numbers: [String: Int64] = [:]
    for (index, column) in entity.columns.enumerated() {
      let value = CoreDataStore.Value(row, index + 1, column.type, isFlag: column.name == "ZCOMPLETED")
      if index > 0 { json.append(",") }
      json.appendJSONString(names[column.name] ?? column.name)
      json.append(":")
      let start = json.count
      json.append(value.json.span)
      columns.append((column.name, start..<json.count))
      texts[column.name] = value.text.map { String(decoding: $0, as: UTF8.self) }
      if row.storage(at: index + 1) == .integer { numbers[column.name] = row.integer(at: index + 1) }
      if !value.isSound {
        problem = .init(.chravelValue, "\(column.name) has a value of the wrong type", at: start..<json.count)
      }
    }
    json.append("}")
    let range = 0..<json.count
    let title = texts[kind == .message ? "ZCONTENT" : "ZTITLE"]
    var made: ChravelEntity?
    if problem == nil {
      if let id = texts["ZID"], let trip = texts["ZTRIPID"], let title {
        var found = ChravelEntity(kind, id: id, trip: trip, title: title, version: numbers["ZVERSION"] ?? 1)
        func time(_ name: String) -> Timestamp? { texts[name].flatMap { Timestamp.parse($0)?.0 } }
        found.author = texts["ZAUTHORNAME"]
        found.details = texts["ZDESCRIPTION"]
        found.location = texts["ZLOCATION"]
        (found.created, found.updated) = (time("ZCREATEDAT"), time("ZUPDATEDAT"))
        (found.start, found.end) = (time(kind == .task ? "ZDUEAT" : "ZSTARTTIME"), time("ZENDTIME"))
        found.isCompleted = numbers["ZCOMPLETED"] ?? 0 != 0
        found.isPending = texts["ZSYNCSTATUS"] == "pending"
        made = found
      } else {
        problem = .init(.chravelValue, "the row lacks its id, its trip or its text", at: range)
      }
    }
    return Found(
      table: entity.table, key: String(row.integer(at: 0)), columns: columns, range: range, entity: made,
      json: json.copy(range), problem: problem)
  }

  /// The model's attributes, by column.
  private static let names: [String: String] = {
    let names = [
      "id", "tripId", "content", "authorName", "createdAt", "updatedAt", "title", "description", "dueAt", "completed",
      "startTime", "endTime", "location", "syncStatus", "version",
    ]
    return Dictionary(names.map { ("Z" + $0.uppercased(), $0) }, uniquingKeysWith: { first, _ in first })
  }()

  var progress: (done: Int, total: Int?) { (done, rows.count + trips.count) }

  var origin: DraftOrigin {
    guard rows.indices.contains(row) else { return .file }
    return .row(table: rows[row].table, id: rows[row].key, columns: rows[row].columns)
  }

  func next() throws -> SourceDraft? {
    if waiting.isEmpty {
      defer { done += 1 }
      if done < trips.count {
        waiting = drafts.drafts(of: trips[done]).map { ($0, trips[done].row) }
      } else if done - trips.count < rows.count {
        waiting = [(draft(rows[done - trips.count]), done - trips.count)]
      } else {
        return nil
      }
    }
    let next = waiting.removeFirst()
    row = next.row
    return next.draft
  }

  private func draft(_ row: Found) -> SourceDraft {
    guard let entity = row.entity else {
      return .rejected(
        RejectedDraft(
          .foreign, title: "\(row.table) \(row.key)", json: row.json, problems: [row.problem].compactMap { $0 },
          range: row.range))
    }
    return drafts.foreign(ChravelObject(entity: entity, row: nil), row.range)
  }
}
