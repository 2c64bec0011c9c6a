import Foundation
import Interchange
import SQLiteIO

/// Copies a whole database into a new file that only its owner can read.
///
/// Nothing is synced, because the copy is read once and then removed.
enum DatabaseCopy {
  /// The number of bytes that are read and written at a time, which stay in the processor's cache in between. Pieces of
  /// several megabytes go through memory twice, which takes up to ten times as long while other programs are running,
  /// and writers wait meanwhile.
  private static let stretch = 256 << 10
  /// The number of bytes copied between two progress reports.
  private static let report = 8 << 20

  /// Copies an open file that must not change meanwhile.
  static func bytes(of source: Int32, to target: String, progress: (Int, Int) throws -> Void) throws {
    let copy = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard copy >= 0 else { throw RunFailure(.failed, "write '\(target)': \(SystemError.last)") }
    defer { close(copy) }
    var status = stat()
    guard fstat(source, &status) == 0 else { throw RunFailure(.failed, "read the library: \(SystemError.last)") }
    let total = Int(status.st_size)
    let room = UnsafeMutableRawBufferPointer.allocate(byteCount: stretch, alignment: 4096)
    defer { room.deallocate() }
    var at = 0
    var reported = 0
    while at < total {
      let got = pread(source, room.baseAddress, min(stretch, total - at), off_t(at))
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { throw RunFailure(.failed, "read the library: \(SystemError.last)") }
      var done = 0
      while done < got {
        let wrote = pwrite(copy, room.baseAddress.map { $0 + done }, got - done, off_t(at + done))
        if wrote < 0, errno == EINTR { continue }
        guard wrote > 0 else { throw full(target, SystemError.last) }
        done += wrote
      }
      at += got
      guard at - reported >= report || at == total else { continue }
      reported = at
      try Interruption.check()
      try progress(at, total)
    }
  }

  /// Copies the pages that a connection sees in its transaction.
  static func pages(
    of source: SQLiteConnection, to target: String, progress: (Int, Int) throws -> Void
  ) throws {
    let made = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard made >= 0 else { throw RunFailure(.failed, "write '\(target)': \(SystemError.last)") }
    close(made)
    let copy = try SQLiteConnection(target, .write, .own)
    try copy.execute("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    do {
      // The source's transaction fixes the moment, so the copy can be made in steps that constant writes do not
      // restart.
      try SQLiteBackup.copy(
        from: source, into: copy, pagesPerStep: 8192,
        progress: { done, total in
          try Interruption.check()
          try progress(done, total)
        })
    } catch let error as SQLiteError where error.isFull {
      throw full(target, error.message)
    }
  }

  private static func full(_ target: String, _ why: String) -> RunFailure {
    RunFailure(
      .failed, "copy the library to '\(target)': \(why)",
      advice: "The copy needs disk space. To use another folder, set TMPDIR.")
  }
}
