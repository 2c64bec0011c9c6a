import Foundation
import Interchange

/// Reads the files of a ZIP archive in the order of their bytes.
///
/// The source reads exactly the content that was checked: the directory is read once and checked against the local
/// headers, and files are unpacked from the offsets in the directory.
final class ZipSource: ArchiveSource {
  private let descriptor: Int32
  private let size: Int
  private let unpacker: ZipUnpacker
  private var members: [ZipMember] = []
  private var at = 0

  /// Reads the directory of an open file, which this object closes at the end.
  init(_ path: String, descriptor: Int32, size: Int, limits: ArchiveLimits) throws {
    self.descriptor = descriptor
    self.size = size
    unpacker = ZipUnpacker(path, descriptor, limits: limits)
    members = try ZipDirectory(path, descriptor, size: size, limits: limits).members
  }

  deinit { close(descriptor) }

  func next() throws -> RawEntry? {
    guard at < members.count else { return nil }
    let member = members[at]
    at += 1
    return RawEntry(name: member.name, kind: member.kind, size: member.size)
  }

  func read(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    try unpacker.read(members[at - 1], take)
  }

  var knownNames: [[UInt8]] { members.map(\.name) }

  var progress: (done: Int, total: Int?) { (unpacker.done, size) }
}
