import Foundation
import TestSupport
import Testing

/// The result of an import into `l.sqlite`.
struct Imported {
  let status: Int32
  let rows: [String: Int]
  let findings: [(code: String, place: String, message: String)]
  let errors: String

  /// Imports a source.
  init(_ source: String, _ scratch: Scratch) throws { try self.init([source], scratch) }

  /// Imports with an option and its value.
  init(_ option: String, _ value: String, _ scratch: Scratch) throws { try self.init([option, value], scratch) }

  private init(_ arguments: [String], _ scratch: Scratch) throws {
    let answer = try Shell.run(
      Paths.command, ["import"] + arguments + ["--into", "l.sqlite", "--create", "--json"], folder: scratch.path)
    status = answer.status
    errors = answer.errors
    let json = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    rows = json?["rows"] as? [String: Int] ?? [:]
    findings = ((json?["findings"] as? [String: Any])?["items"] as? [[String: Any]] ?? []).map { finding in
      (
        finding["code"] as? String ?? "", finding["place"] as? String ?? "", finding["message"] as? String ?? ""
      )
    }
  }
}

extension Scratch {
  /// Returns the path of the newest reject file of `l.sqlite`.
  func rejects() throws -> String {
    let folder = "l.sqlite.fleetkit/rejects"
    let names = try FileManager.default.contentsOfDirectory(atPath: self[folder]).sorted()
    return folder + "/" + (try #require(names.last { !$0.hasSuffix(".reasons.jsonl") }))
  }
}
