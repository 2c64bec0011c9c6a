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
  private let level: Int
  private let time: UInt32
  private let deflater: Deflater
  private var taken = 0
  private var current = ZipMember(name: [])
  /// Whether the size is what comes.
  private var counts = false

  /// Writes to an open file that is empty; `name` is for messages.
  init(_ descriptor: Int32, name: String, time: Int64, level: Int) {
    self.descriptor = descriptor
    self.name = name
    self.level = level
    self.time = ZipMember.time(of: time)
    deflater = Deflater(descriptor, name: name, level: level, .none)
  }

  /// Writes to another file what looks like the same archive.
  init(_ descriptor: Int32, name: String, like other: ZipMemberWriter) {
    self.descriptor = descriptor
    self.name = name
    level = other.level
    time = other.time
    deflater = Deflater(descriptor, name: name, level: level, .none)
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
    if current.method == 8 { try deflater.begin() }
  }

  /// Adds bytes to it.
  func add(_ bytes: UnsafeRawBufferPointer) throws {
    // Of nothing, zlib gives out the checksum to begin with.
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else { return }
    current.crc = UInt32(truncatingIfNeeded: crc32_z(UInt(current.crc), start, bytes.count))
    try deflater.add(bytes)
    taken += bytes.count
    if counts { current.size += bytes.count }
    try DenseContent.check(taken, packed: position + deflater.written, of: name)
  }

  /// Ends it.
  func end() throws {
    if current.method == 8 {
      try deflater.end()
      current.packedSize = deflater.written
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
}
