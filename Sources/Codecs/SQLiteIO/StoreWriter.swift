import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

extension DiagnosticCode {
  /// A record that a store has no room for.
  package static let unfitValue = DiagnosticCode(
    "CDS0103", "unfit-value", .error, "A record does not fit into the app's store.",
    why: "a value is not of its column's type, or another record has the same id",
    fix: "correct it in the rejects and fill an empty store again")
  /// Where the store from before is.
  package static let storeBackup = DiagnosticCode(
    "CDS0104", "store-backup", .note, "The store was copied before it was filled.",
    why: "no device has confirmed what is written", fix: "keep the copy until the app has opened the filled store")
}

/// Fills an empty store of an app with records. What a record becomes is the format's decision.
///
/// - Source: formats/core-data.md, "Filling"
package final class StoreWriter: ContentWriter {
  /// The app that a store is of.
  package struct App: Sendable {
    /// What messages call it.
    package let name: String
    /// What it has, in words.
    package let has: String
    /// Its bundle identifier.
    package let bundle: String
    /// The entities that a store of it has, and which have no rows before it is filled.
    package let entities: [String]

    package init(name: String, has: String, bundle: String, entities: [String]) {
      (self.name, self.has, self.bundle, self.entities) = (name, has, bundle, entities)
    }
  }

  /// What becomes of a record.
  package enum Made {
    case row(Row)
    /// What was made of another record, which is written as that.
    case derived
    /// The app has nothing of the kind.
    case nothing
  }

  /// An object that becomes a row.
  package struct Row {
    package let entity: String
    /// The attributes as a JSON object.
    package let json: [UInt8]
    /// Columns that are not called as their attributes.
    package var columns: [String: String]
    /// Where the record has the attributes.
    package let path: String
    /// What a column gets that the object has nothing for.
    package var missing: (String) -> CoreDataFiller.Cell?

    package init(
      _ entity: String, _ json: [UInt8], at path: String, columns: [String: String] = [:],
      missing: @escaping (String) -> CoreDataFiller.Cell? = { _ in nil }
    ) {
      (self.entity, self.json, self.path, self.columns, self.missing) = (entity, json, path, columns, missing)
    }
  }

  private let app: App
  private let target: Target
  private let context: RunContext
  private let make: (JSONNode, RecordKind) -> Made
  private let filler: CoreDataFiller
  private let entities: [String: CoreDataStore.Entity]
  private var tape = JSONTape(capacity: 1024)
  private var ids: Set<String> = []
  private var rows = 0

  /// Locks a store and copies it.
  /// - Throws: `RunFailure`: 64 without `--write-app-store`, else as `CoreDataFiller`.
  package init(
    _ target: Target, of app: App, context: RunContext, make: @escaping (JSONNode, RecordKind) -> Made
  ) throws {
    guard target.fillsAppStore else {
      throw RunFailure(
        .usage, "write '\(target.path)': the store of an app is only filled with --write-app-store",
        advice: "No device has confirmed this yet: fill a copy, and keep the original.")
    }
    (self.app, self.target, self.context, self.make) = (app, target, context, make)
    filler = try CoreDataFiller(
      target.path, name: target.name, mustBeEmpty: app.entities, bundle: app.bundle, now: context.now)
    entities = Dictionary(filler.store.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard let first = app.entities.first, entities[first] != nil else {
      throw RunFailure(
        .refused,
        "fill store '\(target.name)': it is not \(app.name)'s, which has the entity "
          + "'\(app.entities.first ?? "")'; nothing was changed")
    }
  }

  package func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    let reason = SkipReason.notInApp(app.name, has: app.has)
    for record in batch.records {
      let made = record.withNode { make($0, record.kind) } ?? .nothing
      guard case .row(let row) = made, let entity = entities[row.entity] else {
        if case .derived = made {
        } else {
          context.losses.record(record.kind, id: record.id, field: "", reason: .skipped(reason))
        }
        tally[record.kind].skipped[reason, default: 0] += 1
        continue
      }
      guard let problem = try add(row, to: entity, record, reason) else {
        rows += 1
        tally[record.kind].created += 1
        continue
      }
      try rejects.add(record, .unfitValue, problem, &tally, context)
    }
  }

  /// Writes a row; attributes without a column are losses.
  /// - Returns: why it was not written; nil if it was.
  private func add(
    _ row: Row, to entity: CoreDataStore.Entity, _ record: Record, _ reason: SkipReason
  ) throws -> String? {
    tape.removeAll()
    var filling = try row.json.withUnsafeBufferPointer { json in
      guard let parse = try? tape.parse(json), let start = json.baseAddress else {
        throw RunFailure(.internalError, "a row is not JSON", advice: "Please report this.")
      }
      return CoreDataFiller.row(
        of: JSONNode(text: start, tokens: tape.tokens, index: parse.root), in: entity, row.columns)
    }
    for attribute in filling.left {
      context.losses.record(
        record.kind, id: record.id, field: "\(row.path)/\(attribute)", reason: .skipped(reason))
    }
    if let problem = filling.problem { return problem }
    if !ids.insert("\(row.entity) \(record.id)").inserted { return "a row with its id was written before" }
    for (index, column) in entity.columns.enumerated() where !filling.filled.contains(index) {
      if let cell = row.missing(column.name) { filling.cells[index] = cell }
    }
    try filler.insert(filling.cells, into: entity)
    return nil
  }

  package func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard rows > 0 else {
      throw RunFailure(
        .refused, "fill store '\(target.name)': there is nothing to write; nothing was changed",
        advice: "'fleetkit list' shows what the source holds.")
    }
    try filler.seal()
    guard !context.dryRun else { return }
    context.findings.report(
      Diagnostic(.storeBackup, "the store from before is in '\(filler.backup)'", at: Place(file: target.name)))
  }

  package func finish() throws -> Int {
    try filler.commit()
    return FileRead.size(of: target.path) ?? 0
  }

  package func abort() { filler.discard() }
}
