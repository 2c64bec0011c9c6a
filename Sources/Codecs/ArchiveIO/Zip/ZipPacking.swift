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
  func add(_ bytes: UnsafeRawBufferPointer) throws { try rest.add(bytes) }
  func end() throws { try rest.end() }

  func complete(head: [(name: String, bytes: [UInt8])]) throws {
    let first = ZipMemberWriter(file.descriptor, name: file.target, like: rest)
    for (name, bytes) in head {
      try first.begin(name, size: bytes.count)
      try bytes.withUnsafeBytes { try first.add($0) }
      try first.end()
    }
    lseek(file.descriptor, off_t(first.position), SEEK_SET)
    try FileBytes.copy(rest.position, from: spool, to: file.descriptor, name: file.target)
    let start = first.position + rest.position
    var directory: [UInt8] = []
    for member in first.members { directory += member.central(shifted: 0) }
    for member in rest.members { directory += member.central(shifted: first.position) }
    directory += ZipMember.end(count: first.members.count + rest.members.count, start: start, size: directory.count)
    try directory.withUnsafeBytes { try FileBytes.write($0, to: file.descriptor, name: file.target) }
  }

  func publish() throws -> Int { try file.publish() }

  func discard() { file.discard() }
}
