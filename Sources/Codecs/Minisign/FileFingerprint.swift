import Content
import Foundation
import Interchange

/// The digests of a file, computed in one pass. BLAKE2b-512 is signed, and SHA-256 identifies the file.
public struct FileFingerprint: Sendable, Hashable {
  /// The path of the file.
  public let path: String
  /// The BLAKE2b-512 digest of the file, which is signed.
  public let blake2b512: [UInt8]
  /// The SHA-256 digest of the file in lower-case hexadecimal digits.
  public let sha256: String
  /// The size of the file in bytes.
  public let bytes: Int
  private let stamp: Stamp

  /// Metadata that shows whether a file was changed.
  private struct Stamp: Sendable, Hashable {
    let device: UInt64, file: UInt64, size: Int64, changed: Int64, nanoseconds: Int

    init(_ status: stat) {
      device = UInt64(truncatingIfNeeded: status.st_dev)
      file = UInt64(truncatingIfNeeded: status.st_ino)
      size = Int64(status.st_size)
      #if os(Linux)
        changed = Int64(status.st_ctim.tv_sec)
        nanoseconds = Int(status.st_ctim.tv_nsec)
      #else
        changed = Int64(status.st_ctimespec.tv_sec)
        nanoseconds = Int(status.st_ctimespec.tv_nsec)
      #endif
    }
  }

  /// Reads a file of any size through one buffer.
  /// - Parameter onProgress: called from time to time with the number of bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read, 64 if it is not a regular file.
  public init(_ path: String, onProgress: ((Int, Int?) -> Void)? = nil) throws {
    let (descriptor, status) = try Self.open(path)
    defer { close(descriptor) }
    self.path = path
    var blake = Blake2b512()
    var sha = DigestStream()
    var done = 0
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { room.deallocate() }
    while true {
      let got = FileRead.some(descriptor, into: room)
      guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
      if got == 0 { break }
      let piece = room.assumingMemoryBound(to: UInt8.self).span.extracting(first: got)
      blake.update(piece)
      sha.update(piece)
      done += got
      onProgress?(done, Int(status.st_size))
      try Interruption.check()
    }
    bytes = done
    blake2b512 = blake.finish()
    sha256 = Digest.hex(sha.finish())
    stamp = Stamp(status)
    try requireUnchanged()
  }

  /// Checks that the file has not changed since its bytes were read.
  ///
  /// A file is read once to sign or verify it and once for its content. It must not change in between.
  /// - Throws: `RunFailure` with status 5.
  public func requireUnchanged() throws {
    var now = stat()
    guard stat(path, &now) == 0, Stamp(now) == stamp, now.st_size == bytes else {
      throw RunFailure(
        .mismatch, "read '\(path)': the file changed while it was being read",
        advice: "Try again when no other program is changing it.")
    }
  }

  /// Returns all bytes of the file, for a legacy signature, which signs the file without hashing it first.
  /// - Throws: `RunFailure` with status 2 if the file is larger than 1 GiB, which is also minisign's limit.
  func wholeFile() throws -> [UInt8] {
    let (descriptor, status) = try Self.open(path)
    defer { close(descriptor) }
    guard status.st_size <= 1 << 30 else {
      throw RunFailure(
        .failed, "read '\(path)': legacy signatures cannot be verified for files larger than 1 GiB",
        advice: "Ask the publisher to sign the file with a newer version of minisign, or with 'fleetkit pack sign'.")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var used = 0
    while used < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[used...]))
      }
      guard got > 0 else {
        throw RunFailure(.failed, "read '\(path)': \(got == 0 ? "the file became shorter" : SystemError.last)")
      }
      used += got
    }
    try requireUnchanged()
    return bytes
  }

  private static func open(_ path: String) throws -> (Int32, stat) {
    // Opening a pipe without a writer would wait forever.
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RunFailure(
        .usage, "read '\(path)': not a regular file; only a file can be signed",
        advice: "Build a pack as one file: 'fleetkit pack build … --to NAME.fleetpack'.")
    }
    return (descriptor, status)
  }
}
