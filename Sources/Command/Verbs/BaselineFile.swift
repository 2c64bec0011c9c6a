import FleetKit
import Foundation

/// The file of `--baseline`.
struct BaselineFile {
  /// As the user named it.
  let path: String
  /// The folder that names in it count from: the repository that it lies in, else its own folder, so that it means the
  /// same wherever the command runs.
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

  /// Collects a new one.
  var recorder: Baseline.Recorder { Baseline.Recorder(folder: folder, origin: origin) }

  /// Reads it.
  /// - Throws: `RunFailure` with status 64 when it is missing or none, 2 when it cannot be read.
  func read() throws -> Baseline {
    guard FileManager.default.fileExists(atPath: path) else {
      throw RunFailure(
        .usage, "read the baseline '\(path)': there is no such file", advice: "--update-baseline writes it.")
    }
    let bytes = try contents()
    do throws(BaselineError) {
      return try Baseline(reading: bytes, folder: folder, origin: origin)
    } catch {
      throw RunFailure(.usage, "read the baseline '\(path)': \(error.description)", advice: "Name the right file.")
    }
  }

  /// What is there to be written over; nil when there is no such file yet.
  /// - Throws: `RunFailure` with status 4 when the file is something else.
  func readForUpdate() throws -> Baseline? {
    guard FileManager.default.fileExists(atPath: path) else { return nil }
    let bytes = try contents()
    if bytes.isEmpty { return nil }
    guard Baseline.isBaseline(bytes) else {
      throw RunFailure(
        .refused, "write the baseline '\(path)': the file is there already and is no baseline; it was not touched",
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

  /// Writes it, whole or not at all.
  func write(_ bytes: [UInt8]) throws {
    let file = try AtomicFile(path, overwrites: true)
    let sink = ByteSink(descriptor: file.descriptor, name: path)
    try bytes.withUnsafeBufferPointer { try sink.write($0) }
    try sink.flush()
    try file.publish()
  }
}
