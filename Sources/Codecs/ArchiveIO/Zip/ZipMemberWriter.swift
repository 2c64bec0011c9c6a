import CZlib
import Foundation
import Interchange

/// Writes files in ZIP format one by one, each as a header followed by the deflated bytes.
final class ZipMemberWriter {
  /// The files that were written.
  private(set) var members: [ZipMember] = []
  /// The number of bytes that were written.
  private(set) var position = 0

  private let descriptor: Int32
  private let name: String
  private let level: Int
  private let time: UInt32
  private let deflater: Deflater
  private var taken = 0
  private var current = ZipMember(name: [])
  /// Whether the size of the current file is counted because it was not declared.
  private var counts = false

  /// Creates a writer for an open, empty file. `name` is used in messages.
  init(_ descriptor: Int32, name: String, time: Int64, level: Int) {
    self.descriptor = descriptor
    self.name = name
    self.level = level
    self.time = ZipMember.time(of: time)
    deflater = Deflater(descriptor, name: name, level: level, .none)
  }

  /// Creates a writer for another file with the settings of an existing writer.
  init(_ descriptor: Int32, name: String, like other: ZipMemberWriter) {
    self.descriptor = descriptor
    self.name = name
    level = other.level
    time = other.time
    deflater = Deflater(descriptor, name: name, level: level, .none)
  }

  /// Begins a file. A size of nil means that the size is not known yet. The file must then be smaller than 3.75 GiB.
  func begin(_ name: String, size: Int?) throws {
    try Interruption.check()
    current = ZipMember(name: Array(name.utf8))
    current.size = size ?? 0
    current.time = time
    current.offset = position
    current.method = size == 0 ? 0 : 8
    counts = size == nil
    // Space is reserved for the header, because its numbers are known only after the bytes are packed.
    position += current.local.count
    lseek(descriptor, off_t(position), SEEK_SET)
    if current.method == 8 { try deflater.begin() }
  }

  /// Adds bytes to the current file.
  func add(_ bytes: UnsafeRawBufferPointer) throws {
    // Without any bytes, zlib would return the initial checksum.
    guard let start = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), !bytes.isEmpty else { return }
    current.crc = UInt32(truncatingIfNeeded: crc32_z(UInt(current.crc), start, bytes.count))
    try deflater.add(bytes)
    taken += bytes.count
    if counts { current.size += bytes.count }
    try CompressionRatioGuard.check(taken, packed: position + deflater.written, of: name)
  }

  /// Ends the current file.
  func end() throws {
    if current.method == 8 {
      try deflater.end()
      current.packedSize = deflater.written
    }
    // The reserved header has space for 32-bit sizes.
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
