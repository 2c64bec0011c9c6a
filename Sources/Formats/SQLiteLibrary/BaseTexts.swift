import ArchiveIO
import Content
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// The records of the sources at the last import, which are the bases of the next merge.
///
/// A base text is the library's record as it would be if the source had won. It is stored in a block with its
/// neighbors, because texts from the same import are similar and compress well together. A block is written once and
/// never changed. A base text is only useful together with the library's content after the same import, so each entry
/// contains the first bytes of the hash of that content.
/// - Source: docs/adr/0010
package final class BaseTexts {
  /// The location of a base text.
  package struct Reference: Sendable, Equatable {
    /// The number that the ledger stores. It encodes the block, whether the library had the same text, and the entry's
    /// number in the block.
    package let value: Int64

    package init(_ value: Int64) { self.value = value }

    init(block: Int64, number: Int, isLibrarys: Bool) {
      value = block << 16 | (isLibrarys ? 1 << 15 : 0) | Int64(number)
    }

    /// Whether the library had exactly this text after the import, so that the library had no content of its own.
    package var isLibrarys: Bool { value >> 15 & 1 == 1 }
    var block: Int64 { value >> 16 }
    var number: Int { Int(value & 0x7FFF) }
  }

  /// The base text of a record.
  package struct Base {
    /// The line as the library would store it.
    package let line: [UInt8]
    /// The time at which the library had last changed the record before that import; nil if the time was not recorded.
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
  /// The blocks that were read last, newest first. A few blocks are enough, because sources yield their records in the
  /// same order every time.
  private var recent: [(number: Int64, entries: BaseBlock.Entries)] = []

  private static let mostRecent = 8
  private static let largestBlock: Int64 = 1 << 46

  package init(_ store: StateStore, run: Int64) throws(SQLiteError) {
    self.store = store
    self.run = run
    insert = try store.connection.prepare("INSERT INTO bases (id, run, count, block) VALUES (?, ?, ?, ?)")
    find = try store.connection.prepare("SELECT block FROM bases WHERE id = ?")
    // A larger number leaves no room for the 16 bits that a reference adds. Only a damaged store contains one.
    number = try store.connection.number("SELECT max(id) FROM bases WHERE id BETWEEN 0 AND \(Self.largestBlock)") + 1
  }

  // MARK: Storing texts

  /// Stores a base text, which is kept until a newer one replaces it.
  /// - Parameters:
  ///   - id: the record's id in the library.
  ///   - hash: the SHA-256 of the library's record after this import.
  ///   - isLibrarys: whether the library has exactly this text.
  ///   - changed: the time of the last change to the library's record.
  /// - Returns: the text's location; nil if the text is too long to be kept.
  package func add(
    _ line: Span<UInt8>, id: Span<UInt8>, of hash: [UInt8], isLibrarys: Bool,
    changed: Timestamp?
  ) throws -> Reference? {
    guard line.count <= BaseBlock.longestText, id.count <= BaseBlock.longestText else { return nil }
    if !block.hasRoom(for: line.count + id.count) { try seal() }
    let place = block.add(line, id: id, of: hash, changed: changed)
    return Reference(block: number, number: place, isLibrarys: isLibrarys)
  }

  /// Copies a base text out of a block in which many base texts are unused.
  func copy(_ entries: BaseBlock.Entries, _ old: Reference) throws -> Reference {
    if let place = entries.copy(old.number, into: &block) {
      return Reference(block: number, number: place, isLibrarys: old.isLibrarys)
    }
    try seal()
    let place = entries.copy(old.number, into: &block) ?? 0
    return Reference(block: number, number: place, isLibrarys: old.isLibrarys)
  }

  /// Passes the full block to the packer, and writes the blocks that the packer has finished so far.
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

  /// Writes the remaining blocks in the store's transaction.
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

  // MARK: Looking up texts

  /// Returns a stored base text. Returns nil if the text cannot be trusted: if it belongs to another record, does not
  /// match the library's content as recorded in the ledger, or is damaged.
  /// - Parameters:
  ///   - id: the record's id in the library.
  ///   - hash: the hash of the library's record after that import, as recorded in the ledger.
  package func base(
    _ reference: Reference, id: Span<UInt8>, of hash: [UInt8]
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
    guard try find.step(), let entries = BaseBlock.unpack(find.blob(at: 0).span) else { return nil }
    if recent.count == Self.mostRecent { recent.removeLast() }
    recent.insert((block, entries), at: 0)
    return entries
  }
}

/// A block of base texts that are compressed together.
///
/// An entry consists of the first 8 bytes of the content's hash, the time in milliseconds (8 bytes), the lengths of the
/// id and the text (4 bytes each), the id, and the text. Numbers are little-endian.
struct BaseBlock: Sendable {
  private(set) var bytes: [UInt8] = []
  private(set) var count = 0

  /// The number of bytes that are collected before a block is compressed.
  static let size = 256 << 10
  /// The maximum number of entries in a block. A reference has 15 bits for an entry's number.
  private static let mostEntries = 1 << 15
  /// The length of the longest text that is kept, in bytes. If a text is longer, the next import has no base for its
  /// record.
  static let longestText = 16 << 20
  private static let headLength = 24
  private static let hashLength = 8
  private static let noTime = Int64.min

  var isEmpty: Bool { count == 0 }

  /// Whether another entry fits. The first entry always fits.
  func hasRoom(for length: Int) -> Bool {
    count == 0 || count < Self.mostEntries && bytes.count + Self.headLength + length <= Self.size
  }

  /// Adds an entry and returns its number.
  mutating func add(
    _ text: Span<UInt8>, id: Span<UInt8>, of hash: [UInt8], changed: Timestamp?
  ) -> Int {
    if bytes.isEmpty { bytes.reserveCapacity(max(Self.size, Self.headLength + id.count + text.count)) }
    bytes.append(contentsOf: hash.prefix(Self.hashLength))
    append(changed?.milliseconds ?? Self.noTime)
    append(UInt32(id.count))
    append(UInt32(text.count))
    id.withUnsafeBytes { bytes.append(contentsOf: $0) }
    text.withUnsafeBytes { bytes.append(contentsOf: $0) }
    count += 1
    return count - 1
  }

  private mutating func append(_ number: some FixedWidthInteger) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  func pack() throws -> [UInt8] { try ZstdBlock.pack(bytes.span) }

  /// Decompresses a block; returns nil if the block is damaged.
  static func unpack(_ packed: Span<UInt8>) -> Entries? {
    ZstdBlock.unpack(packed, limit: size + headLength + 2 * longestText).flatMap(Entries.init)
  }

  /// The entries of a block that was read.
  struct Entries {
    private let bytes: [UInt8]
    private var starts: [Int] = []

    var count: Int { starts.count }

    /// Finds the beginning of each entry; returns nil if the entries do not fill the bytes exactly.
    init?(_ bytes: [UInt8]) {
      self.bytes = bytes
      var at = 0
      while at < bytes.count {
        guard bytes.count - at >= headLength else { return nil }
        let length = headLength + length(at, 16) + length(at, 20)
        guard bytes.count - at >= length else { return nil }
        starts.append(at)
        at += length
      }
    }

    private func length(_ start: Int, _ offset: Int) -> Int { Int(number(at: start + offset) as UInt32) }

    private func number<Number: FixedWidthInteger>(at offset: Int) -> Number {
      bytes.withUnsafeBytes { Number(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: Number.self)) }
    }

    func base(_ index: Int, id: Span<UInt8>, of hash: [UInt8]) -> BaseTexts.Base? {
      let start = starts[index]
      let idLength = length(start, 16)
      let text = start + headLength + idLength
      guard bytes[start..<start + hashLength].elementsEqual(hash.prefix(hashLength)),
        bytes.span.extracting(start + headLength..<text).equals(id)
      else { return nil }
      let time: Int64 = number(at: start + hashLength)
      return BaseTexts.Base(
        line: Array(bytes[text..<text + length(start, 20)]),
        changed: time == noTime ? nil : Timestamp(milliseconds: time))
    }

    /// Copies an entry to another block and returns its number in that block; returns nil if that block is full.
    func copy(_ index: Int, into block: inout BaseBlock) -> Int? {
      let start = starts[index]
      let length = headLength + length(start, 16) + length(start, 20)
      guard block.hasRoom(for: length - headLength) else { return nil }
      block.bytes.append(contentsOf: bytes[start..<start + length])
      block.count += 1
      return block.count - 1
    }
  }
}

/// Compresses blocks on another thread.
///
/// The queue holds only a few blocks. `send` waits while the queue is full, so memory is bounded. The packer is used
/// from one thread.
private final class BlockPacker: Sendable {
  /// A compressed block that is not yet in the store.
  struct Packed: Sendable {
    let number: Int64
    let count: Int
    let bytes: [UInt8]
  }

  private let blocks: BoundedQueue<(number: Int64, block: BaseBlock)>
  private let done: BoundedQueue<Result<Packed, any Error>>

  init() {
    let blocks = BoundedQueue<(number: Int64, block: BaseBlock)>(capacity: 4)
    self.blocks = blocks
    done = .filled(capacity: .max) { done in
      while let (number, block) = try blocks.receive() {
        _ = done.send(Result { Packed(number: number, count: block.count, bytes: try block.pack()) })
      }
    }
  }

  deinit { blocks.end(.success(())) }

  /// Queues a block for compression.
  func send(_ number: Int64, _ block: BaseBlock) { _ = blocks.send((number, block)) }

  /// Returns the blocks that have been compressed so far.
  /// - Throws: the error that the packer's thread encountered.
  func packed() throws -> [Packed] { try done.receiveAll(atMost: 0).map { try $0.get() } }

  /// Waits for the remaining blocks and returns them.
  func finish() throws -> [Packed] {
    blocks.end(.success(()))
    var rest: [Packed] = []
    while let packed = try done.receive() { rest.append(try packed.get()) }
    return rest
  }
}
