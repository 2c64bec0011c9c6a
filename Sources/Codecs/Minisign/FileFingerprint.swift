import Content
import Foundation
import Interchange

/// The digests of a file, computed in one pass: one is signed, the other identifies it for another version.
public struct FileFingerprint: Sendable, Hashable {
  /// The file.
  public let path: String
  /// Its BLAKE2b-512, which is what is signed.
  public let blake2b512: [UInt8]
  /// Its SHA-256 in lower-case hexadecimal digits.
  public let sha256: String
  /// Its size in bytes.
  public let bytes: Int
  private let stamp: Stamp

  /// The metadata that shows whether a file was changed.
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
  /// - Parameter onProgress: called from time to time with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if it cannot be read, 64 if it is not a regular file.
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
      let piece = UnsafeBufferPointer(rebasing: room.bindMemory(to: UInt8.self)[..<got])
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

  /// Checks that the file is still the one whose bytes were read.
  ///
  /// What was signed and what was checked are read one after the other; the file must not change in between.
  /// - Throws: `RunFailure` with status 5.
  public func requireUnchanged() throws {
    var now = stat()
    guard stat(path, &now) == 0, Stamp(now) == stamp, now.st_size == bytes else {
      throw RunFailure(
        .mismatch, "read '\(path)': the file was changed while it was read",
        advice: "Try again when no other program is changing it.")
    }
  }

  /// All bytes of a file that is signed in the legacy way, without hashing it first.
  /// - Throws: `RunFailure` with status 2 if it has more than 1 GiB, which is also minisign's limit.
  func wholeFile() throws -> [UInt8] {
    let (descriptor, status) = try Self.open(path)
    defer { close(descriptor) }
    guard status.st_size <= 1 << 30 else {
      throw RunFailure(
        .failed, "read '\(path)': its signature is of the legacy kind, which cannot be verified for files above 1 GiB",
        advice: "Ask its publisher to sign it with a newer minisign, or with 'fleetkit pack sign'.")
    }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var used = 0
    while used < bytes.count {
      let got = bytes.withUnsafeMutableBytes {
        FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: $0[used...]))
      }
      guard got > 0 else {
        throw RunFailure(.failed, "read '\(path)': \(got == 0 ? "it became shorter" : SystemError.last)")
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
