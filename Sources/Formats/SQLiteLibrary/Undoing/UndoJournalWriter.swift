import ArchiveIO
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Writes what a run changes, while it changes it: rows of the library by watching its connection, what lies beside it
/// by being told. Complete and on disk after `finish`, which comes before the library's commit.
package final class UndoJournalWriter {
  /// The file.
  package let path: String
  private let folder: OpenFolder
  private let name: String
  private let file: Int32
  private let connection: SQLiteConnection
  private var watch: RowWatch?
  private var block = ByteBuffer(capacity: UndoJournal.blockSize + (64 << 10))
  private var blocks: [(offset: Int, size: Int)] = []
  private var size = 0
  private var tables: [(table: JournalTable, name: [CChar])] = []
  private var failure: (any Error)?
  private let schema: String
  private let sequences: [String: String]
  private let started: String
  /// How many rows were changed.
  package private(set) var count = 0
  /// What else belongs to the run: hashes of attachments that it brought, and so on.
  private var extras = UndoExtras()

  /// Begins to watch the connection of a library that is being changed.
  /// - Throws: `RunFailure` with status 2 when the journal cannot be written; `SQLiteError`.
  package init(of run: StateStore.Run, _ connection: SQLiteConnection, in sidecar: Sidecar) throws {
    folder = try sidecar.part(.undo)
    name = UndoJournal.name(of: run.id)
    path = folder.path(name)
    started = run.started
    self.connection = connection
    schema = try Self.schema(connection)
    sequences = try Self.sequences(connection)
    guard let file = try folder.file(name, O_WRONLY | O_CREAT | O_TRUNC) else {
      throw RunFailure(.failed, "write '\(path)': it was removed at the same time")
    }
    self.file = file
    let magic = UndoJournal.magic
    try write(UnsafeBufferPointer(start: magic.utf8Start, count: magic.utf8CodeUnitCount))
    watch = RowWatch(connection) { [unowned self] in note($0) }
  }

  deinit {
    watch?.stop()
    close(file)
  }

  // MARK: Rows of the library

  private func note(_ change: RowWatch.Change) {
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
    for index in tables.indices
    where tables[index].name.withUnsafeBufferPointer({ known in
      known.baseAddress.map { strcmp($0, name) == 0 } ?? false
    }) { return (index, tables[index].table) }
    let text = String(cString: name)
    guard let table = try JournalTable(text, in: connection) else {
      throw RunFailure(.internalError, "keep what is changed in '\(text)': the table is not there")
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

  /// - Returns: whether anything changed.
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
    case .text: return isSame(left.text, right.text)
    case .blob: return isSame(left.blob, right.blob)
    }
  }

  private static func isSame(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count else { return false }
    guard let first = left.baseAddress, let second = right.baseAddress else { return true }
    return memcmp(first, second, left.count) == 0
  }

  // MARK: What lies beside

  /// Keeps what becomes of a row beside the library.
  /// - Parameters:
  ///   - old: the row before, all columns of the table; nil when there was none.
  ///   - new: the row afterwards; nil when there is none.
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

  /// Keeps what is no row: see `UndoExtras`.
  package func note(_ change: (inout UndoExtras) -> Void) { change(&extras) }

  // MARK: The file

  private func pack() throws {
    guard block.count > 0 else { return }
    blocks.append((size, block.count))
    try write(packed: block.bytes)
    block.removeAll()
  }

  private func write(packed bytes: UnsafeBufferPointer<UInt8>) throws {
    let packed = try ZstdBlock.pack(UnsafeRawBufferPointer(bytes))
    var length = ByteBuffer(capacity: 8)
    length.append(fixed: UInt64(packed.count))
    try write(length.bytes)
    try packed.withUnsafeBufferPointer { try write($0) }
  }

  private func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var at = 0
    while at < bytes.count, let start = bytes.baseAddress {
      #if canImport(Glibc)
        let sent = Glibc.write(file, start + at, bytes.count - at)
      #else
        let sent = Darwin.write(file, start + at, bytes.count - at)
      #endif
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else {
        throw RunFailure(
          .failed, "write '\(path)': \(SystemError.last)",
          advice: errno == ENOSPC ? "Free some space and run it again; nothing was changed." : nil)
      }
      at += sent
    }
    size += bytes.count
  }

  /// Ends watching, and sees everything onto the disk.
  /// - Throws: `RunFailure` when the journal is not whole; the library must not be committed then.
  package func finish() throws {
    watch?.stop()
    watch = nil
    if let failure { throw failure }
    try pack()
    extras.started = started
    extras.schemaChanged = try Self.schema(connection) != schema
    let now = try Self.sequences(connection)
    for name in Set(sequences.keys).union(now.keys).sorted() where sequences[name] != now[name] {
      extras.sequences.append((name, sequences[name], now[name]))
    }
    var index = ByteBuffer()
    extras.write(to: &index, tables: tables.map(\.table), blocks: blocks, entries: count)
    let start = size
    try write(packed: index.bytes)
    var tail = ByteBuffer(capacity: 16)
    tail.append(fixed: UInt64(start))
    tail.append(UndoJournal.end)
    try write(tail.bytes)
    guard fsync(file) == 0 else { throw RunFailure(.failed, "write '\(path)': \(SystemError.last)") }
    folder.sync()
  }

  /// Removes it: nothing was changed.
  package func discard() {
    watch?.stop()
    watch = nil
    folder.remove(name)
  }

  /// What the tables are made of; whether a run changed that.
  private static func schema(_ connection: SQLiteConnection) throws(SQLiteError) -> String {
    try connection.rows("SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name").map {
      $0.map { $0 ?? "" }.joined(separator: "\u{1F}")
    }.joined(separator: "\u{1E}")
  }

  /// The counters of AUTOINCREMENT, which nobody can watch.
  static func sequences(_ connection: SQLiteConnection) throws(SQLiteError) -> [String: String] {
    guard try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'") > 0 else {
      return [:]
    }
    var found: [String: String] = [:]
    for row in try connection.rows("SELECT name, seq FROM sqlite_sequence") { found[row[0] ?? ""] = row[1] }
    return found
  }
}
