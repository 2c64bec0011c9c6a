import CZlib
import Foundation
import Interchange

/// Unpacks files of an open ZIP archive and checks each file's size and checksum.
final class ZipUnpacker {
  private let path: String
  private let descriptor: Int32
  private let limits: ArchiveLimits
  private let input = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 64)
  private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 64)
  private var inflater: RawInflater?
  /// The number of bytes that were read from the archive.
  private(set) var done = 0
  private var made = 0

  /// Creates an unpacker for an open file, which the caller closes. `path` is used in messages.
  init(_ path: String, _ descriptor: Int32, limits: ArchiveLimits) {
    self.path = path
    self.descriptor = descriptor
    self.limits = limits
  }

  deinit {
    input.deallocate()
    output.deallocate()
  }

  /// Passes the bytes of a file to `take` in pieces.
  /// - Throws: `RunFailure` with status 5 if the file is damaged, 2 if it is rejected, or an error that `take` throws.
  func read(_ member: ZipMember, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    var sum: UInt32 = 0
    var count = 0
    try unpack(member) { bytes in
      count += bytes.count
      made += bytes.count
      guard count <= member.size else { throw damage(member, "it has more bytes than the archive declares") }
      guard made <= limits.freeBytes || made / limits.ratio <= done else {
        throw RunFailure(
          .failed,
          "read '\(path)': refused at \(MemberName.shown(member.name)): it unpacks to more than \(limits.ratio) times "
            + "its size", advice: "Nothing was written. Do not trust this archive.")
      }
      sum = UInt32(crc32(UInt(sum), bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), UInt32(bytes.count)))
      try take(bytes)
    }
    guard count == member.size else { throw damage(member, "it has fewer bytes than the archive declares") }
    guard sum == member.crc else { throw damage(member, "its checksum (CRC-32) differs") }
  }

  private func unpack(_ member: ZipMember, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
    let inflater = member.method == 8 ? try self.inflater ?? RawInflater(path) : nil
    self.inflater = inflater
    inflater?.reset()
    var position = member.offset
    var rest = member.packedSize
    var hasEnded = false
    while rest > 0 {
      try Interruption.check()
      let got = pread(descriptor, input.baseAddress, min(rest, input.count), off_t(position))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else {
        throw got < 0 ? RunFailure(.failed, "read '\(path)': \(SystemError.last)") : damage(member, "it is truncated")
      }
      position += got
      rest -= got
      done += got
      let bytes = UnsafeRawBufferPointer(rebasing: input[..<got])
      guard let inflater else {
        try take(bytes)
        continue
      }
      guard !hasEnded else { throw damage(member, "there are bytes after its end") }
      switch try inflater.feed(bytes, room: output, take) {
      case .more: break
      case .ended(let left):
        hasEnded = true
        guard left == 0 else { throw damage(member, "there are bytes after its end") }
      case .damaged(let reason): throw damage(member, reason)
      }
    }
    if inflater != nil, !hasEnded { throw damage(member, "it is truncated") }
  }

  private func damage(_ member: ZipMember, _ reason: String) -> RunFailure {
    RunFailure(
      .mismatch, "read '\(path)': \(MemberName.shown(member.name)), at byte \(member.offset), is damaged: \(reason)")
  }
}
