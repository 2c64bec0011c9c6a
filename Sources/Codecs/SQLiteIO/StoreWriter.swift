import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

extension DiagnosticCode {
  /// A record that cannot be stored in the app's store.
  package static let unfitValue = DiagnosticCode(
    "CDS0103", "unfit-value", .error, "A record cannot be stored in the app's store.",
    why: "a value does not match its column's type, or another record has the same id",
    fix: "correct the record in the rejects and fill an empty store again")
  /// Names the copy of the store that was made before filling it.
  package static let storeBackup = DiagnosticCode(
    "CDS0104", "store-backup", .note, "The store was copied before it was filled.",
    why: "no filled store has been tested on a device yet",
    fix: "keep the copy until the app has opened the filled store")
}

/// Fills an app's empty store with records. The format decides which row a record becomes.
///
/// - Source: formats/core-data.md, "Filling"
package final class StoreWriter: ContentWriter {
  /// An app with a store.
  package struct App: Sendable {
    /// The app's name in messages.
    package let name: String
    /// A phrase that describes the app's content.
    package let has: String
    /// The app's bundle identifier.
    package let bundle: String
    /// The entities of the app's store that must be empty before the store is filled.
    package let entities: [String]

    package init(name: String, has: String, bundle: String, entities: [String]) {
      (self.name, self.has, self.bundle, self.entities) = (name, has, bundle, entities)
    }
  }

  /// The result of converting a record.
  package enum Made {
    case row(Row)
    /// A record that was derived from another record and is written as part of that record.
    case derived
    /// A record of a kind that the app does not have.
    case nothing
  }

  /// The object to store as a row.
  package struct Row {
    package let entity: String
    /// The attributes as a JSON object.
    package let json: [UInt8]
    /// The columns whose names differ from their attributes' names.
    package var columns: [String: String]
    /// The path to the attributes in the record.
    package let path: String
    /// Returns the value of a column for which the object has no value.
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
  /// - Throws: `RunFailure` with status 64 without `--write-app-store`, or a failure of `CoreDataFiller`.
  package init(
    _ target: Target, of app: App, context: RunContext, make: @escaping (JSONNode, RecordKind) -> Made
  ) throws {
    guard target.fillsAppStore else {
      throw RunFailure(
        .usage, "write '\(target.path)': filling an app's store requires --write-app-store",
        advice: "Filled stores have not been tested on a device yet. Fill a copy, and keep the original.")
    }
    (self.app, self.target, self.context, self.make) = (app, target, context, make)
    filler = try CoreDataFiller(
      target.path, name: target.name, mustBeEmpty: app.entities, bundle: app.bundle, now: context.now)
    entities = Dictionary(filler.store.entities.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    guard let first = app.entities.first, entities[first] != nil else {
      throw RunFailure(
        .refused,
        "fill store '\(target.name)': it is not \(app.name)'s store, which has the entity "
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

  /// Writes a row. Attributes without a column are reported as losses.
  /// - Returns: the reason why the row was not written, or nil if it was.
  private func add(
    _ row: Row, to entity: CoreDataStore.Entity, _ record: Record, _ reason: SkipReason
  ) throws -> String? {
    tape.removeAll()
    var filling = try row.json.withUnsafeBufferPointer { json in
      guard let parse = try? tape.parse(json.span), let start = json.baseAddress else {
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
    if !ids.insert("\(row.entity) \(record.id)").inserted { return "a row with the same id was already written" }
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
        advice: "'fleetkit list' shows the records of the source.")
    }
    try filler.seal()
    guard !context.dryRun else { return }
    context.findings.report(
      Diagnostic(.storeBackup, "the original store was copied to '\(filler.backup)'", at: Place(file: target.name)))
  }

  package func finish() throws -> Int {
    try filler.commit()
    return FileRead.size(of: target.path) ?? 0
  }

  package func abort() { filler.discard() }
}
