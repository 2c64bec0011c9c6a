import Foundation
import Interchange

/// Reads the bytes of a configuration: a small file, never a folder, a pipe or a device.
package enum ConfigurationFile {
  /// Longest configuration, in bytes.
  static let longest = 1 << 20

  /// Why a file cannot be read.
  package struct Refusal: Error {
    package let message: String
  }

  /// Whether a file of that name is there; what may not be looked at counts as there, so that it is not skipped.
  static func exists(_ path: String) -> Bool {
    var status = stat()
    if stat(path, &status) == 0 { return true }
    // A link that leads nowhere was meant to lead somewhere.
    if errno == ENOENT { return lstat(path, &status) == 0 }
    return errno != ENOTDIR && errno != ENAMETOOLONG
  }

  /// Reads a file whole.
  package static func read(_ path: String) throws(Refusal) -> [UInt8] {
    // Opening a pipe would wait for somebody to write.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw Refusal(message: String(cString: strerror(errno))) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw Refusal(message: "this is not a file") }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= longest {
      let count = chunk.withUnsafeMutableBytes { FileRead.some(descriptor, into: $0) }
      guard count >= 0 else { throw Refusal(message: String(cString: strerror(errno))) }
      if count == 0 { return bytes }
      bytes += chunk.prefix(count)
    }
    throw Refusal(message: "the file is larger than 1 MB")
  }
}
