import Foundation

/// What a file was at some moment: enough to notice that it was changed or replaced since.
public struct FileStamp: Hashable, Sendable {
  private let device: UInt64
  private let number: UInt64
  private let size: Int64
  private let seconds: Int64
  private let nanoseconds: Int64

  /// Looks at a file, through links; nil when there is none.
  public init?(_ path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }

  init(_ status: stat) {
    device = UInt64(truncatingIfNeeded: status.st_dev)
    number = UInt64(truncatingIfNeeded: status.st_ino)
    size = Int64(status.st_size)
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    seconds = Int64(time.tv_sec)
    nanoseconds = Int64(time.tv_nsec)
  }
}
