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
    "CHV0112", "store-value", .error, "A row of the store has a value that cannot be read.",
    why: "the row is damaged, or of a model that FleetKit does not know", fix: "read what can be read from the rejects")
  static let chravelUnfit = DiagnosticCode(
    "CHV0113", "unfit-value", .error, "A record does not fit into the app's store.",
    why: "a value is not of its column's type, or another record has the same id",
    fix: "correct it in the rejects and fill an empty store again")
  static let chravelBackup = DiagnosticCode(
    "CHV0114", "store-backup", .note, "The store was copied before it was filled.",
    why: "no device has confirmed what is written", fix: "keep the copy until the app has opened the filled store")

  static let chravelStore = [chravelValue, chravelUnfit, chravelBackup]
}

/// Chravel's store on the phone: Core Data with messages, tasks and events.
///
/// - Source: formats/chravel.md; formats/core-data.md
public struct ChravelStoreFormat: Format {
  /// Makes the format.
  public init() {}

  /// The entities of the model.
  static let entities = ChravelEntity.Kind.allCases.map(\.rawValue)

  /// Names and abilities.
  public var descriptor: FormatDescriptor {
    FormatDescriptor(
      .chravelStore, title: "Chravel on the phone", page: "chravel", extensions: ["chravelstore"],
      mediaType: "application/vnd.sqlite3", keeps: [.checklists, .guides, .ids, .charters, .executions, .foreign],
      writes: false, fills: true, differences: [.ownExtras, .requiredTimes], codes: DiagnosticCode.chravelStore)
  }

  /// By its entities.
  public func recognises(_ source: Source, head: [UInt8]) -> Bool {
    guard head.starts(with: Array("SQLite format 3\0".utf8)), CoreDataStore.isStore(source.path) else { return false }
    return Self.isStore(source.path, name: source.name)
  }

  private static func isStore(_ path: String, name: String) -> Bool {
    let names = Set(((try? CoreDataStore(path, name: name))?.entities ?? []).map(\.name))
    return names.isSuperset(of: entities)
  }

  /// The first bytes are those of every database.
  public func hasSignature(_ head: [UInt8]) -> Bool { false }

  /// A store that is there, whatever it is called.
  public func isNamed(by target: Target) -> Bool {
    if descriptor.extensions.contains(target.pathExtension) { return true }
    return target.fillsAppStore && CoreDataStore.isStore(target.path) && Self.isStore(target.path, name: target.path)
  }

  /// Opens a store; never changes it.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  public func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    guard !source.isStandardInput else {
      throw RunFailure(.usage, "a store cannot be read from standard input", advice: "Name the file.")
    }
    let now = context.now
    return try DraftReader(
      of: source, idScope: ["chravel"], traits: SourceTraits(), context: context, mentionsUnknown: false
    ) { _ in try ChravelStoreSource(source, now: now) }
  }

  /// Begins to fill an empty store, if that was asked for.
  /// - Throws: `RunFailure`: 64 without `--write-app-store`, 4 when there is no store or it is not empty.
  public func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    guard target.fillsAppStore else {
      throw RunFailure(
        .usage, "write '\(target.path)': the store of an app is only filled with --write-app-store",
        advice: "No device has confirmed this yet: fill a copy, and keep the original.")
    }
    return try ChravelStoreWriter(target, context: context)
  }
}

/// Makes drafts of the rows of a store: trips first, then every row as a foreign record.
private final class ChravelStoreSource: DraftSource {
  /// A row that is an object, or cannot be one.
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
  private var trips: [(trip: ChravelDrafts.Trip, row: Int)] = []
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
    for (number, row) in rows.enumerated() {
      guard let entity = row.entity else { continue }
      let index = trips.firstIndex { $0.trip.id == entity.trip }
      if index == nil { trips.append((ChravelDrafts.Trip(id: entity.trip, range: row.range), number)) }
      trips[index ?? trips.count - 1].trip.add(entity)
    }
    trips.sort { $0.trip.id < $1.trip.id }
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
      value.json.withUnsafeBufferPointer { json.append($0) }
      columns.append((column.name, start..<json.count))
      texts[column.name] = value.text.map { String(decoding: $0, as: UTF8.self) }
      if row.storage(at: index + 1) == .integer { numbers[column.name] = row.integer(at: index + 1) }
      if !value.isSound {
        problem = .init(.chravelValue, "\(column.name) has a value that is not of its type", at: start..<json.count)
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
        problem = .init(.chravelValue, "the row has no id, no trip or no text", at: range)
      }
    }
    return Found(
      table: entity.table, key: String(row.integer(at: 0)), columns: columns, range: range, entity: made,
      json: json.copy(range), problem: problem)
  }

  /// The attributes of the model by their columns.
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
        waiting = drafts.drafts(of: trips[done].trip).map { ($0, trips[done].row) }
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
    return drafts.foreign(
      entity.kind.rawValue, entity.id, ChravelDrafts.json(entity, row: nil), row.range)
  }
}

/// Fills an empty store of the app with messages, tasks and events.
///
/// - Source: formats/chravel.md, "Filling a store"
private final class ChravelStoreWriter: ContentWriter {
  private let context: RunContext
  private let target: Target
  private let filler: CoreDataFiller
  private let entities: [String: CoreDataStore.Entity]
  private var ids: Set<String> = []

  init(_ target: Target, context: RunContext) throws {
    self.context = context
    self.target = target
    filler = try CoreDataFiller(
      target.path, name: target.name, mustBeEmpty: ChravelStoreFormat.entities, bundle: "com.chravel.app",
      now: context.now)
    entities = Dictionary(filler.store.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard ChravelStoreFormat.entities.allSatisfy({ entities[$0] != nil }) else {
      throw RunFailure(
        .refused, "fill store '\(target.name)': it does not have the entities of Chravel's model; nothing was changed")
    }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    let reason = SkipReason.notInApp("Chravel's store", has: "messages, tasks and events")
    for record in batch.records {
      let found = record.withNode { node -> (entity: CoreDataStore.Entity, row: CoreDataFiller.Row)? in
        guard record.kind == .foreign, node.member("system")?.equals("chravel") == true,
          let entity = node.member("type")?.string.flatMap({ entities[$0] }), let raw = node.member("raw"),
          raw.kind == .object
        else { return nil }
        return (entity, CoreDataFiller.row(of: raw, in: entity))
      }.flatMap { $0 }
      guard let (entity, row) = found else {
        // What was made of a trip's rows is written as those rows.
        let isDerived = record.withNode { $0.member("extras")?.member("chravel") != nil } ?? false
        if !isDerived { context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason)) }
        tally[record.kind].skipped[reason, default: 0] += 1
        continue
      }
      for attribute in row.left {
        context.losses.record(record.kind, id: record.id, field: "/raw/\(attribute)", reason: .skipped(reason))
      }
      let isNew = ids.insert(record.id).inserted
      guard let problem = row.problem ?? (isNew ? nil : "a row with its id was written before") else {
        try filler.insert(row.cells, into: entity)
        tally[record.kind].created += 1
        continue
      }
      try reject(record, problem, &tally, rejects)
    }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard tally[.foreign].created > 0 else {
      throw RunFailure(
        .refused, "fill store '\(target.name)': there is nothing to write; nothing was changed",
        advice: "'fleetkit list' shows what the source holds.")
    }
    try filler.seal()
    if !context.dryRun {
      context.findings.report(
        Diagnostic(.chravelBackup, "the store from before is in '\(filler.backup)'", at: Place(file: target.name)))
    }
  }

  func finish() throws -> Int {
    try filler.commit()
    return ((try? FileManager.default.attributesOfItem(atPath: target.path))?[.size] as? Int) ?? 0
  }

  func abort() { filler.discard() }

  private func reject(
    _ record: Record, _ problem: String, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    let place = record.place()
    context.findings.report(
      Diagnostic(.chravelUnfit, problem, at: place, record: "\(record.kind) \(record.id)", title: record.title))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(problem); nothing was changed") }
    tally[record.kind].rejected += 1
    try rejects.add(
      RejectedRecord(
        record, place: place.description,
        reasons: [RejectReason(code: DiagnosticCode.chravelUnfit.id, message: problem, place: place.description)]))
  }
}
