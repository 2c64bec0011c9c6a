import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// The journal of a run's changes, row by row, from which the changes can be undone: `<sidecar>/undo/<run>.journal`.
///
/// The file begins with a header of eight bytes. Blocks of entries follow, each a Zstandard frame that is preceded by
/// its length. The file ends with the index of blocks and tables, compressed in the same way, and the offset of the
/// index. Entries are read backwards, one block at a time.
/// - Source: formats/sqlite-library.md, "The sidecar folder"
package enum UndoJournal {
  /// The number of journals that are kept.
  package static let kept = 20

  static let magic: StaticString = "FKUNDO1\n"
  static let end: StaticString = "FKUNDOE\n"
  /// The number of entry bytes at which a block is compressed.
  static let blockSize = 256 << 10

  /// Returns the name of a run's journal file in the `undo` folder.
  static func name(of run: Int64) -> String { "\(run).journal" }

  /// Returns the name of the folder with the attachment files that an undo moved away.
  static func mediaName(of run: Int64) -> String { "\(run).media" }

  /// Whether a run has a journal.
  package static func isThere(_ run: StateStore.Run, in sidecar: SidecarFolder) throws -> Bool {
    try sidecar.part(.undo)?.entry(name(of: run.id)) == .file
  }

  /// Removes all but the newest journals.
  package static func rotate(_ sidecar: Sidecar) {
    guard let folder = try? sidecar.folder.part(.undo) else { return }
    let names = folder.names
    let runs = Set(names.filter { $0.hasSuffix(".journal") }.compactMap { number($0) }).sorted()
    let gone = Set(runs.dropLast(kept))
    for name in names {
      guard let run = number(name), gone.contains(run) || !runs.contains(run) else { continue }
      folder.remove(name)
    }
  }

  private static func number(_ name: String) -> Int64? {
    let parts = name.split(separator: ".")
    guard parts.count == 2, parts[1] == "journal" || parts[1] == "media" else { return nil }
    return Int64(parts[0])
  }

  /// Removes the journal of a run that changed nothing.
  package static func remove(_ run: Int64, from sidecar: SidecarFolder) {
    guard let folder = try? sidecar.part(.undo) else { return }
    folder.remove(name(of: run))
    folder.remove(mediaName(of: run))
  }
}

/// A table whose rows are recorded in a journal.
package struct JournalTable: Sendable, Equatable {
  /// The table's name.
  package let name: String
  /// Whether the table is in the sidecar's store.
  package let isBeside: Bool
  /// The table's columns, in order. For a table in the store, only the relevant columns are listed.
  package let columns: [String]
  /// The columns that identify a row; empty if only the row's number identifies it.
  package let keys: [Int]
  /// Whether the table's rows have numbers.
  package let hasRows: Bool

  init(name: String, isBeside: Bool = false, columns: [String], keys: [Int], hasRows: Bool) {
    self.name = name
    self.isBeside = isBeside
    self.columns = columns
    self.keys = keys
    self.hasRows = hasRows
  }

  /// Describes a library table in its current form; returns nil if the table does not exist.
  init?(_ name: String, in connection: SQLiteConnection) throws(SQLiteError) {
    let rows = try connection.rows("SELECT name, pk, type FROM pragma_table_info(?) ORDER BY cid", [name])
    guard !rows.isEmpty else { return nil }
    let keys = rows.indices.filter { rows[$0][1] != "0" }
    let isPlain =
      try connection.rows(
        "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND name = ?", [name]
      ).first?[0] != "1"
    // An integer primary key is identical to the row's number.
    let isRow = isPlain && keys.count == 1 && (rows[keys[0]][2] ?? "").uppercased() == "INTEGER"
    self.init(name: name, columns: rows.map { $0[0] ?? "" }, keys: isRow ? [] : keys, hasRows: isPlain)
  }

  /// Returns a name quoted for SQL.
  static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }
  var sql: String { Self.quoted(name) }
  var columnList: String { columns.map(Self.quoted).joined(separator: ", ") }

  /// The store's tables that journals record. Key columns come first.
  static let ledger = JournalTable(
    name: "ledger", isBeside: true, columns: ["source", "kind", "id", "file", "target", "hash", "run", "base"],
    keys: [0, 1, 2, 3], hasRows: false)
  static let records = JournalTable(
    name: "records", isBeside: true, columns: ["kind", "id", "line"], keys: [0, 1], hasRows: false)
  static let packs = JournalTable(
    name: "packs", isBeside: true, columns: ["name", "version", "sha256", "key"], keys: [0], hasRows: false)
  static let sources = JournalTable(
    name: "sources", isBeside: true, columns: ["id", "name"], keys: [0], hasRows: false)
  static let files = JournalTable(
    name: "files", isBeside: true, columns: ["id", "source", "path"], keys: [0], hasRows: false)
  static let publications = JournalTable(
    name: "publications", isBeside: true, columns: ["content_id", "public_id", "registry_id", "digest", "synced_at"],
    keys: [0], hasRows: false)
  static let beside = [ledger, records, packs, sources, files, publications]

  /// Whether a column shows if a row is still as the run left it. The ledger's column for the location of the base text
  /// does not show this, because cleaning up may move base texts.
  func counts(_ column: Int) -> Bool { self != Self.ledger || column != 7 }
}

/// A column value and its type, as stored in a journal.
package enum JournalValue: Sendable, Equatable {
  case null
  case integer(Int64)
  case real(Double)
  case text([UInt8])
  case blob([UInt8])

  /// Creates a value from a Swift string; nil becomes NULL.
  package init(_ text: String?) { self = text.map { .text(Array($0.utf8)) } ?? .null }

  /// Copies a value that SQLite owns.
  package init(_ value: RowValue?) {
    switch value?.storage ?? .null {
    case .null: self = .null
    case .integer: self = .integer(value?.integer ?? 0)
    case .real: self = .real(value?.real ?? 0)
    case .text: self = .text(value.map { Array($0.text) } ?? [])
    case .blob: self = .blob(value.map { Array($0.blob) } ?? [])
    }
  }

  /// The value as human-readable text.
  package var string: String {
    switch self {
    case .null: ""
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .text(let bytes), .blob(let bytes): String(decoding: bytes, as: UTF8.self)
    }
  }

  /// Binds the value to a parameter. Parameters are numbered from 1.
  package func bind(to statement: SQLiteStatement, at index: Int) {
    switch self {
    case .null: statement.bindNull(at: index)
    case .integer(let number): statement.bind(number, at: index)
    case .real(let number): statement.bind(number, at: index)
    case .text(let bytes): statement.bind(utf8: bytes, at: index)
    case .blob(let bytes): statement.bind(blob: bytes, at: index)
    }
  }

  /// Appends the value in the journal's encoding: one byte for the type, then the number, or the length and the bytes.
  func write(to out: inout ByteBuffer) {
    switch self {
    case .null: out.append(0)
    case .integer(let number):
      out.append(1)
      out.append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real(let number):
      out.append(2)
      out.append(fixed: number.bitPattern)
    case .text(let bytes):
      out.append(3)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes.span)
    case .blob(let bytes):
      out.append(4)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes.span)
    }
  }

  /// Appends a value that SQLite owns, without an intermediate copy.
  @inline(__always)
  static func write(_ value: RowValue?, to out: inout ByteBuffer) {
    guard let value else { return out.append(0) }
    switch value.storage {
    case .null: out.append(0)
    case .integer:
      let number = value.integer
      out.append(1)
      out.append(varint: UInt64(bitPattern: number << 1 ^ number >> 63))
    case .real:
      out.append(2)
      out.append(fixed: value.real.bitPattern)
    case .text:
      let bytes = value.text
      out.append(3)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes.span)
    case .blob:
      let bytes = value.blob
      out.append(4)
      out.append(varint: UInt64(bytes.count))
      out.append(bytes.span)
    }
  }
}

extension ByteBuffer {
  /// Appends a number in groups of seven bits, lowest group first.
  @inline(__always)
  mutating func append(varint number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  /// Appends eight bytes, lowest byte first.
  @inline(__always)
  mutating func append(fixed number: UInt64) {
    for shift in stride(from: 0 as UInt64, to: 64, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

/// A run's change to one row: the data needed to undo it and to detect later changes.
package struct RowImage: Sendable {
  package enum Operation: UInt8, Sendable {
    case insert = 1
    case update = 2
    case delete = 3
  }

  package let operation: Operation
  package let table: JournalTable
  /// The row's number: after the run for an insertion or an update, before it for a deletion.
  package let row: Int64
  /// The key: after the run for an insertion or an update, before it for a deletion.
  package let key: [JournalValue]
  /// The old values: the changed columns for an update, all columns for a deletion.
  package let old: [(column: Int, value: JournalValue)]
  /// The hash of the row as the run left it; 0 for a deletion.
  package let hash: UInt64

  /// The key as it is shown to users and used to distinguish records.
  package var id: String { key.isEmpty ? "\(row)" : table == .records ? key[1].string : key[0].string }
}

/// A fast 64-bit hash of a row's values, which shows whether the row is still as a run left it.
///
/// The hash detects accidental changes, not attacks: a program that can write to a library can write anything. An
/// integer and a floating-point number of equal value have the same hash, because SQLite converts between them
/// according to the column's type.
struct RowHash {
  private var hash = FastHash()

  /// The hash of all values added so far.
  var state: UInt64 { hash.value }

  @inline(__always)
  private mutating func mix(_ word: UInt64) { hash.add(word) }

  private mutating func mix(_ bytes: Span<UInt8>) { hash.add(bytes) }

  private mutating func mix(number: Double) {
    if let whole = Int64(exactly: number) { return mix(number: whole) }
    mix(2)
    mix(number.bitPattern)
  }

  private mutating func mix(number: Int64) {
    mix(1)
    mix(UInt64(bitPattern: number))
  }

  /// Adds a value that SQLite owns.
  @inline(__always)
  mutating func add(_ value: RowValue?) {
    guard let value else { return mix(0) }
    switch value.storage {
    case .null: mix(0)
    case .integer: mix(number: value.integer)
    case .real: mix(number: value.real)
    case .text:
      mix(3)
      mix(value.text.span)
    case .blob:
      mix(4)
      mix(value.blob.span)
    }
  }

  /// Adds a value from a journal.
  mutating func add(_ value: JournalValue) {
    switch value {
    case .null: mix(0)
    case .integer(let number): mix(number: number)
    case .real(let number): mix(number: number)
    case .text(let bytes):
      mix(3)
      mix(bytes.span)
    case .blob(let bytes):
      mix(4)
      mix(bytes.span)
    }
  }
}

/// The data in a journal that is not about rows.
package struct UndoExtras: Sendable {
  /// The time at which the run began, according to the store. A journal with a different time is ignored, because it
  /// belongs to a run of another store with the same number.
  package var started = ""
  /// Whether the run changed the schema, which cannot be undone from a journal.
  package var schemaChanged = false
  /// The AUTOINCREMENT counters that changed, each with its table, its old and its new value; nil where the counter did
  /// not exist.
  package var sequences: [(table: String, old: String?, new: String?)] = []
  /// The SHA-256 of each attachment file that the run added.
  package var media: [String] = []
  /// The number under which the run's new ledger rows are stored; nil if the run has no ledger rows.
  package var ledgerRun: Int64?
  /// The range of source numbers that the run added: above the first number, up to the second.
  package var sources: (Int64, Int64) = (0, 0)
  package var files: (Int64, Int64) = (0, 0)

  init() {}

  /// Parses the JSON that `write` wrote.
  init(_ root: JSONValue) {
    started = root["started"]?.string ?? ""
    schemaChanged = root["schema_changed"]?.bool ?? false
    sequences = (root["sequences"]?.elements ?? []).map { ($0[0]?.string ?? "", $0[1]?.string, $0[2]?.string) }
    media = (root["media"]?.elements ?? []).compactMap(\.string)
    ledgerRun = root["ledger_run"]?.integer
    sources = (root["sources"]?[0]?.integer ?? 0, root["sources"]?[1]?.integer ?? 0)
    files = (root["files"]?[0]?.integer ?? 0, root["files"]?[1]?.integer ?? 0)
  }

  /// Appends all data except the entries, as JSON.
  func write(
    to out: inout ByteBuffer, tables: [JournalTable], blocks: [(offset: Int, size: Int)], entries: Int
  ) {
    func list<Element>(_ all: [Element], _ write: (Element) -> Void) {
      out.append("[")
      for (index, one) in all.enumerated() {
        if index > 0 { out.append(",") }
        write(one)
      }
      out.append("]")
    }
    func text(_ value: String?) {
      if let value { out.appendJSONString(value) } else { out.append("null") }
    }
    out.append("{\"started\":")
    text(started)
    out.append(utf8: ",\"entries\":\(entries),\"schema_changed\":\(schemaChanged),\"sequences\":")
    list(sequences) { one in list([one.table, one.old, one.new]) { text($0) } }
    out.append(",\"media\":")
    list(media) { text($0) }
    if let ledgerRun { out.append(utf8: ",\"ledger_run\":\(ledgerRun)") }
    out.append(
      utf8: ",\"sources\":[\(sources.0),\(sources.1)],\"files\":[\(files.0),\(files.1)],\"tables\":")
    list(tables) { table in
      out.append("{\"name\":")
      text(table.name)
      out.append(utf8: ",\"beside\":\(table.isBeside),\"rows\":\(table.hasRows),\"columns\":")
      list(table.columns) { text($0) }
      out.append(",\"keys\":")
      list(table.keys) { out.append(utf8: "\($0)") }
      out.append("}")
    }
    out.append(",\"blocks\":")
    list(blocks) { out.append(utf8: "[\($0.offset),\($0.size)]") }
    out.append("}")
  }
}

/// Records a run's changes while the run makes them. Changes to library rows are recorded by watching the connection;
/// the run must report its changes in the sidecar. The journal is complete and on disk after `finish`, which must be
/// called before the library's commit.
package final class UndoJournalWriter {
  private let file: JournalFile
  private let connection: SQLiteConnection
  private var watch: RowWatch?
  private var block = ByteBuffer(capacity: UndoJournal.blockSize + (64 << 10))
  private var tables: [(table: JournalTable, name: [CChar])] = []
  private var failure: (any Error)?
  private let schema: String
  private let sequences: [String: String]
  /// The number of changed rows.
  package private(set) var count = 0
  /// Other data about the run, such as the hashes of the attachments that it added.
  private var extras = UndoExtras()

  /// Starts watching the connection of a library that is being changed.
  /// - Throws: `RunFailure` with status 2 if the journal cannot be written; `SQLiteError`.
  package init(of run: StateStore.Run, _ connection: SQLiteConnection, in sidecar: Sidecar) throws {
    extras.started = run.started
    self.connection = connection
    schema = try Self.schema(connection)
    sequences = try Self.sequences(connection)
    file = try JournalFile(UndoJournal.name(of: run.id), in: sidecar.part(.undo))
    watch = RowWatch(connection) { [unowned self] in record($0) }
  }

  deinit { watch?.stop() }

  /// The file's path.
  package var path: String { file.path }

  // MARK: Rows of the library

  private func record(_ change: RowWatch.Change) {
    guard failure == nil else { return }
    do {
      let (number, table) = try table(change.table)
      switch change.operation {
      case .insert: insertion(change, number, table)
      case .update: if !update(change, number, table) { return }
      case .delete: deletion(change, number, table)
      }
      count += 1
      if block.count >= UndoJournal.blockSize { try pack() }
    } catch {
      failure = error
    }
  }

  private func table(_ name: UnsafePointer<CChar>) throws -> (Int, JournalTable) {
    for index in tables.indices where strcmp(tables[index].name, name) == 0 { return (index, tables[index].table) }
    let text = String(cString: name)
    guard let table = try JournalTable(text, in: connection) else {
      throw RunFailure(.internalError, "record the changes in '\(text)': the table does not exist")
    }
    tables.append((table, Array(text.utf8CString)))
    return (tables.count - 1, table)
  }

  private func head(_ operation: RowImage.Operation, _ table: Int, _ row: Int64) {
    block.append(operation.rawValue)
    block.append(varint: UInt64(table))
    block.append(varint: UInt64(bitPattern: row << 1 ^ row >> 63))
  }

  private func insertion(_ change: RowWatch.Change, _ number: Int, _ table: JournalTable) {
    head(.insert, number, change.newRow)
    for key in table.keys { JournalValue.write(change.new(key), to: &block) }
    var hash = RowHash()
    for column in table.columns.indices { hash.add(change.new(column)) }
    block.append(fixed: hash.state)
  }

  private func deletion(_ change: RowWatch.Change, _ number: Int, _ table: JournalTable) {
    head(.delete, number, change.oldRow)
    for column in table.columns.indices { JournalValue.write(change.old(column), to: &block) }
  }

  /// - Returns: whether any value changed.
  private func update(_ change: RowWatch.Change, _ number: Int, _ table: JournalTable) -> Bool {
    let start = block.count
    head(.update, number, change.newRow)
    for key in table.keys { JournalValue.write(change.new(key), to: &block) }
    var hash = RowHash()
    var changed = 0
    for column in table.columns.indices {
      let old = change.old(column)
      let new = change.new(column)
      hash.add(new)
      if Self.isSame(old, new) { continue }
      changed += 1
      block.append(varint: UInt64(column + 1))
      JournalValue.write(old, to: &block)
    }
    guard changed > 0 else {
      block.truncate(to: start)
      return false
    }
    block.append(varint: 0)
    block.append(fixed: hash.state)
    return true
  }

  private static func isSame(_ left: RowValue?, _ right: RowValue?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    let storage = left.storage
    guard storage == right.storage else { return false }
    switch storage {
    case .null: return true
    case .integer: return left.integer == right.integer
    case .real: return left.real.bitPattern == right.real.bitPattern
    case .text: return left.text.span.equals(right.text.span)
    case .blob: return left.blob.span.equals(right.blob.span)
    }
  }

  // MARK: The sidecar

  /// Records a change to a row of the store in the sidecar.
  /// - Parameters:
  ///   - old: the row before the change, with all columns of the table; nil if the row did not exist.
  ///   - new: the row after the change; nil if the row no longer exists.
  package func add(_ table: JournalTable, old: [JournalValue]?, new: [JournalValue]?) throws {
    guard let some = new ?? old else { return }
    let number = tables.firstIndex { $0.table == table } ?? tables.count
    if number == tables.count { tables.append((table, [])) }
    var hash = RowHash()
    for (column, value) in (new ?? []).enumerated() where table.counts(column) { hash.add(value) }
    switch (old, new) {
    case (nil, _):
      head(.insert, number, 0)
      for key in table.keys { some[key].write(to: &block) }
      block.append(fixed: hash.state)
    case (let old?, nil):
      head(.delete, number, 0)
      for value in old { value.write(to: &block) }
    case (let old?, let new?):
      head(.update, number, 0)
      for key in table.keys { some[key].write(to: &block) }
      for column in table.columns.indices where old[column] != new[column] {
        block.append(varint: UInt64(column + 1))
        old[column].write(to: &block)
      }
      block.append(varint: 0)
      block.append(fixed: hash.state)
    }
    count += 1
    if block.count >= UndoJournal.blockSize { try pack() }
  }

  /// Records data that is not about rows; see `UndoExtras`.
  package func recordExtras(_ change: (inout UndoExtras) -> Void) { change(&extras) }

  private func pack() throws {
    guard block.count > 0 else { return }
    try file.add(block.bytes.span)
    block.removeAll()
  }

  /// Stops watching, and syncs the journal to the disk.
  /// - Throws: `RunFailure` if the journal is incomplete; the library must not be committed then.
  package func finish() throws {
    watch?.stop()
    watch = nil
    if let failure { throw failure }
    try pack()
    extras.schemaChanged = try Self.schema(connection) != schema
    let now = try Self.sequences(connection)
    for name in Set(sequences.keys).union(now.keys).sorted() where sequences[name] != now[name] {
      extras.sequences.append((name, sequences[name], now[name]))
    }
    var index = ByteBuffer()
    extras.write(to: &index, tables: tables.map(\.table), blocks: file.blocks, entries: count)
    try file.finish(index.bytes.span)
  }

  /// Removes the journal, because nothing was changed.
  package func discard() {
    watch?.stop()
    watch = nil
    file.remove()
  }

  /// Returns the definitions of all tables, which show whether a run changed the schema.
  private static func schema(_ connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").map {
      $0.map { $0 ?? "" }.joined(separator: "\u{1F}")
    }.joined(separator: "\u{1E}")
  }

  /// Returns the AUTOINCREMENT counters, which cannot be watched.
  static func sequences(_ connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
    guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") > 0 else {
      return [:]
    }
    var found: [String: String] = [:]
    for row in try connection.rows("SELECT name, seq FROM sqlite_sequence") { found[row[0] ?? ""] = row[1] }
    return found
  }
}

/// A journal file: the header, the compressed blocks, their index, and the index's offset.
private final class JournalFile {
  let path: String
  private let folder: OpenFolder
  private let name: String
  private let file: Int32
  private(set) var blocks: [(offset: Int, size: Int)] = []
  private var size = 0

  /// Creates the file.
  /// - Throws: `RunFailure` with status 2 if the file cannot be written.
  init(_ name: String, in folder: OpenFolder) throws {
    self.name = name
    self.folder = folder
    path = folder.path(name)
    guard let file = try folder.file(name, O_WRONLY | O_CREAT | O_TRUNC) else {
      throw RunFailure(.failed, "write '\(path)': another process removed it at the same time")
    }
    self.file = file
    var head = ByteBuffer(capacity: 64)
    head.append(UndoJournal.magic)
    try write(head.bytes.span)
  }

  deinit { close(file) }

  /// Compresses and appends a block of entries.
  func add(_ block: Span<UInt8>) throws {
    blocks.append((size, block.count))
    try write(packed: block)
  }

  /// Appends the index, and syncs the file to the disk.
  func finish(_ index: Span<UInt8>) throws {
    let start = size
    try write(packed: index)
    var tail = ByteBuffer(capacity: 16)
    tail.append(fixed: UInt64(start))
    tail.append(UndoJournal.end)
    try write(tail.bytes.span)
    guard fsync(file) == 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    folder.sync()
  }

  func remove() { folder.remove(name) }

  private func write(packed bytes: Span<UInt8>) throws {
    let packed = try ZstdBlock.pack(bytes)
    var length = ByteBuffer(capacity: 8)
    length.append(fixed: UInt64(packed.count))
    try write(length.bytes.span)
    try write(packed.span)
  }

  private func write(_ bytes: Span<UInt8>) throws {
    try FileBytes.write(bytes.bytes, to: file, name: path)
    size += bytes.count
  }
}
