import FleetKit
import Foundation
import TestSupport
import Testing

/// A new version of a pack whose items do not say when they were changed.
@Suite struct PackUpdateTests {
  private let scratch = Scratch()
  private static let guide = HandPack.guideID
  private static let list = HandPack.checklistID

  /// Builds a version from a vault without dates.
  private func build(_ version: String, guide: String, step: String = "Start the engine") throws -> String {
    let folder = "vault-" + version
    try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    _ = try scratch.write(
      folder + "/pack.yml", "name: first\nversion: \(version)\npublisher: Blue Sea\nlicence: CC-BY-4.0\n")
    _ = try scratch.write(
      folder + "/anchoring.md",
      """
      ---
      id: \(Self.guide)
      type: guide
      title: Anchoring
      description: How to anchor.
      language: en
      tags: [anchor]
      ---

      \(guide)

      """)
    _ = try scratch.write(
      folder + "/berth.md",
      """
      ---
      id: \(Self.list)
      type: checklist
      title: Leaving the berth
      description: Before we cast off.
      language: en
      tags: [harbour]
      ---

      ## Engine

      - [ ] \(step)

      """)
    let path = scratch["first-\(version).fleetpack"]
    let answer = try Shell.fleetkit("pack", "build", scratch[folder], "--to", path)
    try #require(answer.status == 0, "\(answer.errors)")
    return path
  }

  /// Imports a version: the exit status, and the counts of `--json`.
  private func bring(_ path: String, _ more: String...) throws -> (
    status: Int32, answer: Answer, count: (String) -> Int
  ) {
    let answer = try Shell.run(
      Paths.command, ["import", path, "--into", scratch["l.sqlite"], "--create", "--json"] + more)
    let total = try JSONDocument(parsing: answer.output).root["total"]
    let counts = ["created", "updated", "unchanged", "rejected"].reduce(into: [String: Int]()) {
      $0[$1] = total?[$1]?.integer.map(Int.init) ?? 0
    }
    return (answer.status, answer, { counts[$0] ?? -1 })
  }

  private func shown(_ id: String) throws -> String { try Shell.fleetkit("show", scratch["l.sqlite"], id).output }

  /// Changes an item as the app does.
  private func edit(_ text: String) throws {
    try SQLiteShell.run(
      scratch["l.sqlite"],
      "UPDATE practice_guides SET markdown = '\(text)'")
  }

  @Test func whatOnlyThePackChangedIsUpdated() throws {
    let one = try bring(build("1.0.0", guide: "Five times the depth."))
    #expect(one.status == 0 && one.count("created") == 2, "\(one.answer)")
    let next = try build("1.1.0", guide: "Six times the depth.", step: "Start the motor")
    let two = try bring(next)
    #expect(two.status == 0 && two.count("updated") == 2, "\(two.answer)")
    #expect(try shown(Self.guide).contains("Six times") && shown(Self.list).contains("Start the motor"))
    let again = try bring(next)
    #expect(again.status == 0 && again.count("unchanged") == 2, "\(again.answer)")
    let three = try bring(build("1.2.0", guide: "Seven times the depth.", step: "Start the motor"))
    #expect(three.status == 0 && three.count("updated") == 1 && three.count("unchanged") == 1, "\(three.answer)")
  }

  @Test func whatOnlyTheLibraryChangedIsKept() throws {
    _ = try bring(build("1.0.0", guide: "Five times the depth."))
    try edit("Mine.")
    let two = try bring(build("1.1.0", guide: "Five times the depth.", step: "Start the motor"))
    #expect(two.status == 0 && two.count("updated") == 1 && two.count("rejected") == 0, "\(two.answer)")
    #expect(try shown(Self.guide).contains("Mine.") && shown(Self.list).contains("Start the motor"))
  }

  @Test func whatBothChangedIsAConflictAndTheVersionIsNotRemembered() throws {
    _ = try bring(build("1.0.0", guide: "Five times the depth."))
    try edit("Mine.")
    let next = try build("1.1.0", guide: "Six times the depth.", step: "Start the motor")
    let two = try bring(next)
    #expect(two.status == 3 && two.count("updated") == 1 && two.count("rejected") == 1, "\(two.answer)")
    #expect(try shown(Self.guide).contains("Mine."))
    #expect(try remembered() == "1.0.0")
    let all = try bring(next, "--on-conflict", "replace")
    #expect(all.status == 0 && all.count("updated") == 1, "\(all.answer)")
    #expect(try remembered() == "1.1.0")
  }

  /// The version that the library remembers.
  private func remembered() throws -> String {
    try SQLiteShell.run(scratch["l.sqlite.fleetkit/state.sqlite"], "SELECT version FROM packs")
      .trimmingCharacters(in: .newlines)
  }
}
