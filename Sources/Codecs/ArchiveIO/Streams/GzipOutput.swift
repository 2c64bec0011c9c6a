import CZlib
import Foundation
import Interchange

/// Packs bytes as members of gzip, without a name and without a time.
final class GzipOutput: PackedOutput {
  private let descriptor: Int32
  private let name: String
  private let level: Int32
  private var stream = z_stream()
  private var isOpen = false
  private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)
  private var written = 0
  private var taken = 0

  /// Writes to an open file; `name` is for messages.
  init(descriptor: Int32, name: String, level: Int) {
    self.descriptor = descriptor
    self.name = name
    // zlib knows 1 to 9; 3 is zstd's usual, 6 is gzip's.
    self.level = level == 3 ? 6 : Int32(min(9, max(1, level)))
  }

  deinit {
    if isOpen { deflateEnd(&stream) }
    room.deallocate()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    try Interruption.check()
    try open()
    var rest = bytes
    while !rest.isEmpty {
      // zlib counts in 32 bits.
      let piece = min(rest.count, 1 << 30)
      stream.next_in = UnsafeMutablePointer(
        mutating: rest.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(piece)
      while stream.avail_in > 0 { try step(Z_NO_FLUSH) }
      rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
      taken += piece
      try DenseContent.check(taken, packed: written, of: name)
    }
  }

  func finish() throws -> Int {
    if isOpen {
      stream.next_in = nil
      stream.avail_in = 0
      while try step(Z_FINISH) != Z_STREAM_END {}
      deflateEnd(&stream)
      isOpen = false
    }
    defer { written = 0 }
    return written
  }

  private func open() throws {
    guard !isOpen else { return }
    stream = z_stream()
    // 15 + 16: the largest window, with gzip's frame, whose time is 0 and whose system zlib writes as Unix.
    let opened = deflateInit2_(
      &stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard opened == Z_OK else { throw RunFailure(.internalError, "begin to pack '\(name)': zlib says \(opened)") }
    isOpen = true
  }

  @discardableResult
  private func step(_ flush: Int32) throws -> Int32 {
    stream.next_out = room
    stream.avail_out = 1 << 18
    let status = deflate(&stream, flush)
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
      throw RunFailure(.internalError, "pack '\(name)': zlib says \(status)")
    }
    let count = (1 << 18) - Int(stream.avail_out)
    try FileBytes.write(UnsafeRawBufferPointer(start: room, count: count), to: descriptor, name: name)
    written += count
    return status
  }
}
