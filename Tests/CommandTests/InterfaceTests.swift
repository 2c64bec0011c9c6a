import FleetKit
import Foundation
import TestSupport
import Testing

@testable import ContentValidation

/// Scripts rely on codes, exit statuses, options and members of `--json`. Golden files list them all, so that no change
/// goes unnoticed.
@Suite struct InterfaceTests {
  @Test func codesAreTheSame() throws {
    let lines = FindingCodes.all.sorted { $0.id < $1.id }.map { "\($0.id) \($0.name) \($0.severity.rawValue)" }
    try Golden.compare(lines.joined(separator: "\n") + "\n", with: "interface/codes.txt")
  }

  @Test func commandsAndOptionsAreTheSame() throws {
    let lines = try CommandHelp.root().all.flatMap { command in
      let name = command.words.joined(separator: " ")
      return [name] + command.options.map { "\(name) --\($0)" }
    }
    try Golden.compare(lines.joined(separator: "\n") + "\n", with: "interface/options.txt")
  }

  /// The report tests check every `--json` output against these schemas.
  @Test func membersOfReportsAreTheSame() throws {
    let folder = Paths.root + "/docs/reports"
    var lines: [String] = []
    for name in try FileManager.default.contentsOfDirectory(atPath: folder).sorted() where name.hasSuffix(".json") {
      let data = try Data(contentsOf: URL(fileURLWithPath: folder + "/" + name))
      lines += Self.members(try JSONSerialization.jsonObject(with: data), at: name)
    }
    #expect(lines.count > 300)
    try Golden.compare(lines.joined(separator: "\n") + "\n", with: "interface/members.txt")
  }

  /// Returns the paths of all properties of a schema.
  private static func members(_ schema: Any, at path: String) -> [String] {
    if let list = schema as? [Any] { return list.flatMap { members($0, at: path) } }
    guard let object = schema as? [String: Any] else { return [] }
    return object.sorted { $0.key < $1.key }.flatMap { key, value -> [String] in
      guard key == "properties", let properties = value as? [String: Any] else { return members(value, at: path) }
      return properties.sorted { $0.key < $1.key }.flatMap { name, property in
        ["\(path)/\(name)"] + members(property, at: "\(path)/\(name)")
      }
    }
  }
}
