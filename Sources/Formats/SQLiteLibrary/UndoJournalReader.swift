import ArchiveIO
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Reads a run's changes, last change first, one block at a time.
package final class UndoJournalReader {
  /// The data in the journal that is not about rows.
  package let extras: UndoExtras
  /// The tables that the run changed.
  package let tables: [JournalTable]
  /// The number of rows that the run changed.
  package let entries: Int
  private let file: Int32
  private let name: String
  private let size: Int
  private let blocks: [(offset: Int, size: Int)]

  /// The largest size of a block, in bytes. Larger blocks are never written, because SQLite rows cannot be larger.
  private static let limit = 1 << 31

  /// Opens a run's journal.
  /// - Returns: nil if the run has no journal.
  /// - Throws: `RunFailure` with status 4 if the journal is a symbolic link or belongs to another user, 2 if the
  ///   journal is damaged.
  package init?(of run: Int64, in sidecar: SidecarFolder) throws {
    guard let folder = try sidecar.part(.undo), let file = try folder.file(UndoJournal.name(of: run), O_RDONLY) else {
      return nil
    }
    self.file = file
    let path = folder.path(UndoJournal.name(of: run))
    name = path
    var status = stat()
    fstat(file, &status)
    size = Int(status.st_size)
    func damaged() -> RunFailure {
      RunFailure(.failed, "read '\(path)': the journal is damaged", advice: "Copies of the library are in 'backups'.")
    }
    guard size >= 24, let tail = Self.read(file, at: size - 16, 16),
      Array(tail.suffix(8)) == Self.bytes(UndoJournal.end),
      let head = Self.read(file, at: 0, 8), head == Self.bytes(UndoJournal.magic)
    else {
      close(file)
      throw damaged()
    }
    guard let index = Self.block(file, size: size, at: Self.number(tail), limit: Self.limit),
      let root = (try? JSONDocument(parsing: index))?.root
    else {
      close(file)
      throw damaged()
    }
    extras = UndoExtras(root)
    entries = Int(clamping: root["entries"]?.integer ?? 0)
    tables = (root["tables"]?.elements ?? []).map { table in
      let columns = (table["columns"]?.elements ?? []).compactMap(\.string)
      let keys = (table["keys"]?.elements ?? []).compactMap { $0.integer.map { Int(clamping: $0) } }
      return JournalTable(
        name: table["name"]?.string ?? "", isBeside: table["beside"]?.bool ?? false, columns: columns,
        keys: keys.filter(columns.indices.contains), hasRows: table["rows"]?.bool ?? true)
    }
    blocks = (root["blocks"]?.elements ?? []).map {
      (Int(clamping: $0[0]?.integer ?? 0), Int(clamping: $0[1]?.integer ?? 0))
    }
  }

  deinit { close(file) }

  /// Calls `body` with each entry, last entry first.
  /// - Throws: `RunFailure` with status 2 if the journal is damaged, and any error that `body` throws.
  package func backwards(_ body: (RowImage) throws -> Void) throws {
    for block in blocks.reversed() {
      guard let bytes = Self.block(file, size: size, at: block.offset, limit: Self.limit), bytes.count == block.size,
        let images = RowImageParser.images(bytes, tables)
      else {
        throw RunFailure(
          .failed, "read '\(name)': the journal is damaged", advice: "Copies of the library are in 'backups'.")
      }
      for image in images.reversed() { try body(image) }
    }
  }

  private static func bytes(_ text: StaticString) -> [UInt8] {
    text.withUTF8Buffer { Array($0) }
  }

  private static func number(_ bytes: [UInt8]) -> Int {
    Int(clamping: bytes.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
  }

  /// Decompresses the block at an offset; returns nil if the block is invalid.
  private static func block(_ file: Int32, size: Int, at offset: Int, limit: Int) -> [UInt8]? {
    guard offset >= 8, offset <= size - 24, let head = read(file, at: offset, 8) else { return nil }
    let length = number(head)
    guard length <= size - 16 - offset - 8, let packed = read(file, at: offset + 8, length) else { return nil }
    return ZstdBlock.unpack(packed.span, limit: limit)
  }

  private static func read(_ file: Int32, at offset: Int, _ count: Int) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = bytes.withUnsafeMutableBytes {
        pread(file, $0.baseAddress.map { $0 + done }, count - done, off_t(offset + done))
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      done += got
    }
    return bytes
  }
}

/// Parses the entries of a journal block. For malformed or malicious bytes, returns nil and never traps.
private struct RowImageParser {
  private let bytes: [UInt8]
  private let tables: [JournalTable]
  private var at = 0

  static func images(_ bytes: [UInt8], _ tables: [JournalTable]) -> [RowImage]? {
    var parser = RowImageParser(bytes: bytes, tables: tables)
    var images: [RowImage] = []
    while parser.at < bytes.count {
      guard let image = parser.image() else { return nil }
      images.append(image)
    }
    return images
  }

  private mutating func image() -> RowImage? {
    guard let operation = byte().flatMap(RowImage.Operation.init(rawValue:)), let number = varint(),
      number < UInt64(tables.count), let row = signed()
    else { return nil }
    let table = tables[Int(number)]
    var key: [JournalValue] = []
    var old: [(Int, JournalValue)] = []
    if operation == .delete {
      for column in table.columns.indices {
        guard let value = value() else { return nil }
        old.append((column, value))
      }
      key = table.keys.map { old[$0].1 }
      return RowImage(operation: operation, table: table, row: row, key: key, old: old, hash: 0)
    }
    for _ in table.keys {
      guard let value = value() else { return nil }
      key.append(value)
    }
    if operation == .update {
      while true {
        guard let column = varint(), column <= UInt64(table.columns.count) else { return nil }
        if column == 0 { break }
        guard let value = value() else { return nil }
        old.append((Int(column) - 1, value))
      }
    }
    guard let hash = fixed() else { return nil }
    return RowImage(operation: operation, table: table, row: row, key: key, old: old, hash: hash)
  }

  private mutating func value() -> JournalValue? {
    switch byte() {
    case 0: return .null
    case 1: return signed().map { .integer($0) }
    case 2: return fixed().map { .real(Double(bitPattern: $0)) }
    case 3: return run().map { .text($0) }
    case 4: return run().map { .blob($0) }
    default: return nil
    }
  }

  private mutating func byte() -> UInt8? {
    guard at < bytes.count else { return nil }
    at += 1
    return bytes[at - 1]
  }

  private mutating func varint() -> UInt64? {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, to: 64, by: 7) {
      guard let byte = byte() else { return nil }
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    return nil
  }

  private mutating func signed() -> Int64? {
    varint().map { Int64(bitPattern: $0 >> 1) ^ -Int64(bitPattern: $0 & 1) }
  }

  private mutating func fixed() -> UInt64? {
    guard bytes.count - at >= 8 else { return nil }
    defer { at += 8 }
    return bytes[at..<at + 8].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
  }

  private mutating func run() -> [UInt8]? {
    guard let length = varint(), length <= UInt64(bytes.count - at) else { return nil }
    defer { at += Int(length) }
    return Array(bytes[at..<at + Int(length)])
  }
}
