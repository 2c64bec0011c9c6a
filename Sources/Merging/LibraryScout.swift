import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Looks records up in a library before they come to the writer, on a thread and a connection of its own.
///
/// It sees the library as it was before the run: the run's own connection holds SQLite's write lock, so nobody else
/// commits, and the run must not write before it has called `stop`. From then on it looks at nothing, and what it found
/// earlier is no longer to be used.
final class LibraryScout: BatchScout, @unchecked Sendable {
  /// What the library has of the records of a batch.
  final class Found: @unchecked Sendable {
    fileprivate enum Place {
      /// The library has no record of that id.
      case nowhere
      /// Its line is byte for byte the batch's own.
      case sameAsSource
      /// Its line stands here in `lines`.
      case at(Range<Int>)
    }

    fileprivate var lines: ByteBuffer
    fileprivate var places: [Place] = []
    private let memory: BatchMemory

    fileprivate init(_ memory: BatchMemory, capacity: Int) {
      self.memory = memory
      lines = memory.buffer(capacity)
    }

    deinit { memory.keep(&lines) }

    /// The library's line of a record; nil when it had none. Valid as long as this and the batch are.
    /// - Parameter own: the batch's own line of it, which is given back where the library's is the same.
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
  /// Held while it looks; whoever stops it waits for the batch in hand.
  private let lock = NSLock()
  private var connection: SQLiteConnection?
  private var lookup: LibraryLookup?
  /// Whether it looks no more.
  private var hasEnded = false

  /// - Parameter library: one that was there before, inside its write transaction and not changed yet.
  init(_ library: WritableLibrary) { self.library = library }

  func scout(_ batch: RecordBatch) {
    lock.lock()
    defer { lock.unlock() }
    if hasEnded { return }
    do throws(SQLiteError) {
      try look(batch)
    } catch {
      // The writer looks itself, meets the same, and says it.
      end()
    }
  }

  /// Lets go of the library: nothing is looked at any more, and no lock is left that the writer would wait for.
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

  private func look(_ batch: RecordBatch) throws(SQLiteError) {
    let lookup = try opened()
    let found = Found(memory, capacity: 1 << 16)
    batch.found = found
    for index in batch.slots.indices {
      let slot = batch.slots[index]
      guard slot.kind == .item || slot.kind == .charter, let id = Self.id(of: slot, in: batch) else { continue }
      let start = found.lines.count
      let isThere = try lookup.append(slot.kind, id: id, sections: Self.sections(of: slot, in: batch), to: &found.lines)
      batch.slots[index].found = Int32(found.places.count)
      guard isThere else {
        found.places.append(.nowhere)
        continue
      }
      let end = found.lines.count
      // Compared while it is still in the processor's cache; of most records nothing has to be kept.
      if RawBytes.equal(UnsafeBufferPointer(rebasing: found.lines.bytes[start..<end]), batch.line(slot)) {
        found.lines.truncate(to: start)
        found.places.append(.sameAsSource)
      } else {
        found.places.append(.at(start..<end))
      }
    }
  }

  /// Opened with the first batch, beside what the writer does meanwhile.
  private func opened() throws(SQLiteError) -> LibraryLookup {
    if let lookup { return lookup }
    let connection = try library.reader()
    let lookup = try LibraryLookup(connection, library.schema, path: library.path)
    self.connection = connection
    self.lookup = lookup
    return lookup
  }

  /// The sections that a record of the source says, where its line is made of known members, each as it is written.
  private static func sections(of slot: RecordSlot, in batch: RecordBatch) -> UnsafeBufferPointer<UInt8>? {
    guard slot.isPlain, slot.kind == .item, let document = batch.node(slot)?.member("content_data"),
      document.kind == .object, let sections = document.member("sections"), sections.kind == .array
    else { return nil }
    return sections.raw
  }

  /// The id that the writer would look up: the text between its quotes. Nil where it is no text.
  private static func id(of slot: RecordSlot, in batch: RecordBatch) -> UnsafeBufferPointer<UInt8>? {
    if let node = batch.node(slot) {
      guard let id = node.member("id"), id.kind == .string else { return nil }
      return id.inner
    }
    let line = batch.line(slot)
    guard let range = RecordLine.idRange(of: line), range.count >= 2, line[range.lowerBound] == UInt8(ascii: "\"")
    else { return nil }
    return UnsafeBufferPointer(rebasing: line[range.lowerBound + 1..<range.upperBound - 1])
  }
}
