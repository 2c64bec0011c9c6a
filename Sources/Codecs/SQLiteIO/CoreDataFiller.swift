import Content
import Foundation
import Interchange
import JSONText

/// Fills an empty Core Data or SwiftData store in one transaction. The filler writes the rows, the largest keys in
/// `Z_PRIMARYKEY`, and one transaction in the change history. `Z_METADATA` and `Z_MODELCACHE` stay as the app wrote
/// them.
///
/// FleetKit cannot create a store, because only the app has the hashes of its model. One thread uses the filler and
/// ends with either `commit` or `discard`. If the process is killed, the store is unchanged.
///
/// - Source: formats/core-data.md, "Filling"
package final class CoreDataFiller {
  /// The store, inside the transaction.
  package let store: CoreDataStore
  /// The path of the copy that was made before filling.
  package let backup: String

  private let connection: SQLiteConnection
  private let now: Timestamp
  private let bundle: String
  private var tables: [String: Filling] = [:]
  private var isOpen = true

  /// The rows of an entity that are written.
  private struct Filling {
    let entity: CoreDataStore.Entity
    let statement: SQLiteStatement
    let first: Int64
    var next: Int64
  }

  /// Locks a store, makes sure that it is empty, and copies it to `PATH.TIME-fill.backup`.
  /// - Parameters:
  ///   - mustBeEmpty: the entities that must not have rows.
  ///   - bundle: the app's bundle identifier for the change history.
  ///   - now: the time of the run.
  /// - Throws: `RunFailure` with status 2 if the store cannot be written, 7 if another process has locked it, 4 if it
  ///   does not exist, has rows, or is mirrored by CloudKit. The store is then unchanged.
  package init(_ path: String, name: String, mustBeEmpty: [String], bundle: String, now: Timestamp) throws {
    (self.now, self.bundle) = (now, bundle)
    guard access(path, F_OK) == 0 else {
      throw RunFailure(
        .refused, "fill store '\(name)': there is no such file, and only the app can make a new store",
        advice: "Start the app once and copy its empty store.")
    }
    do {
      connection = try SQLiteConnection(path, .write, .foreign)
      try connection.execute("BEGIN IMMEDIATE", as: "lock the store")
      store = try CoreDataStore(connection, name: name)
      if store.isMirrored {
        throw RunFailure(
          .refused,
          "fill store '\(name)': CloudKit mirrors it and would not notice the new rows; nothing was changed",
          advice: "Import into the app itself, which notifies CloudKit.")
      }
      for entity in store.entities where mustBeEmpty.contains(entity.name) {
        let rows = store.count(of: entity)
        guard rows == 0 else {
          throw RunFailure(
            .refused,
            "fill store '\(name)': \(entity.table) has \(rows) row\(rows == 1 ? "" : "s"); only an empty store is filled",
            advice: "Use the store of an app that was just installed.")
        }
      }
      backup = try Self.copy(path, now)
    } catch let error as SQLiteError {
      throw Self.failure(error, name)
    }
  }

  deinit { discard() }

  /// Copies the store's content on disk, including its write-ahead log.
  private static func copy(_ path: String, _ now: Timestamp) throws -> String {
    let time = now.iso8601.filter { $0 != "-" && $0 != ":" && $0 != "." }
    let file = try AtomicFile("\(path).\(time)-fill.backup", overwrites: false)
    do {
      let target = try SQLiteConnection(file.temporary, .create, .own)
      try target.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
      try SQLiteBackup.copy(from: SQLiteConnection(path, .read, .foreign), into: target)
      target.close()
    } catch {
      file.discard()
      throw error
    }
    file.makePrivate()
    try file.publish()
    return file.target
  }

  /// Creates the failure for a store that cannot be filled.
  package static func failure(_ error: SQLiteError, _ name: String) -> RunFailure {
    RunFailure(
      error.isBusy ? .locked : .failed, "fill store '\(name)': \(error.message); nothing was changed",
      advice: error.isBusy
        ? "Close the app."
        : error.isFull ? "Free some space and run the command again." : "Check the file and its folder.")
  }

  // MARK: Rows

  /// A value to be written to a column.
  package enum Cell: Sendable {
    case null
    case integer(Int64)
    case real(Double)
    case text([UInt8])
    case bytes([UInt8])

    /// Creates a column's value from JSON. This is the inverse of `CoreDataStore.Value`.
    /// - Returns: nil if the value does not match the column's type.
    package init?(_ value: JSONNode, as type: String) {
      switch value.kind {
      case .null: self = .null
      case .true, .false:
        guard type.hasPrefix("INTEGER") else { return nil }
        self = .integer(value.kind == .true ? 1 : 0)
      case .number where type.hasPrefix("INTEGER"):
        guard let number = value.integer else { return nil }
        self = .integer(number)
      case .number:
        guard type.hasPrefix("FLOAT") || type.hasPrefix("DECIMAL"), let number = value.double else { return nil }
        self = .real(number)
      case .string:
        guard let text = value.string else { return nil }
        if type.hasPrefix("TIMESTAMP") {
          guard let (time, _) = Timestamp.parse(text) else { return nil }
          self = .real(CoreDataStore.seconds(time))
        } else if type.hasPrefix("BLOB") {
          guard let bytes = Self.uuid(text) ?? Data(base64Encoded: text).map(Array.init) else { return nil }
          self = .bytes(bytes)
        } else {
          guard type.hasPrefix("VARCHAR") || type.isEmpty else { return nil }
          self = .text(Array(text.utf8))
        }
      default: return nil
      }
    }

    private static func uuid(_ text: String) -> [UInt8]? {
      UUIDBits(text.utf8.span)?.bytes
    }
  }

  /// The cells of a row, made from the attributes of an object.
  package struct Row {
    package var cells: [Cell]
    /// The columns for which the object has a value.
    package var filled: Set<Int> = []
    /// The attributes without a column.
    package var left: [String] = []
    /// The reason why the object cannot be stored; nil if it can.
    package var problem: String?
  }

  /// Creates a row from an object.
  /// - Parameter columns: the columns whose names differ from their attributes' names.
  package static func row(
    of object: JSONNode, in entity: CoreDataStore.Entity, _ columns: [String: String] = [:]
  ) -> Row {
    var row = Row(cells: Array(repeating: .null, count: entity.columns.count))
    object.forEachMember { key, value in
      let attribute = key.string ?? ""
      let own = "Z" + attribute.uppercased()
      let column = entity.columns.contains { $0.name == own } ? own : columns[attribute] ?? own
      if value.isNull { return }
      guard let index = entity.columns.firstIndex(where: { $0.name == column }) else {
        row.left.append(attribute)
        return
      }
      guard row.filled.insert(index).inserted else { return }
      let type = entity.columns[index].type
      guard let cell = Cell(value, as: type),
        column != "ZID" || type != "BLOB" || CanonicalUUID.form(of: value.string ?? "") != .none
      else {
        row.problem = row.problem ?? "'\(attribute)' does not match the type of the column \(column) (\(type))"
        return
      }
      row.cells[index] = cell
    }
    return row
  }

  /// Adds a row.
  /// - Parameter cells: one cell for each column of the entity.
  /// - Throws: `RunFailure` with status 2 if the row cannot be stored.
  package func insert(_ cells: [Cell], into entity: CoreDataStore.Entity) throws {
    do throws(SQLiteError) {
      var filling: Filling
      if let known = tables[entity.name] { filling = known } else { filling = try begin(entity) }
      filling.statement.bind(filling.next, at: 1)
      filling.statement.bind(entity.number, at: 2)
      for (index, cell) in cells.enumerated() {
        switch cell {
        case .null: filling.statement.bindNull(at: index + 3)
        case .integer(let number): filling.statement.bind(number, at: index + 3)
        case .real(let number): filling.statement.bind(number, at: index + 3)
        case .text(let text): filling.statement.bind(utf8: text, at: index + 3)
        case .bytes(let bytes): filling.statement.bind(blob: bytes, at: index + 3)
        }
      }
      try filling.statement.run()
      filling.next += 1
      tables[entity.name] = filling
    } catch {
      throw Self.failure(error, store.name)
    }
  }

  private func begin(_ entity: CoreDataStore.Entity) throws(SQLiteError) -> Filling {
    let columns = ["Z_PK", "Z_ENT"] + entity.columns.map(\.name) + ["Z_OPT"]
    let values = Array(repeating: "?", count: columns.count - 1) + ["1"]
    let statement = try connection.prepare(
      "INSERT INTO \(CoreDataStore.quoted(entity.table)) "
        + "(\(columns.map { CoreDataStore.quoted($0) }.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))",
      as: "write \(entity.table)")
    let next = try next(in: entity.table, of: entity.name)
    return Filling(entity: entity, statement: statement, first: next, next: next)
  }

  /// Returns the key of the next row. Keys of deleted rows are not reused.
  private func next(in table: String, of name: String) throws(SQLiteError) -> Int64 {
    let last = try connection.number("SELECT max(Z_PK) FROM \(CoreDataStore.quoted(table))")
    let most = try connection.number("SELECT max(Z_MAX) FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [name])
    return max(last, most, 0) + 1
  }

  // MARK: The end

  /// Writes the largest keys and the change history. Afterwards, only `commit` or `discard` may be called.
  /// - Throws: `RunFailure` with status 2.
  package func seal() throws {
    do throws(SQLiteError) {
      let fillings = tables.values.sorted { $0.entity.number < $1.entity.number }
      tables = [:]
      try writeHistory(fillings)
      for filling in fillings { try raise(filling.entity.name, to: filling.next - 1) }
    } catch {
      throw Self.failure(error, store.name)
    }
  }

  private func raise(_ name: String, to key: Int64) throws(SQLiteError) {
    _ = try connection.rows("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_NAME = ?", [name])
  }

  /// Adds a transaction with an insertion for every row to the change history, if the store has one.
  private func writeHistory(_ fillings: [Filling]) throws(SQLiteError) {
    guard !fillings.isEmpty, let columns = store.tables["ATRANSACTION"], store.tables["ACHANGE"] != nil else { return }
    let transaction = try row(of: "TRANSACTION", 16002)
    var names = ["Z_PK", "Z_ENT", "ZTIMESTAMP"]
    var values = ["\(transaction.key)", "\(transaction.entity)", "\(CoreDataStore.seconds(now))"]
    for (name, text) in [("AUTHOR", "fleetkit"), ("BUNDLEID", bundle), ("PROCESSID", "fleetkit")] {
      if columns.contains("Z\(name)TS"), store.tables["ATRANSACTIONSTRING"] != nil {
        names.append("Z\(name)TS")
        values.append("\(try string(text))")
      } else if columns.contains("Z\(name)") {
        names.append("Z\(name)")
        values.append("'\(text)'")
      }
    }
    try connection.execute(
      "INSERT INTO ATRANSACTION (\(names.joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))",
      as: "write ATRANSACTION")
    let first = try row(of: "CHANGE", 16001)
    var key = first.key
    let statement = try connection.prepare(
      "INSERT INTO ACHANGE (Z_PK, Z_ENT, ZCHANGETYPE, ZENTITY, ZENTITYPK, ZTRANSACTIONID) VALUES (?, ?, 0, ?, ?, ?)",
      as: "write ACHANGE")
    for filling in fillings {
      for row in filling.first..<filling.next {
        for (index, value) in [key, first.entity, filling.entity.number, row, transaction.key].enumerated() {
          statement.bind(value, at: index + 1)
        }
        try statement.run()
        key += 1
      }
    }
    try raise("CHANGE", to: key - 1)
    try raise("TRANSACTION", to: transaction.key)
  }

  /// Returns the next key of a history table, and the table's number in `Z_ENT`. In the store of an app that was just
  /// installed, `Z_PRIMARYKEY` lacks these entities.
  private func row(of name: String, _ number: Int64) throws(SQLiteError) -> (key: Int64, entity: Int64) {
    var entity = try connection.number("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = ?", [name])
    if entity == 0 {
      entity = number
      try connection.execute(
        "INSERT INTO Z_PRIMARYKEY (Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES (\(number), '\(name)', 0, 0)",
        as: "write Z_PRIMARYKEY")
    }
    return (try next(in: "A" + name, of: name), entity)
  }

  /// Returns the key of a string in the change history.
  private func string(_ text: String) throws(SQLiteError) -> Int64 {
    let known = try connection.number("SELECT Z_PK FROM ATRANSACTIONSTRING WHERE ZNAME = ?", [text])
    if known > 0 { return known }
    let new = try row(of: "TRANSACTIONSTRING", 16003)
    _ = try connection.rows(
      "INSERT INTO ATRANSACTIONSTRING (Z_PK, Z_ENT, ZNAME) VALUES (\(new.key), \(new.entity), ?)", [text])
    try raise("TRANSACTIONSTRING", to: new.key)
    return new.key
  }

  /// Commits all changes.
  /// - Throws: `RunFailure` with status 2; the store is then unchanged.
  package func commit() throws {
    do {
      try connection.execute("COMMIT", as: "complete the store")
    } catch {
      throw Self.failure(error, store.name)
    }
    isOpen = false
    connection.close()
  }

  /// Undoes all changes and removes the backup.
  package func discard() {
    guard isOpen else { return }
    isOpen = false
    tables = [:]
    try? connection.execute("ROLLBACK")
    connection.close()
    unlink(backup)
  }
}
