import CZlib
import Foundation
import Interchange

/// Writes a ZIP archive. Files are packed as they arrive, to an unnamed file. The head precedes them in the archive,
/// and the directory at the end records the offset of each file.
///
/// FleetKit does not use a library to write ZIP archives, because libraries write times in the local time zone.
/// - Source: PKWARE APPNOTE 6.3.10
final class ZipPacking: ArchivePacking {
  private let file: AtomicFile
  private let spool: Int32
  private let rest: ZipMemberWriter

  /// Begins an archive.
  init(_ file: AtomicFile, time: Int64, level: Int) throws {
    self.file = file
    spool = try FileBytes.unnamed(in: URL(fileURLWithPath: file.target).deletingLastPathComponent().path)
    rest = ZipMemberWriter(spool, name: file.target, time: time, level: level)
  }

  deinit { close(spool) }

  func begin(_ name: String, size: Int) throws { try rest.begin(name, size: size) }
  /// Begins a file of unknown size.
  func begin(_ name: String) throws { try rest.begin(name, size: nil) }
  func add(_ bytes: Span<UInt8>) throws { try rest.add(bytes) }
  func end() throws { try rest.end() }

  func complete(head: [(name: String, bytes: [UInt8])]) throws {
    let first = ZipMemberWriter(file.descriptor, name: file.target, like: rest)
    for (name, bytes) in head {
      try first.begin(name, size: bytes.count)
      try first.add(bytes.span)
      try first.end()
    }
    lseek(file.descriptor, off_t(first.position), SEEK_SET)
    try FileBytes.copy(rest.position, from: spool, to: file.descriptor, name: file.target)
    let start = first.position + rest.position
    var directory: [UInt8] = []
    for member in first.members { directory += member.central(shifted: 0) }
    for member in rest.members { directory += member.central(shifted: first.position) }
    directory += ZipMember.end(count: first.members.count + rest.members.count, start: start, size: directory.count)
    try FileBytes.write(directory.span.bytes, to: file.descriptor, name: file.target)
  }

  func publish() throws -> Int { try file.publish() }

  func discard() { file.discard() }
}

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
  func add(_ bytes: Span<UInt8>) throws {
    // Without any bytes, zlib would return the initial checksum.
    if bytes.isEmpty { return }
    current.crc = bytes.withUnsafeBufferPointer {
      UInt32(truncatingIfNeeded: crc32_z(UInt(current.crc), $0.baseAddress, $0.count))
    }
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
      throw RunFailure(.refused, "write '\(name)': one of its files is larger than 3.75 GiB")
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

/// Writes a ZIP archive for formats that are ZIP files. Files of unknown sizes are written one by one; the head files
/// are written last but come first in the archive.
///
/// The same content gives the same bytes, because all times are the earliest time that ZIP can represent.
package final class ZipFileWriter {
  /// 1980-01-01, the earliest time that ZIP can represent.
  private static let time: Int64 = 315_532_800

  private let packing: ZipPacking

  /// Begins an archive, which gets its name only when it is complete.
  /// - Parameter level: zlib's compression level, 1 to 9.
  /// - Throws: `RunFailure` if the target cannot be written.
  package init(_ target: Target, level: Int) throws {
    packing = try ZipPacking(
      AtomicFile(target), time: Self.time, level: level)
  }

  /// Begins a file.
  package func begin(_ name: String) throws { try packing.begin(name) }

  /// Adds bytes to the current file.
  package func add(_ bytes: Span<UInt8>) throws { try packing.add(bytes) }

  /// Ends the current file.
  package func end() throws { try packing.end() }

  /// Writes the head files, followed by all other files, under the temporary name.
  package func complete(head: [(name: String, bytes: [UInt8])]) throws { try packing.complete(head: head) }

  /// Renames the archive to the target's name and returns its size in bytes.
  package func publish() throws -> Int { try packing.publish() }

  /// Removes all files that were written.
  package func discard() { packing.discard() }
}
