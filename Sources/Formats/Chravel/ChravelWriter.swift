import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

extension DiagnosticCode {
  static let unfitObject = DiagnosticCode(
    "CHV0113", "unfit-object", .error, "A Chravel record cannot be written as a row of the browser's stores.",
    why: "a required attribute is missing or has the wrong type, or another record has the same key",
    fix: "correct it in the rejects and write the dump again")
}

/// Writes a dump of the browser's databases to a folder, in the format that Dexie exports and imports.
///
/// The folder gets its final name when all files are complete.
///
/// - Source: formats/chravel.md, "What is written"; dexie-export-import, "JSON format"
final class ChravelWriter: ContentWriter {
  private let context: RunContext
  private let folder: StagedFolder
  private var rows: [ChravelStore: LineSpool] = [:]
  private var keys: Set<ChravelID> = []
  private var size = 0

  /// A browser database with the schemas of its stores.
  private struct Database {
    let name: String
    /// The version in the export, which is a tenth of the browser's version number.
    let version: String
    let stores: [(store: ChravelStore, schema: String)]
  }

  private static let databases = [
    Database(
      name: "chravel-offline-sync", version: "0.2",
      stores: [
        (.syncQueue, "id,entityType,status,timestamp,tripId"), (.cache, "id,cachedAt,entityType,tripId"),
        (.tripOverview, "tripId,updatedAt"),
      ]),
    Database(name: "chravel-chat-db", version: "0.2", stores: [(.messages, "id,created_at,trip_id")]),
    Database(name: "chravel-offline-queue", version: "0.1", stores: [(.queue, "id,status,timestamp")]),
  ]

  init(_ target: Target, context: RunContext) throws {
    guard !target.isStandardOutput else {
      throw RunFailure(.usage, "a Chravel dump is a folder", advice: "Specify a folder, such as 'dump/'.")
    }
    self.context = context
    folder = try StagedFolder(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      switch record.withNode({ made(of: $0, record.kind) }) ?? .nothing {
      case .rows(let rows):
        for row in rows { try stage(row) }
        tally[record.kind].created += 1
      case .unfit(let message): try rejects.add(record, .unfitObject, message, &tally, context)
      case .derived: tally[record.kind].skipped[Self.reason, default: 0] += 1
      case .old: skip(record, .notInApp("Chravel in a browser", has: "rows of the last 30 days"), &tally)
      case .nothing: skip(record, Self.reason, &tally)
      }
    }
  }

  private static let reason = SkipReason.notInApp("Chravel in a browser", has: "rows of its databases")

  private func skip(_ record: Record, _ reason: SkipReason, _ tally: inout Tally) {
    context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason))
    tally[record.kind].skipped[reason, default: 0] += 1
  }

  // MARK: Rows

  /// The result of converting a record to rows.
  private enum Made {
    case rows([ChravelObject.StoredRow])
    case unfit(String)
    case derived
    /// The record is too old: the browser would delete it.
    case old
    case nothing
  }

  private func made(of record: JSONNode, _ kind: RecordKind) -> Made {
    guard case .foreign(let type, let node) = ChravelRecord(record, kind) else {
      if case .derived = ChravelRecord(record, kind) { return .derived }
      return .nothing
    }
    guard let raw = try? JSONDocument(parsing: Array(node.raw)).root else { return .unfit("the row is not JSON") }
    if let kind = ChravelEntity.Kind(rawValue: type) { return object(raw, kind) }
    guard let store = ChravelStore(rawValue: type) else { return .nothing }
    guard let key = raw[store == .tripOverview ? "tripId" : "id"]?.string else { return .unfit("the row has no key") }
    let time = store == .cache ? raw["cachedAt"]?.integer : store == .tripOverview ? raw["updatedAt"]?.integer : nil
    if let time, ChravelAge.isExpired(time, at: context.now) { return .old }
    return keyed([(.init(store: store, json: Array(node.raw)), key)])
  }

  private func object(_ raw: JSONValue, _ kind: ChravelEntity.Kind) -> Made {
    do throws(ChravelEntity.Problem) {
      let object = try ChravelObject(raw, kind)
      if object.entity.isOld(at: context.now), !object.entity.isPending { return .old }
      return keyed(object.rows(at: context.now).map { row in (row, "\(kind.type):\(object.entity.id)") })
    } catch {
      return .unfit(error.message)
    }
  }

  /// Returns the rows, or a problem if one of their keys is already used.
  private func keyed(_ rows: [(row: ChravelObject.StoredRow, key: String)]) -> Made {
    let new = Set(rows.map { ChravelID("\($0.row.store.rawValue) \($0.key)") })
    guard keys.isDisjoint(with: new) else { return .unfit("a row with the same key was already written") }
    keys.formUnion(new)
    return .rows(rows.map(\.row))
  }

  private func stage(_ row: ChravelObject.StoredRow) throws {
    if rows[row.store] == nil { rows[row.store] = try LineSpool() }
    try rows[row.store]?.append(row.json.span)
  }

  // MARK: Files

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard !rows.isEmpty else {
      throw RunFailure(
        .refused, "write a Chravel dump: the source has no Chravel records; nothing was written",
        advice: "'fleetkit list' shows the source's content.")
    }
    for database in Self.databases where database.stores.contains(where: { rows[$0.store] != nil }) {
      let file = try AtomicFile("\(folder.path)/\(database.name).json", overwrites: false)
      let sink = ByteSink(descriptor: file.descriptor, name: database.name)
      try write(database, to: sink)
      try sink.flush()
      size += try file.publish()
    }
  }

  private func write(_ database: Database, to sink: ByteSink) throws {
    let tables = database.stores.map { store, schema in
      "{\"name\":\"\(store.rawValue)\",\"schema\":\"\(schema)\",\"rowCount\":\(rows[store]?.count ?? 0)}"
    }
    try sink.write(
      "{\"formatName\":\"dexie\",\"formatVersion\":1,\"data\":{\"databaseName\":\"\(database.name)\","
        + "\"databaseVersion\":\(database.version),\"tables\":[\(tables.joined(separator: ","))],\"data\":[")
    for (index, store) in database.stores.enumerated() {
      try sink.write("\(index > 0 ? "," : ""){\"tableName\":\"\(store.store.rawValue)\",\"inbound\":true,\"rows\":[")
      guard let spool = rows[store.store] else {
        try sink.write("]}")
        continue
      }
      try spool.rewind()
      var isFirst = true
      while try spool.advance() {
        try Interruption.check()
        try sink.write(isFirst ? "\n" : ",\n")
        isFirst = false
        try sink.write(spool.line.span)
      }
      try sink.write("\n]}")
    }
    try sink.write("]}}\n")
  }

  func finish() throws -> Int {
    try folder.publish()
    return size
  }

  func abort() { folder.discard() }
}
