import CZlib
import Foundation
import Interchange

/// Packs byte sequences with zlib, one by one, and writes the results to an open file.
final class Deflater {
  /// The format around the packed bytes.
  enum Frame: Int32 {
    /// No frame, as in ZIP.
    case none = -15
    /// gzip's header and trailer. zlib writes no name, a time of 0, and Unix as the operating system.
    case gzip = 31
  }

  /// The number of bytes that were written since `begin`.
  private(set) var written = 0

  private let descriptor: Int32
  private let name: String
  private let level: Int32
  private let frame: Frame
  private var stream = z_stream()
  private var isOpen = false
  private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: Deflater.capacity)
  private static let capacity = 1 << 18

  /// Creates a deflater that writes to an open file. `name` is used in messages. Level 3, zstd's default, means zlib's
  /// default.
  init(_ descriptor: Int32, name: String, level: Int, _ frame: Frame) {
    self.descriptor = descriptor
    self.name = name
    // zlib has levels 1 to 9; 6 is its default.
    self.level = level == 3 ? 6 : Int32(min(9, max(1, level)))
    self.frame = frame
  }

  deinit {
    if isOpen { deflateEnd(&stream) }
    room.deallocate()
  }

  /// Begins a sequence.
  func begin() throws {
    written = 0
    if isOpen {
      deflateReset(&stream)
      return
    }
    // 15 means the largest window.
    let opened = deflateInit2_(
      &stream, level, Z_DEFLATED, frame.rawValue, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
      Int32(MemoryLayout<z_stream>.size))
    guard opened == Z_OK else { throw RunFailure(.internalError, "pack '\(name)': zlib reports \(opened)") }
    isOpen = true
  }

  /// Packs bytes of the sequence.
  func add(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      // zlib counts in 32 bits.
      let piece = min(rest.count, 1 << 30)
      stream.next_in = UnsafeMutablePointer(mutating: rest.baseAddress?.assumingMemoryBound(to: UInt8.self))
      stream.avail_in = UInt32(piece)
      while stream.avail_in > 0 { try step(Z_NO_FLUSH) }
      rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
    }
  }

  /// Ends the sequence.
  func end() throws {
    stream.next_in = nil
    stream.avail_in = 0
    while try step(Z_FINISH) != Z_STREAM_END {}
  }

  @discardableResult
  private func step(_ flush: Int32) throws -> Int32 {
    stream.next_out = room
    stream.avail_out = UInt32(Self.capacity)
    let status = deflate(&stream, flush)
    guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
      throw RunFailure(.internalError, "pack '\(name)': zlib reports \(status)")
    }
    let count = Self.capacity - Int(stream.avail_out)
    try FileBytes.write(UnsafeRawBufferPointer(start: room, count: count), to: descriptor, name: name)
    written += count
    return status
  }
}
