import Content
import Foundation
import Interchange
import SQLiteLibrary

/// What a library's bytes are, so that it can be told whether it has changed since.
package struct LibraryFingerprint: Sendable, Equatable {
  /// The size of its file, and of the write-ahead log beside it, in bytes.
  package let size: Int
  /// SHA-256 of the file, and of the write-ahead log behind it where there is one, in lower-case hexadecimal digits.
  package let sha256: String

  package init(size: Int, sha256: String) {
    self.size = size
    self.sha256 = sha256
  }

  /// Reads a library that this process has not opened.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package init(of path: String) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    try self.init(descriptor, path: path)
  }

  /// Reads a library through a descriptor, which stays open: closing one would drop SQLite's locks.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package init(_ descriptor: Int32, path: String) throws {
    var digest = DigestStream()
    var size = try Self.add(descriptor, path, to: &digest)
    // The locks are on the file and on its index, not on the log.
    let log = open(path + "-wal", O_RDONLY | O_CLOEXEC)
    if log >= 0 {
      defer { close(log) }
      size += try Self.add(log, path + "-wal", to: &digest)
    }
    self.init(size: size, sha256: Digest.hex(digest.finish()))
  }

  private static func add(_ descriptor: Int32, _ path: String, to digest: inout DigestStream) throws -> Int {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 4096)
    defer { piece.deallocate() }
    var at = 0
    while true {
      try Interruption.check()
      let got = pread(descriptor, piece.baseAddress, piece.count, off_t(at))
      if got < 0 {
        if errno == EINTR { continue }
        throw RunFailure(.failed, "read '\(path)': \(SystemError.last)")
      }
      if got == 0 { return at }
      digest.update(UnsafeBufferPointer(rebasing: piece.bindMemory(to: UInt8.self)[..<got]))
      at += got
    }
  }
}

extension WritableLibrary {
  /// What the library is, under its locks and before this run's changes; nil for one that is being made.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  func fingerprint() throws -> LibraryFingerprint? {
    try withDescriptor { try LibraryFingerprint($0, path: path) }
  }
}

/// What a library was before a run, for whoever asks while the run lasts; afterwards only where it was read in the
/// background.
package final class LateFingerprint {
  private let read: () throws -> LibraryFingerprint?
  private let background: Background<LibraryFingerprint?>?

  /// What is known already; nil for a library that is not there.
  init(_ known: LibraryFingerprint?) {
    read = { known }
    background = nil
  }

  /// Reads a library under its locks.
  /// - Parameter inBackground: whether it is read beside everything else, beginning now; `wait` must be called before
  ///   the library is closed, and nothing may be written to it before.
  init(_ library: WritableLibrary, inBackground: Bool) {
    guard inBackground, let descriptor = library.withDescriptor({ $0 }) else {
      background = nil
      read = { try library.fingerprint() }
      return
    }
    let path = library.path
    let background = Background { try LibraryFingerprint(descriptor, path: path) as LibraryFingerprint? }
    self.background = background
    read = { try background.wait() }
  }

  /// What the library was; nil when it was not there.
  /// - Throws: `RunFailure` with status 2 when it cannot be read.
  package func value() throws -> LibraryFingerprint? { try read() }

  /// Waits until nothing is read any more.
  func wait() { _ = try? background?.wait() }
}

/// Who is shown what a library is before anything is done, and the last run that changed it. Throwing ends the import.
package typealias LibraryLook = (LateFingerprint, Int64?) throws -> Void
