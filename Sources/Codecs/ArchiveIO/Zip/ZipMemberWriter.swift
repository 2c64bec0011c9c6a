import CZlib
import Foundation
import Interchange

/// Writes files as ZIP holds them, one behind the other: a header, and the deflated bytes.
final class ZipMemberWriter {
  /// What was written.
  private(set) var members: [ZipMember] = []
  /// How many bytes were written.
  private(set) var position = 0

  private let descriptor: Int32
  private let name: String
  private let level: Int32
  private let time: UInt32
  private var taken = 0
  private var current = ZipMember(name: [])
  private var stream = z_stream()
  private var isOpen = false
  /// Whether the size is what comes.
  private var counts = false
  private let room = UnsafeMutablePointer<UInt8>.allocate(capacity: 1 << 18)

  /// Writes to an open file that is empty; `name` is for messages.
  init(_ descriptor: Int32, name: String, time: Int64, level: Int) {
    self.descriptor = descriptor
    self.name = name
    self.level = level == 3 ? 6 : Int32(min(9, max(1, level)))
    self.time = ZipMember.time(of: time)
  }

  /// Writes to another file what looks like the same archive.
  init(_ descriptor: Int32, name: String, like other: ZipMemberWriter) {
    self.descriptor = descriptor
    self.name = name
    level = other.level
    time = other.time
  }

  deinit {
    if isOpen { deflateEnd(&stream) }
    room.deallocate()
  }

  /// Begins a file; its size is nil when nobody knows it yet, and must then stay below 3.75 GiB.
  func begin(_ name: String, size: Int?) throws {
    try Interruption.check()
    current = ZipMember(name: Array(name.utf8))
    current.size = size ?? 0
    current.time = time
    current.offset = position
    current.method = size == 0 ? 0 : 8
    counts = size == nil
    // The header's place is kept; its numbers are known when the bytes are packed.
    position += current.local.count
    lseek(descriptor, off_t(position), SEEK_SET)
    guard current.method == 8 else { return }
    if isOpen {
      deflateReset(&stream)
    } else {
      let opened = deflateInit2_(
        &stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      guard opened == Z_OK else {
        throw RunFailure(.internalError, "begin to pack '\(self.name)': zlib says \(opened)")
      }
      isOpen = true
    }
  }

  /// Adds bytes to it.
  func add(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while !rest.isEmpty {
      let piece = min(rest.count, 1 << 30)
      let start = rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
      current.crc = UInt32(crc32(UInt(current.crc), start, UInt32(piece)))
      stream.next_in = UnsafeMutablePointer(mutating: start)
      stream.avail_in = UInt32(piece)
      while stream.avail_in > 0 { try step(Z_NO_FLUSH) }
      rest = UnsafeRawBufferPointer(rebasing: rest[piece...])
      taken += piece
      if counts { current.size += piece }
      try DenseContent.check(taken, packed: position + current.packedSize, of: name)
    }
  }

  /// Ends it.
  func end() throws {
    if current.method == 8 {
      stream.next_in = nil
      stream.avail_in = 0
      while try step(Z_FINISH) != Z_STREAM_END {}
    }
    // The room that was kept before the bytes is for sizes of 32 bits.
    guard !counts || !current.isLarge else {
      throw RunFailure(.refused, "write '\(name)': one of its files has more than 3.75 GiB")
    }
    try current.local.withUnsafeBytes { header in
      guard pwrite(descriptor, header.baseAddress, header.count, off_t(current.offset)) == header.count else {
        throw RunFailure(.failed, "write '\(name)': \(SystemError.last)")
      }
    }
    position += current.packedSize
    members.append(current)
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
    current.packedSize += count
    return status
  }
}
