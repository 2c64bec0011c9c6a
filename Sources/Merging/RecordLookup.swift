import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// The first stage: finds the library's record for a record of a source.
///
/// Records are found by id, and then by the place of this source's record at earlier imports. An execution is also
/// found by its checklist and charter, because the app allows only one execution for each pair.
final class RecordLookup {
  /// The library's record under an id, as it was before the run.
  enum Found {
    case nothing
    /// The record's canonical line.
    case line(UnsafeBufferPointer<UInt8>)
  }

  private let rows: LibraryLookup
  private let ledger: Ledger
  private let aligned: AlignedIDs
  /// Whether this import creates the library.
  private let isNew: Bool
  /// The library's connection, for other queries of the stages.
  let connection: SQLiteConnection
  /// The deck that was found last. It is kept here because a deck is not a row.
  private var deck = ByteBuffer(capacity: 64)
  /// Looks up records of later batches in advance; nil in a library that is being created.
  private let ahead: LibraryPrefetcher?
  /// Whether the results of looking ahead are still valid, because nothing has been written yet.
  private var isAhead = true
  private var file = FileState.undecided

  /// How new records of the current file are written.
  private enum FileState {
    case undecided
    /// New records are staged until the end of the file.
    case staged
    /// New records are written immediately. Their rows come after the last row that each table had before the file.
    case bulk(items: Int64, charters: Int64)
  }

  init(_ library: WritableLibrary, _ ledger: Ledger, _ aligned: AlignedIDs) throws(SQLiteError) {
    rows = try LibraryLookup(library)
    self.ledger = ledger
    self.aligned = aligned
    isNew = library.isNew
    connection = library.connection
    ahead = library.isNew ? nil : LibraryPrefetcher(library)
  }

  /// Returns the library's record of the same identity. The result is valid until the next lookup.
  /// - Parameters:
  ///   - ahead: the result of looking ahead, if any.
  ///   - isFirstFile: whether no other file was read before.
  func find(
    _ incoming: SourceRecord, in source: CurrentSource?, ahead: Found? = nil, isFirstFile: Bool = false
  ) throws -> UnsafeBufferPointer<UInt8>? {
    if incoming.isDeck {
      if let line = try record(deck: incoming.idText) { return line }
      guard let source, source.isKnown, let target = try ledger.target(source.id, .item, id: incoming.id.span) else {
        return nil
      }
      return try record(deck: target)
    }
    // A library that is being created only has records of its first file, and the ledger contains these records.
    if isNew, isFirstFile, incoming.kind != .execution { return nil }
    switch ahead {
    case .line(let line)?: return line
    case .nothing?: break
    case nil:
      if let line = try rows.record(incoming.kind, id: incoming.id.span) {
        return try isOfThisFile(incoming) ? nil : line
      }
    }
    guard let source else { return nil }
    if source.isKnown, let target = try ledger.target(source.id, incoming.kind, id: incoming.id.span) {
      if let line = try rows.record(incoming.kind, id: target.utf8.span) { return line }
    }
    if incoming.kind == .execution, let checklist = incoming.node.member("checklist_id")?.string,
      let charter = incoming.node.member("charter_id")?.string
    {
      let first = aligned[checklist] ?? checklist
      let second = aligned[charter] ?? charter
      return try rows.execution(checklist: first.utf8.span, charter: second.utf8.span)
    }
    return nil
  }

  /// Returns the library's record of an id, including decks in the sidecar. The result is valid until the next lookup.
  func record(_ kind: RecordKind, id: String) throws -> UnsafeBufferPointer<UInt8>? {
    if let line = try rows.record(kind, id: id.utf8.span) { return line }
    return kind == .item ? try record(deck: id) : nil
  }

  /// Returns the hash of the library's current row; nil if the row is missing.
  func hash(ofRow kind: RecordKind, id: String) throws -> String? {
    try rows.record(kind, id: id.utf8.span).map { Digest.hex(Digest.sha256($0.span)) }
  }

  private func record(deck id: String) throws -> UnsafeBufferPointer<UInt8>? {
    guard let line = try ledger.record(.item, id: id) else { return nil }
    deck.removeAll()
    deck.append(line.span)
    return deck.bytes
  }

  // MARK: Files of new records

  /// Returns whether new records of the current file are written immediately. The first record that changes the library
  /// decides this: looking ahead must have found almost no records of its batch.
  func isBulk(_ incoming: SourceRecord, isNew: Bool) throws(SQLiteError) -> Bool {
    switch file {
    case .staged: return false
    case .bulk: return true
    case .undecided:
      guard isNew, mostAreNew(beside: incoming) else {
        file = .staged
        return false
      }
      file = .bulk(items: try lastRow("library_content"), charters: try lastRow("charters"))
      return true
    }
  }

  /// Ends a file. This must be called when all staged records of the file have been written.
  func endFile() { file = .undecided }

  fileprivate func mostAreNew(beside incoming: SourceRecord) -> Bool {
    guard isAhead, case .batch(let record, _) = incoming.origin else { return true }
    return (record.batch.found as? LibraryPrefetcher.Found)?.mostAreNew ?? true
  }

  private func lastRow(_ table: String) throws(SQLiteError) -> Int64 {
    try connection.number("SELECT coalesce(max(rowid), 0) FROM \(table)")
  }

  /// Whether a row was written since the file began. Later records treat such a row as not yet in the library.
  private func isOfThisFile(_ incoming: SourceRecord) throws(SQLiteError) -> Bool {
    guard case .bulk(let items, let charters) = file, incoming.kind == .item || incoming.kind == .charter else {
      return false
    }
    let (table, last) = incoming.kind == .item ? ("library_content", items) : ("charters", charters)
    let query = try connection.prepare("SELECT rowid > \(last) FROM \(table) WHERE id = ?")
    query.bind(incoming.idText, at: 1)
    return try query.step() && query.integer(at: 0) == 1
  }

  // MARK: Looking ahead

  /// The prefetcher that examines batches before they are written.
  var scout: (any BatchPrefetcher)? { ahead }

  /// Returns the result of looking ahead for a record; nil if there is no result, or if the result may be outdated.
  func found(_ slot: RecordSlot, in batch: RecordBatch) -> Found? {
    guard isAhead, slot.found >= 0, let found = batch.found as? LibraryPrefetcher.Found else { return nil }
    return found.line(slot.found, own: batch.line(slot)).map { .line($0) } ?? .nothing
  }

  /// Stops looking ahead. This must be called before the library is written to, and when the run has ended.
  func stopAhead() {
    guard isAhead else { return }
    isAhead = false
    ahead?.stop()
  }
}

/// The ids of records in the library that differ from the ids in the sources.
///
/// An import has one instance, which lookups and references of later records use.
final class AlignedIDs {
  private var targets: [String: String] = [:]

  var isEmpty: Bool { targets.isEmpty }

  /// Returns the library's id of a record; nil if it is the same as the source's.
  subscript(id: String) -> String? { targets[id] }

  /// Records that a record of the source is the same as a record of the library.
  func align(_ id: String, with target: String) { targets[id] = target }
}

/// Looks up records in a library before they reach the writer, on a separate thread and connection.
///
/// The lookup sees the library as it was before the run. The run's own connection holds SQLite's write lock, so no
/// other process commits. The run must not write before it has called `stop`. After `stop`, nothing more is looked up,
/// and earlier results must not be used.
final class LibraryPrefetcher: BatchPrefetcher, @unchecked Sendable {
  /// The library's records for the records of a batch.
  final class Found: @unchecked Sendable {
    fileprivate enum Place {
      /// The library has no record with that id.
      case nowhere
      /// The library's line equals the batch's own line, byte for byte.
      case sameAsSource
      /// The library's line is in this range of `lines`.
      case at(Range<Int>)
    }

    fileprivate var lines: ByteBuffer
    fileprivate var places: [Place] = []
    fileprivate var new = 0
    /// Whether the library has at most one in eight of the records.
    fileprivate var mostAreNew: Bool { new >= places.count - places.count / 8 }
    private let memory: BatchMemory

    fileprivate init(_ memory: BatchMemory, capacity: Int) {
      self.memory = memory
      lines = memory.buffer(capacity)
    }

    deinit { memory.recycle(&lines) }

    /// Returns the library's line of a record; nil if the library had none. The line is valid as long as this object
    /// and the batch.
    /// - Parameter own: the batch's own line, which is returned if the library's line is the same.
    func line(_ number: Int32, own: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
      switch places[Int(number)] {
      case .nowhere: nil
      case .sameAsSource: own
      case .at(let range): UnsafeBufferPointer(rebasing: lines.bytes[range])
      }
    }
  }

  private let library: WritableLibrary
  private let memory = BatchMemory(largest: 8 << 20)
  /// Locked during a lookup; `stop` waits for the current batch.
  private let lock = NSLock()
  private var connection: SQLiteConnection?
  private var lookup: LibraryLookup?
  /// Whether looking ahead has stopped.
  private var hasEnded = false

  /// - Parameter library: an existing library, inside its write transaction and not changed yet.
  init(_ library: WritableLibrary) { self.library = library }

  func scout(_ batch: RecordBatch) {
    batch.prepare()
    lock.lock()
    defer { lock.unlock() }
    if hasEnded { return }
    do throws(SQLiteError) {
      try lookUp(batch)
    } catch {
      // The writer looks the record up itself, gets the same error and reports it.
      end()
    }
  }

  /// Stops looking ahead, and releases the library and every lock that the writer would wait for.
  func stop() {
    lock.lock()
    defer { lock.unlock() }
    end()
  }

  private func end() {
    hasEnded = true
    lookup = nil
    connection?.close()
    connection = nil
  }

  private func lookUp(_ batch: RecordBatch) throws(SQLiteError) {
    let lookup = try opened()
    let found = Found(memory, capacity: 1 << 16)
    batch.found = found
    for index in batch.slots.indices {
      let slot = batch.slots[index]
      guard slot.kind == .item || slot.kind == .charter, let id = Self.id(of: slot, in: batch) else { continue }
      let start = found.lines.count
      let isThere = try lookup.append(
        slot.kind, id: id.span, sections: Self.sections(of: slot, in: batch), to: &found.lines)
      batch.slots[index].found = Int32(found.places.count)
      guard isThere else {
        found.places.append(.nowhere)
        found.new += 1
        continue
      }
      let end = found.lines.count
      // The line is compared while it is still in the processor's cache. Most records need not be kept.
      if found.lines.bytes.span.extracting(start..<end).equals(batch.line(slot).span) {
        found.lines.truncate(to: start)
        found.places.append(.sameAsSource)
      } else {
        found.places.append(.at(start..<end))
      }
    }
  }

  /// Returns the lookup. It is opened with the first batch, in parallel with the writer.
  private func opened() throws(SQLiteError) -> LibraryLookup {
    if let lookup { return lookup }
    let connection = try library.reader()
    let lookup = try LibraryLookup(connection, library.schema, path: library.path)
    self.connection = connection
    self.lookup = lookup
    return lookup
  }

  /// Returns the sections of a source's record as they are written, if its line only has known members.
  private static func sections(of slot: RecordSlot, in batch: RecordBatch) -> UnsafeBufferPointer<UInt8>? {
    guard slot.isPlain, slot.kind == .item, let document = batch.node(slot)?.member("content_data"),
      document.kind == .object, let sections = document.member("sections"), sections.kind == .array
    else { return nil }
    return sections.raw
  }

  /// Returns the id that the writer would look up: the bytes between its quotes. Returns nil if the id is not a string.
  private static func id(of slot: RecordSlot, in batch: RecordBatch) -> UnsafeBufferPointer<UInt8>? {
    if let node = batch.node(slot) {
      guard let id = node.member("id"), id.kind == .string else { return nil }
      return id.inner
    }
    let line = batch.line(slot)
    guard let range = RecordLine.idRange(of: line.span), range.count >= 2, line[range.lowerBound] == UInt8(ascii: "\"")
    else { return nil }
    return UnsafeBufferPointer(rebasing: line[range.lowerBound + 1..<range.upperBound - 1])
  }
}
