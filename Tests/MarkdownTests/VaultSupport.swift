import Content
import FleetKit
import Foundation
import Interchange
import JSONText
import TestSupport
import Testing

@testable import Markdown

/// Helpers for the vault tests.
enum Vaults {
  /// Converts sources into a target.
  @discardableResult
  static func convert(
    _ sources: String..., to target: String, overwrites: Bool = false, dryRun: Bool = false, format: String? = nil
  ) throws -> RunSummary {
    var conversion = Conversion(sources: try SourceList(sources), target: Target(target, overwrites: overwrites))
    conversion.targetFormat = format.map { FormatID($0) }
    return try conversion.run(context: RunContext(dryRun: dryRun, now: Timestamp(milliseconds: 1_767_600_000_000)))
  }

  /// Imports sources into a library, which is created if it does not exist.
  @discardableResult
  static func add(_ sources: String..., to library: String, _ onConflict: OnConflict = .merge) throws -> RunSummary {
    var job = LibraryImport(sources: try SourceList(sources), library: library)
    job.createsLibrary = true
    job.onConflict = onConflict
    let summary = try job.run(context: RunContext(now: Timestamp(milliseconds: 1_767_600_000_000))).summary
    #expect(summary.tally.balances)
    return summary
  }

  /// Returns the records of a source as a set of lines.
  /// - Parameter originals: whether the lines include the kept originals of notes.
  static func records(_ path: String, _ scratch: Scratch, originals: Bool = false) throws -> Set<String> {
    let bundle = scratch["records-\(UUID().uuidString).jsonl"]
    try convert(path, to: bundle)
    let lines = try String(contentsOfFile: bundle, encoding: .utf8).split(separator: "\n").dropFirst()
    return Set(try lines.map { originals ? String($0) : try withoutOriginal(String($0)) })
  }

  private static func withoutOriginal(_ line: String) throws -> String {
    guard line.contains("\"markdown\":{") else { return line }
    let root = try JSONDocument(parsing: line).root
    let members = root.members.compactMap { name, value -> String? in
      guard name == "extras" else { return "\"\(name)\":\(value.text)" }
      let rest = value.members.filter { $0.name != "markdown" }.map { "\"\($0.name)\":\($0.value.text)" }
      return rest.isEmpty ? nil : "\"extras\":{\(rest.joined(separator: ","))}"
    }
    return "{\(members.joined(separator: ","))}"
  }

  /// Returns every file below a folder with its bytes, including hidden files.
  /// - Parameter memory: whether to include FleetKit's own file about the notes, which holds no content.
  static func files(_ folder: String, memory: Bool = false) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      if !memory, [".fleetkit/written", ".fleetkit/.gitignore"].contains(name) { continue }
      var isFolder: ObjCBool = false
      let path = folder + "/" + name
      guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else { continue }
      files[name] = try Data(contentsOf: URL(fileURLWithPath: path))
    }
    return files
  }

  /// Returns a file's number and modification time, which distinguish the file from a replacement.
  static func marks(_ folder: String) throws -> [String: String] {
    var marks: [String: String] = [:]
    for name in try files(folder, memory: true).keys {
      var status = stat()
      #expect(lstat(folder + "/" + name, &status) == 0)
      marks[name] =
        "\(status.st_ino) \(try FileManager.default.attributesOfItem(atPath: folder + "/" + name)[.modificationDate] ?? "")"
    }
    return marks
  }

  /// Returns a bundle of guides.
  static func bundle(_ lines: [String]) -> String {
    (["{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}"] + lines)
      .joined(separator: "\n") + "\n"
  }

  static let charter = "{\"kind\":\"charter\",\"id\":\"0B000000-0000-4000-8000-000000000001\",\"name\":\"June\"}"
}
