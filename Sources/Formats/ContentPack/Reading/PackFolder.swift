import Foundation
import Interchange

/// Functions for packs that are folders.
public enum PackFolder {
  /// Whether a path names a folder that contains a BagIt declaration.
  public static func isBag(_ path: String) -> Bool {
    var status = stat()
    let mark = (path.hasSuffix("/") ? path : path + "/") + "bagit.txt"
    return stat(mark, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a path names a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the content of `data/pack.json`; nil if the file does not exist.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read or is longer than `limit` bytes.
  static func head(_ path: String, limit: Int) throws -> [UInt8]? {
    let file = (path.hasSuffix("/") ? path : path + "/") + PackInfo.path
    // A link could point anywhere, and reading a pipe would block.
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(.failed, "read '\(file)': not a regular file")
    }
    guard status.st_size <= limit else { throw RunFailure(.failed, "read '\(file)': it is longer than \(limit) bytes") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes { FileRead.some(descriptor, into: .init(rebasing: $0[filled...])) }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
      if got == 0 { break }
      filled += got
    }
    return Array(bytes.prefix(filled))
  }
}
