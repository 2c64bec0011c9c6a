import ArchiveIO
import Foundation
import Interchange
import JSONText

/// The state that all sheets of a source share during reading. Only one sheet is parsed at a time, and the memory for
/// all rows has one bound.
final class SheetContext {
  /// The sheet whose thread is running. The next sheet that starts stops this thread.
  weak var live: SheetRows?
  /// The number of bytes that are still available for keeping rows in memory.
  var room = 16 << 20
}

/// The rows of a sheet that were already read. They are kept so that the sheet is parsed only once even if it is read
/// again. Rows that exceed the shared memory are kept on disk.
final class SheetCache {
  private enum Kept {
    case memory(SheetBatch)
    case disk(offset: Int, bytes: Int, cells: Int, rows: Int, packed: Int)
  }

  private let sharing: SheetContext
  private var kept: [Kept] = []
  private var descriptor: Int32 = -1
  private var size = 0

  init(_ sharing: SheetContext) { self.sharing = sharing }

  deinit { if descriptor >= 0 { close(descriptor) } }

  /// The number of batches.
  var count: Int { kept.count }

  /// Stores a batch.
  /// - Throws: `RunFailure` when the disk is full.
  func append(_ batch: SheetBatch) throws {
    if batch.cost <= sharing.room {
      sharing.room -= batch.cost
      kept.append(.memory(batch))
      return
    }
    let folder = TemporaryFolder.root
    let name = "a temporary file in \(folder)"
    if descriptor < 0 { descriptor = try FileBytes.unnamed(in: folder) }
    lseek(descriptor, off_t(size), SEEK_SET)
    try FileBytes.write(UnsafeRawBufferPointer(batch.bytes.bytes), to: descriptor, name: name)
    try batch.cells.withUnsafeBytes { try FileBytes.write($0, to: descriptor, name: name) }
    try batch.rows.withUnsafeBytes { try FileBytes.write($0, to: descriptor, name: name) }
    kept.append(
      .disk(
        offset: size, bytes: batch.bytes.count, cells: batch.cells.count, rows: batch.rows.count,
        packed: batch.packed))
    size +=
      batch.bytes.count + batch.cells.count * MemoryLayout<SheetBatch.Cell>.stride
      + batch.rows.count * MemoryLayout<SheetBatch.Row>.stride
  }

  /// Returns a stored batch, without the errors that its cells showed.
  /// - Throws: `RunFailure` when the batch cannot be read.
  func batch(_ index: Int) throws -> SheetBatch {
    switch kept[index] {
    case .memory(let batch): return batch
    case .disk(let offset, let bytes, let cells, let rows, let packed):
      var text = ByteBuffer(capacity: max(64, bytes))
      _ = try text.append(room: bytes) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
        try read(room, at: offset)
        return bytes
      }
      let cellsAt = offset + bytes
      let allCells: [SheetBatch.Cell] = try array(cells, at: cellsAt)
      let allRows: [SheetBatch.Row] = try array(rows, at: cellsAt + cells * MemoryLayout<SheetBatch.Cell>.stride)
      return SheetBatch(text, allCells, allRows, [], packed: packed)
    }
  }

  /// Reads an array of trivial values, which are stored in the process's own memory layout.
  private func array<Element>(_ count: Int, at offset: Int) throws -> [Element] {
    try Array(unsafeUninitializedCapacity: count) { room, initialized in
      try read(UnsafeMutableRawBufferPointer(room), at: offset)
      initialized = count
    }
  }

  private func read(_ room: UnsafeMutableRawBufferPointer, at offset: Int) throws {
    var done = 0
    while done < room.count {
      let rest = UnsafeMutableRawBufferPointer(rebasing: room[done...])
      let got = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + done))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw RunFailure(.failed, "read a temporary file: \(got < 0 ? SystemError.last : "it ends too early")")
      }
      done += got
    }
  }
}
