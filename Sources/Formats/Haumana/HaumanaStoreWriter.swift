import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Fills an empty store of the app with guides as pieces, practice sessions, users and the queue.
///
/// - Source: formats/haumana.md, "Filling a store"
final class HaumanaStoreWriter: ContentWriter {
  private let context: RunContext
  private let target: Target
  private let filler: CoreDataFiller
  private let entities: [String: CoreDataStore.Entity]
  private var tape = JSONTape(capacity: 1024)
  private var ids: Set<String> = []
  private var rows = 0

  init(_ target: Target, context: RunContext) throws {
    self.context = context
    self.target = target
    filler = try CoreDataFiller(
      target.path, name: target.name, mustBeEmpty: HaumanaStoreFormat.entities, bundle: "app.haumana",
      now: context.now)
    entities = Dictionary(filler.store.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard entities["Piece"] != nil else {
      throw RunFailure(
        .refused, "fill store '\(target.name)': it has no entity 'Piece', so it is not Haumana's; nothing was changed")
    }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      let made = try record.withNode { try row(of: $0, record) }.flatMap { $0 }
      switch made {
      case .row(let entity, let cells):
        try filler.insert(cells, into: entity)
        rows += 1
        tally[record.kind].created += 1
      case .wrong(let problem): try reject(record, problem, &tally, rejects)
      case .deck, nil:
        let reason = SkipReason.notInApp("Haumana", has: "texts to practise and practice sessions")
        if made == nil { context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason)) }
        tally[record.kind].skipped[reason, default: 0] += 1
      }
    }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard rows > 0 else {
      throw RunFailure(
        .refused, "fill store '\(target.name)': there is nothing to write; nothing was changed",
        advice: "'fleetkit list' shows what the source holds.")
    }
    try filler.seal()
    if !context.dryRun {
      context.findings.report(
        Diagnostic(.storeBackup, "the store from before is in '\(filler.backup)'", at: Place(file: target.name)))
    }
  }

  func finish() throws -> Int {
    try filler.commit()
    return ((try? FileManager.default.attributesOfItem(atPath: target.path))?[.size] as? Int) ?? 0
  }

  func abort() { filler.discard() }

  // MARK: Rows

  /// What becomes of a record.
  private enum Made {
    case row(CoreDataStore.Entity, [CoreDataFiller.Cell])
    case wrong(String)
    /// A deck that was made of a piece is that piece.
    case deck
  }

  /// The row of a record; nil if the app has nothing of the kind.
  private func row(of record: JSONNode, _ source: Record) throws -> Made? {
    switch source.kind {
    case .item where record.member("content_type")?.equals("practice_guide") == true:
      let piece = HaumanaPiece(record)
      piece.reportLosses(record, to: context.losses)
      var json = ByteBuffer(capacity: 4096)
      piece.write(into: &json)
      let isOwn = record.member("extras")?.member("haumana") != nil
      return try row(json.bytes, in: "Piece", Self.pieceColumns, of: source, under: "/extras/haumana") { column in
        switch column {
        case "ZISFAVORITE": .integer(0)
        case "ZINCLUDEINPRACTICE", "ZVERSION": .integer(1)
        case "ZLOCALLYMODIFIED": .integer(isOwn ? 0 : 1)
        case "ZCREATEDAT", "ZUPDATEDAT": .real(CoreDataStore.seconds(self.context.now))
        case "ZUSERID" where !isOwn: self.context.reading.user.map { .text(Array($0.utf8)) }
        default: nil
        }
      }
    case .item: return HaumanaWriter.isDeckOfPiece(record) ? .deck : nil
    case .practiceSession:
      var json = ByteBuffer(capacity: 512)
      HaumanaSession.write(record, into: &json)
      return try row(json.bytes, in: "PracticeSession", Self.sessionColumns, of: source, under: "/raw")
    case .foreign:
      guard record.member("system")?.equals("haumana") == true, let type = record.member("type")?.string,
        let raw = record.member("raw"), raw.kind == .object
      else { return nil }
      let entity = Self.foreignEntities[type] ?? type
      guard entities[entity] != nil else { return nil }
      return try row(raw.raw, in: entity, Self.userColumns, of: source, under: "/raw")
    default: return nil
    }
  }

  /// Attributes whose columns have other names.
  private static let pieceColumns = ["pieceId": "ZID", "modifiedAt": "ZUPDATEDAT"]
  private static let sessionColumns = ["sessionId": "ZID", "startedAt": "ZSTARTTIME", "endedAt": "ZENDTIME"]
  private static let userColumns = ["userId": "ZID"]
  private static let foreignEntities = ["user": "User", "sync_queue_item": "SyncQueueItem"]

  /// Makes a row of attributes; those without a column are losses.
  /// - Parameter missing: what a column gets that the record has nothing for.
  private func row(
    _ json: UnsafeBufferPointer<UInt8>, in name: String, _ columns: [String: String], of record: Record,
    under path: String, missing: (String) -> CoreDataFiller.Cell? = { _ in nil }
  ) throws -> Made? {
    guard let entity = entities[name] else { return nil }
    tape.removeAll()
    guard let parse = try? tape.parse(json), let start = json.baseAddress else {
      throw RunFailure(.internalError, "a row is not JSON", advice: "Please report this.")
    }
    var row = CoreDataFiller.row(
      of: JSONNode(text: start, tokens: tape.tokens, index: parse.root), in: entity, columns)
    for attribute in row.left {
      context.losses.record(
        record.kind, id: record.id, field: "\(path)/\(attribute)",
        reason: .skipped(.notInApp("Haumana's store", has: "no column for it")))
    }
    if let problem = row.problem { return .wrong(problem) }
    if !ids.insert("\(name) \(record.id)").inserted { return .wrong("a row with its id was written before") }
    for (index, column) in entity.columns.enumerated() where !row.filled.contains(index) {
      if let cell = missing(column.name) { row.cells[index] = cell }
    }
    return .row(entity, row.cells)
  }

  private func reject(
    _ record: Record, _ problem: String, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    let place = record.place()
    context.findings.report(
      Diagnostic(
        .unfitValue, problem, at: place, record: "\(record.kind) \(record.id)", title: record.title))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(problem); nothing was changed") }
    tally[record.kind].rejected += 1
    try rejects.add(
      RejectedRecord(
        record, place: place.description,
        reasons: [RejectReason(code: DiagnosticCode.unfitValue.id, message: problem, place: place.description)]))
  }
}
