import FleetKit
import Foundation
import TestSupport
import Testing

/// New versions of a pack whose items have no modification times.
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

  /// Imports a version and returns the exit status and the counts from `--json`.
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

  /// Returns the version that the library has recorded.
  private func remembered() throws -> String {
    try SQLiteShell.run(scratch["l.sqlite.fleetkit/state.sqlite"], "SELECT version FROM packs")
      .trimmingCharacters(in: .newlines)
  }

  @Test func aSignatureThatNobodyLooksAtMustStillBeOne() throws {
    let desk = SigningDesk()
    try desk.key()
    let one = try desk.publish("1.0.0")
    let two = try desk.build("1.1.0")
    let signature = try desk.scratch.text("first-charter-1.0.0.fleetpack.minisig")
    _ = try desk.scratch.write("first-charter-1.1.0.fleetpack.minisig", "x")
    expect(try desk.bring(two), 5, "read the signature")
    _ = try desk.scratch.write("first-charter-1.1.0.fleetpack.minisig", signature)
    expect(try desk.bring(two), 5, "the signature is for version 1.0.0")
    expect(try desk.bring(one), 0)
  }

  @Test func aBuildSaysWhatHangsOnTheVaultsPlace() throws {
    func note(_ folder: String, _ name: String, _ id: String, _ text: String) throws {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
      _ = try scratch.write(
        "\(folder)/\(name).md",
        "---\n\(id)type: guide\ntitle: \(name)\ndescription: A guide.\nlanguage: en\ntags: [x]\n---\n\n\(text)\n")
    }
    func built(_ folder: String, _ version: String, _ more: [String] = []) throws -> Answer {
      let config = try scratch.write(
        "pack.yml", "name: first\nversion: \(version)\npublisher: Blue Sea\nlicence: CC-BY-4.0\n")
      let answer = try Shell.run(
        Paths.command,
        ["pack", "build", scratch[folder], "--config", config, "--to", scratch["\(folder)-\(version).zip"]] + more)
      try #require(answer.status == 0, "\(answer.errors)")
      return answer
    }
    try note("one", "Anchoring", "", "Five times the depth.")
    try note("one", "Berthing", "id: \(Self.guide)\n", "Start the engine.")
    let one = try built("one", "1.0.0")
    #expect(one.errors.contains("--write-ids"), "\(one.errors)")
    try note("two", "Anchoring", "", "Five times the depth.")
    try note("two", "Berthing", "id: \(Self.guide)\n", "Start the motor.")
    let previous = ["--previous", scratch["one-1.0.0.zip"]]
    let two = try built("two", "1.1.0", previous)
    #expect(two.errors.contains(/\b1\b[^\n]*\b1\b[^\n]*\b1\b/), "\(two.errors)")
    let json = try JSONDocument(parsing: built("two", "1.2.0", previous + ["--json"]).output).root
    #expect(json["ids_by_place"]?.integer == 1 && json["changes"]?["gone"]?.integer == 1)
    _ = try scratch.write("two/.fleetkit.yml", "source: first\n")
    let named = try built("two", "1.3.0")
    #expect(!named.errors.contains("--write-ids"), "\(named.errors)")
  }
}
