import Content
import Foundation
import Interchange

/// What a file is, told by its bytes in one pass: what is signed, and what another version names it by.
public struct FileFingerprint: Sendable, Hashable {
  /// The file.
  public let path: String
  /// BLAKE2b-512 of it, which is what is signed.
  public let blake2b512: [UInt8]
  /// SHA-256 of it in lower-case hexadecimal digits.
  public let sha256: String
  /// How many bytes it has.
  public let bytes: Int
  private let stamp: Stamp

  /// How a file shows that it was changed.
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

  /// Reads a file, whatever its size, through one buffer.
  /// - Parameter onProgress: called now and then with bytes read and bytes in all.
  /// - Throws: `RunFailure` with status 2 when it cannot be read, 64 when it is no plain file.
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

  /// Proves that the file is still the one whose bytes were read.
  ///
  /// What was signed and what was checked are read one after the other; between the two nobody may change it.
  /// - Throws: `RunFailure` with status 5.
  public func requireUnchanged() throws {
    var now = stat()
    guard stat(path, &now) == 0, Stamp(now) == stamp, now.st_size == bytes else {
      throw RunFailure(
        .mismatch, "read '\(path)': the file was changed while it was read", advice: "Try again when it is at rest.")
    }
  }

  /// All bytes of a file that is signed in the old way, which hashes nothing first.
  /// - Throws: `RunFailure` with status 2 when it has more than 1 GiB, which is minisign's limit, too.
  func wholeFile() throws -> [UInt8] {
    let (descriptor, status) = try Self.open(path)
    defer { close(descriptor) }
    guard status.st_size <= 1 << 30 else {
      throw RunFailure(
        .failed, "read '\(path)': its signature is of the old kind, which cannot be verified for files above 1 GiB",
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
    // A pipe without a writer would wait for ever.
    let descriptor = Foundation.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw RunFailure(
        .usage, "read '\(path)': only a file can be signed, and this is none",
        advice: "Build a pack as one file: 'fleetkit pack build … --to NAME.fleetpack'.")
    }
    return (descriptor, status)
  }
}
