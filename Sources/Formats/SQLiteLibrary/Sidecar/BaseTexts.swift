import ArchiveIO
import Content
import Foundation
import Interchange
import SQLiteIO

/// What sources said at the last import: the texts that the next one merges against.
///
/// A text is the library's record as it would be if the source had won. It lies in a block with its neighbours, because
/// texts that come together are alike and pack well together; a block is written once and never changed. A text is worth
/// something only together with what the library said after the same import, so each carries the head of that hash.
/// - Source: docs/adr/0010
package final class BaseTexts {
  /// Where a text lies.
  package struct Reference: Sendable, Equatable {
    /// What the ledger keeps: the block, whether the library said the same, the number in the block.
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    init(block: Int64, number: Int, isLibrarys: Bool) {
      value = block << 16 | (isLibrarys ? 1 << 15 : 0) | Int64(number)
    }

    /// Whether the library said the very same after that import: there is nothing in it that only the library has.
    package var isLibrarys: Bool { value >> 15 & 1 == 1 }
    var block: Int64 { value >> 16 }
    var number: Int { Int(value & 0x7FFF) }
  }

  /// A text of the last import.
  package struct Base {
    /// The line, as the library would have it.
    package let line: [UInt8]
    /// When the library's record was changed last as it was after that import; nil when it did not say.
    package let changed: Timestamp?

    package init(line: [UInt8], changed: Timestamp?) {
      self.line = line
      self.changed = changed
    }
  }

  private let store: StateStore
  private let run: Int64
  private let insert: SQLiteStatement
  private let find: SQLiteStatement
  private var block = BaseBlock()
  private var number: Int64
  private var packer: BlockPacker?
  /// Blocks that were read last, newest first. Sources say things in the same order again, so few are needed.
  private var recent: [(number: Int64, entries: BaseBlock.Entries)] = []

  private static let mostRecent = 8
  private static let largestBlock: Int64 = 1 << 46

  package init(_ store: StateStore, run: Int64) throws(SQLiteError) {
    self.store = store
    self.run = run
    insert = try store.connection.prepare("INSERT INTO bases (id, run, count, block) VALUES (?, ?, ?, ?)")
    find = try store.connection.prepare("SELECT block FROM bases WHERE id = ?")
    // A larger number leaves no room for the 16 bits that a reference adds; only a damaged store has one.
    number = try store.connection.number("SELECT max(id) FROM bases WHERE id BETWEEN 0 AND \(Self.largestBlock)") + 1
  }

  // MARK: Keeping

  /// Keeps a text until somebody keeps a newer one.
  /// - Parameters:
  ///   - id: the record's id in the library.
  ///   - hash: SHA-256 of what the library says after this import.
  ///   - isLibrarys: whether that is this very text.
  ///   - changed: when the library's record was changed last.
  /// - Returns: where it lies; nil for one that is too long to be kept.
  package func add(
    _ line: UnsafeBufferPointer<UInt8>, id: UnsafeBufferPointer<UInt8>, of hash: [UInt8], isLibrarys: Bool,
    changed: Timestamp?
  ) throws -> Reference? {
    guard line.count <= BaseBlock.longestText, id.count <= BaseBlock.longestText else { return nil }
    if !block.takes(line.count + id.count) { try seal() }
    let place = block.add(line, id: id, of: hash, changed: changed)
    return Reference(block: number, number: place, isLibrarys: isLibrarys)
  }

  /// Keeps a text again that lies in a block with many that nobody asks for.
  func copy(_ entries: BaseBlock.Entries, _ old: Reference) throws -> Reference {
    if let place = entries.copy(old.number, into: &block) {
      return Reference(block: number, number: place, isLibrarys: old.isLibrarys)
    }
    try seal()
    let place = entries.copy(old.number, into: &block) ?? 0
    return Reference(block: number, number: place, isLibrarys: old.isLibrarys)
  }

  /// Hands the block that is full to the packer, and writes what that has done meanwhile.
  private func seal() throws {
    if packer == nil { packer = BlockPacker() }
    let full = block
    block = BaseBlock()
    packer?.send(number, full)
    number += 1
    try write(packer?.packed() ?? [])
  }

  private func write(_ blocks: [BlockPacker.Packed]) throws(SQLiteError) {
    for block in blocks {
      insert.bind(block.number, at: 1)
      insert.bind(run, at: 2)
      insert.bind(Int64(block.count), at: 3)
      insert.bind(blob: block.bytes, at: 4)
      try insert.run()
    }
  }

  /// Writes what is not written yet, in the transaction of the store.
  package func flush() throws {
    if let packer {
      self.packer = nil
      try write(packer.finish())
    }
    guard !block.isEmpty else { return }
    let packed = try block.pack()
    try write([BlockPacker.Packed(number: number, count: block.count, bytes: packed)])
    number += 1
    block = BaseBlock()
  }

  // MARK: Looking up

  /// A text that was kept; nil when it cannot be trusted: it is another record's, it does not belong to what the ledger
  /// says of the library, or it is damaged.
  /// - Parameters:
  ///   - id: the record's id in the library.
  ///   - hash: what the ledger remembers of the library after that import.
  package func base(
    _ reference: Reference, id: UnsafeBufferPointer<UInt8>, of hash: [UInt8]
  ) throws(SQLiteError) -> Base? {
    guard let entries = try entries(of: reference.block), reference.number < entries.count else { return nil }
    return entries.base(reference.number, id: id, of: hash)
  }

  func entries(of block: Int64) throws(SQLiteError) -> BaseBlock.Entries? {
    if let index = recent.firstIndex(where: { $0.number == block }) {
      if index > 0 { recent.insert(recent.remove(at: index), at: 0) }
      return recent[0].entries
    }
    find.bind(block, at: 1)
    defer { find.reset() }
    guard try find.step(), let entries = BaseBlock.unpack(UnsafeRawBufferPointer(find.blob(at: 0))) else { return nil }
    if recent.count == Self.mostRecent { recent.removeLast() }
    recent.insert((block, entries), at: 0)
    return entries
  }
}
