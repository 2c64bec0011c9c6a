import FleetKit
import Foundation

/// The file of `--baseline`.
struct BaselineFile {
  /// The path as the user gave it.
  let path: String
  /// The folder that file names in the baseline are relative to: the repository that contains the baseline, otherwise
  /// the baseline's own folder. So file names do not depend on the current folder.
  private let folder: String
  private let origin = FileManager.default.currentDirectoryPath

  init(_ path: String) {
    self.path = path
    let own = URL(fileURLWithPath: path).standardizedFileURL.deletingLastPathComponent()
    var root = own
    while root.path != "/", !FileManager.default.fileExists(atPath: root.appendingPathComponent(".git").path) {
      root.deleteLastPathComponent()
    }
    folder = root.path == "/" ? own.path : root.path
  }

  /// Collects findings for a new baseline.
  var recorder: Baseline.Recorder { Baseline.Recorder(folder: folder, origin: origin) }

  /// Reads the file.
  /// - Throws: `RunFailure` with status 64 if the file is missing or not a baseline, 2 if it cannot be read.
  func read() throws -> Baseline {
    guard FileManager.default.fileExists(atPath: path) else {
      throw RunFailure(
        .usage, "read the baseline '\(path)': the file does not exist", advice: "To create it, add --update-baseline.")
    }
    let bytes = try contents()
    do throws(BaselineError) {
      return try Baseline(reading: bytes, folder: folder, origin: origin)
    } catch {
      throw RunFailure(.usage, "read the baseline '\(path)': \(error.description)", advice: "Name a baseline file.")
    }
  }

  /// Reads the baseline that is to be overwritten; nil if the file does not exist yet.
  /// - Throws: `RunFailure` with status 4 if the file is not a baseline.
  func readForUpdate() throws -> Baseline? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes = try contents()
    if bytes.isEmpty { return nil }
    guard Baseline.isBaseline(bytes) else {
      throw RunFailure(
        .refused, "write the baseline '\(path)': the file exists and is not a baseline; it was not changed",
        advice: "Choose another name.")
    }
    return try? Baseline(reading: bytes, folder: folder, origin: origin)
  }

  private func contents() throws -> [UInt8] {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read the baseline '\(path)': it cannot be read")
    }
    return [UInt8](data)
  }

  /// Writes the file atomically.
  func write(_ bytes: [UInt8]) throws {
    let file = try AtomicFile(path, overwrites: true)
    let sink = ByteSink(descriptor: file.descriptor, name: path)
    try bytes.withUnsafeBufferPointer { try sink.write($0) }
    try sink.flush()
    try file.publish()
  }
}
