import Foundation

/// The file-system state of a database and its side files, used to detect changes by other programs.
struct FileMark: Equatable {
  private struct Entry: Equatable {
    let device: UInt64
    let inode: UInt64
    let size: Int64
    let seconds: Int64
    let nanoseconds: Int64
  }

  private let entries: [Entry?]
  private let path: String

  /// Records the state of a database, its log and its journal.
  init(_ path: String) {
    self.path = path
    entries = ["", "-wal", "-journal"].map { Self.entry(path + $0) }
  }

  /// Whether nothing has changed since the state was recorded.
  var isStillTrue: Bool { self == FileMark(path) }

  /// The size of the write-ahead log in bytes.
  var logBytes: Int64 { entries[1]?.size ?? 0 }
  /// The size of the rollback journal in bytes.
  var journalBytes: Int64 { entries[2]?.size ?? 0 }

  private static func entry(_ path: String) -> Entry? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    return Entry(
      device: UInt64(truncatingIfNeeded: status.st_dev), inode: UInt64(status.st_ino), size: Int64(status.st_size),
      seconds: Int64(time.tv_sec), nanoseconds: Int64(time.tv_nsec))
  }
}
