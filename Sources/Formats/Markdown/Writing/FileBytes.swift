import Foundation
import Interchange
import JSONText

/// Reads and writes whole small files without following links.
enum FileBytes {
  /// Makes a new file.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  static func write(_ bytes: [UInt8], to path: String) throws {
    let file = descriptor(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC)
    guard file >= 0 else { throw VaultStaging.failure("write", path) }
    defer { close(file) }
    var at = 0
    while at < bytes.count {
      let sent = bytes.withUnsafeBytes { room in
        room.baseAddress.map { systemWrite(file, $0 + at, bytes.count - at) } ?? 0
      }
      if sent < 0, errno == EINTR { continue }
      guard sent > 0 else { throw VaultStaging.failure("write", path) }
      at += sent
    }
  }

  /// The bytes of a regular file; nil when it is none, cannot be read, or is longer than `limit`.
  static func bytes(_ path: String, limit: Int) -> [UInt8]? {
    let file = descriptor(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else { return nil }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= limit else { return nil }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var at = 0
    while at < bytes.count {
      let count = bytes.count - at
      let got = bytes.withUnsafeMutableBytes { room in room.baseAddress.map { read(file, $0 + at, count) } ?? 0 }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { return nil }
      at += got
    }
    return bytes
  }

  /// Whether a file holds exactly these bytes.
  static func holds(_ path: String, _ bytes: [UInt8]) -> Bool { self.bytes(path, limit: bytes.count) == bytes }

  /// Whether two files hold the same bytes.
  static func same(_ left: String, _ right: String) -> Bool {
    guard let first = try? Data(contentsOf: URL(fileURLWithPath: left), options: .mappedIfSafe),
      VaultPath.entry(at: right) == .file,
      let second = try? Data(contentsOf: URL(fileURLWithPath: right), options: .mappedIfSafe)
    else { return false }
    return first == second
  }

  /// How many bytes a file has.
  static func size(_ path: String) -> Int {
    var status = stat()
    return lstat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Gives a staged file the permissions of the file that it replaces.
  static func takeMode(of old: String, for new: String) {
    var status = stat()
    if lstat(old, &status) == 0, status.st_mode & S_IFMT == S_IFREG { chmod(new, status.st_mode & 0o7777) }
  }

  private static func descriptor(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Glibc)
      Glibc.open(path, flags, 0o644)
    #else
      Darwin.open(path, flags, 0o644)
    #endif
  }

  private static func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes, count)
    #else
      Darwin.write(file, bytes, count)
    #endif
  }
}
