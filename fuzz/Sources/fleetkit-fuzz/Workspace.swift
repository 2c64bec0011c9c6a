import FleetKit
import Foundation

/// A private folder below `TMPDIR` for the files of one process. File names are reused from input to input.
///
/// The process leaves the folder behind on a finding; `run.sh` removes the `TMPDIR` that it made.
final class Workspace {
  private let path: String

  /// Makes the folder.
  init() throws {
    path = "\(NSTemporaryDirectory())/fleetkit-fuzz-\(getpid())"
    try FileManager.default.createDirectory(
      atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    Self.leaving = path
    // libFuzzer itself ends the process.
    atexit { if let path = Workspace.leaving { try? FileManager.default.removeItem(atPath: path) } }
  }

  nonisolated(unsafe) private static var leaving: String?

  /// Returns the path of a file in the folder.
  subscript(name: String) -> String { path + "/" + name }

  /// Makes a folder inside the folder.
  func folder(_ name: String) throws {
    try FileManager.default.createDirectory(
      atPath: self[name], withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// Writes a file, replacing one with the same name.
  /// - Returns: the file's path.
  func write(_ name: String, _ bytes: [UInt8]) -> String {
    let path = self[name]
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(file) }
    guard file >= 0, Foundation.write(file, bytes, bytes.count) == bytes.count else { finding("cannot write \(path)") }
    return path
  }

  /// Returns the bytes of a file that `write` wrote.
  ///
  /// Foundation's own function leaks a buffer when a file is empty, which the leak check reports.
  func read(_ path: String) -> [UInt8] {
    let file = open(path, O_RDONLY)
    defer { close(file) }
    var status = stat()
    guard file >= 0, fstat(file, &status) == 0 else { finding("cannot read \(path)") }
    return [UInt8](unsafeUninitializedCapacity: Int(status.st_size)) { buffer, count in
      count = max(0, Foundation.read(file, buffer.baseAddress, buffer.count))
    }
  }
}
