import Content
import FleetKit
import Foundation
import Interchange
import TestSupport
import Testing

/// A plan that no longer applies, or a file that is not a plan, changes nothing.
@Suite struct PlanRefusalTests {
  /// Creates a library, a source that changes it, and a plan.
  private func planned() throws -> PlanWorld {
    var world = try PlanWorld(seed: 4242)
    world.onConflict = .merge
    world.settling = .theirs
    try world.plan()
    #expect(try (world.parsed()["changes"] as? [Any] ?? []).count > 2)
    return world
  }

  private func expectRefusal(_ world: PlanWorld, _ status: Interchange.ExitStatus = .refused, naming name: String)
    throws
  {
    let before = try PlanWorld.rows(world.library)
    let failure = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["plan.json"]).run() }
    #expect(failure?.status == status)
    #expect(failure?.message.contains(name) ?? false, "\(failure?.message ?? "")")
    #expect(try PlanWorld.rows(world.library) == before)
  }

  @Test func aSourceThatChanged() throws {
    let world = try planned()
    var bytes = try Data(contentsOf: URL(fileURLWithPath: world.source))
    bytes[bytes.count - 1] = 0x20
    try bytes.write(to: URL(fileURLWithPath: world.source))
    try expectRefusal(world, naming: "/curated.jsonl'")
    try FileManager.default.removeItem(atPath: world.source)
    try expectRefusal(world, naming: "/curated.jsonl'")
  }

  @Test func aFileMoreInAFolder() throws {
    let world = try planned()
    let job = LibraryImport(sources: try SourceList([world.scratch["source"]]), library: world.library)
    try job.plan(
      to: world.scratch["plan.json"], overwrites: true, context: RunContext(dryRun: true, now: PlanWorld.now))
    try FileManager.default.copyItem(atPath: world.source, toPath: world.scratch["source/more.jsonl"])
    try expectRefusal(world, naming: "/more.jsonl'")
  }

  @Test func aLibraryThatChanged() throws {
    let world = try planned()
    try SQLiteShell.run(world.library, "UPDATE library_content SET title = title || '.' WHERE rowid = 1;")
    try expectRefusal(world, naming: "/library.sqlite'")
  }

  @Test func aLibraryThatIsGoneOrWasNotThere() throws {
    let world = try planned()
    try FileManager.default.moveItem(atPath: world.library, toPath: world.library + ".moved")
    let gone = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["plan.json"]).run() }
    #expect(gone?.status == .refused)
    // The record already has the content that is planned.
    try FileManager.default.moveItem(atPath: world.library + ".fleetkit", toPath: world.library + ".moved.fleetkit")
    let report = try PlanApplication(world.scratch["plan.json"], library: world.library + ".moved").run()
    #expect(report.summary.tally.total.created + report.summary.tally.total.updated > 0)

    var job = LibraryImport(sources: try SourceList([world.source]), library: world.scratch["new.sqlite"])
    job.createsLibrary = true
    try job.plan(
      to: world.scratch["plan.json"], overwrites: true, context: RunContext(dryRun: true, now: PlanWorld.now))
    #expect(!FileManager.default.fileExists(atPath: world.scratch["new.sqlite"]))
    try FileManager.default.copyItem(atPath: world.library + ".moved", toPath: world.scratch["new.sqlite"])
    let there = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["plan.json"]).run() }
    #expect(there?.status == .refused)
    #expect(there?.message.contains("/new.sqlite'") ?? false)
    try FileManager.default.removeItem(atPath: world.scratch["new.sqlite"])
    #expect(try PlanApplication(world.scratch["plan.json"]).run().isNew)
  }

  /// Without the records of earlier imports, the same sources produce other changes.
  @Test func aSidecarThatChanged() throws {
    let world = try planned()
    try FileManager.default.removeItem(atPath: world.library + ".fleetkit")
    let dump = try SQLiteShell.run(world.library, ".dump")
    let failure = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["plan.json"]).run() }
    #expect(failure?.status == .refused)
    #expect(failure?.message.contains("/plan.json'") ?? false)
    #expect(try SQLiteShell.run(world.library, ".dump") == dump)
  }

  @Test func aPlanThatIsThereIsKept() throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json")
    let failure = #expect(throws: RunFailure.self) {
      try world.job().plan(
        to: world.scratch["plan.json"], overwrites: false, context: RunContext(dryRun: true, now: PlanWorld.now))
    }
    #expect(failure?.status == .refused)
    #expect(failure?.advice?.contains("--overwrite") ?? false)
    #expect(try world.scratch.text("plan.json") == text)
    for path in [world.source, world.library] {
      let failure = #expect(throws: RunFailure.self) {
        try world.job().plan(to: path, overwrites: true, context: RunContext(dryRun: true, now: PlanWorld.now))
      }
      #expect(failure?.status == .usage)
    }
  }

  @Test func aPlanOfANewerFleetKit() throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json").replacing("\"version\": 1,", with: "\"version\": 2,")
    _ = try world.scratch.write("plan.json", text)
    try expectRefusal(world, .newer, naming: "/plan.json'")
  }

  @Test(arguments: [
    ("{\n  \"kind\": \"plan\"", "{\n  \"kind\": \"play\"", " 2:"),
    ("\"action\":\"create\"", "\"action\":\"destroy\"", "/action"),
    ("\"before\":null", "\"before\":\"abc\"", "/before"),
    ("\"changes\": [", "\"changes\": [ [],", "/changes/0"),
    ("\"changes\": [", "\"changes\": [ {},", "/changes/0"),
    ("\"losses\": [", "\"losses\": {", "'['"),
    ("\"now\": \"20", "\"now\": \"x20", "/now"),
    ("\"kind\": \"plan\",", "\"kind\": \"plan\", \"kind\": \"plan\",", "/kind"),
    ("\"kind\": \"plan\",", "\"kind\": \"plan\", \"more\": 1,", "/more"),
    ("\"version\": 1,", "\"version\": 1e400,", "/version"),
    ("\"sha256\":\"", "\"sha256\":\"Z", "/sha256"),
    ("{\"path\":\"/", "{\"path\":\"", "/path"),
    ("\"request\": {", "\"request\": [{", "9:"),
    ("\n}\n", "\n}\n]", "LAST:"),
    ("\n}\n", "\n", "LAST:"),
  ])
  func aDamagedPlan(_ old: String, _ new: String, _ words: String) throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json")
    let place = try #require(text.range(of: old))
    let damaged = text.replacingCharacters(in: place, with: new)
    _ = try world.scratch.write("plan.json", damaged)
    let last = damaged.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).count
    try expectRefusal(world, .failed, naming: words.replacing("LAST", with: "\(last)"))
  }

  @Test func aPlanThatSomebodyEdited() throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json")
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("    {\"action\"") })
    lines.remove(at: first)
    _ = try world.scratch.write("plan.json", lines.joined(separator: "\n"))
    let title = try #require(lines[first].firstMatch(of: /"title":"([^"]*)"/)).1
    try expectRefusal(world, naming: "'\(title)'")
    _ = try world.scratch.write("plan.json", text.replacing("\"unchanged\":", with: "\"unchanged\":1"))
    try expectRefusal(world, naming: "/unchanged")
  }

  /// The readable text of a plan is compared with the import, and not only the hashes.
  @Test(arguments: [
    ("\"title\":\"", "\"title\":\"Doctored "), ("\"from\":\"", "\"from\":\"Doctored "),
    ("\"to\":\"", "\"to\":\"Doctored "), ("\"label\":\"", "\"label\":\"Doctored "),
    (":1\",\"before\"", ":9\",\"before\""),
  ])
  func aPlanThatTellsSomethingElse(_ old: String, _ new: String) throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json")
    let changes = try #require(text.range(of: "\"changes\""))
    let place = try #require(text.range(of: old, range: changes.upperBound..<text.endIndex))
    _ = try world.scratch.write("plan.json", text.replacingCharacters(in: place, with: new))
    try expectRefusal(world, naming: "/plan.json'")
    _ = try world.scratch.write("plan.json", text)
    #expect(throws: Never.self) { try PlanApplication(world.scratch["plan.json"]).run() }
  }

  @Test func aPlanOfAnotherSourceOrRequest() throws {
    let world = try planned()
    let text = try world.scratch.text("plan.json")
    let other = try world.scratch.write("another.jsonl", "")
    let path = world.source.replacing("/", with: "\\/")
    for old in [world.source, path] {
      _ = try world.scratch.write(
        "plan.json", text.replacing("{\"path\":\"\(old)\"", with: "{\"path\":\"\(other)\""))
      if try world.scratch.text("plan.json") != text { break }
    }
    #expect(try world.scratch.text("plan.json") != text)
    try expectRefusal(world, naming: "/another.jsonl'")
    let request = try #require(text.firstMatch(of: /"request": \{"version":1/))
    _ = try world.scratch.write("plan.json", text.replacing(request.0, with: "\"request\": {\"version\":\"x\""))
    try expectRefusal(world, .failed, naming: "/request")
  }

  /// When a plan is cut anywhere, or any byte is changed, it is either refused or does what it describes.
  @Test func hostilePlans() throws {
    let world = try planned()
    let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: world.scratch["plan.json"])))
    var random = SeededRandom(seed: 11)
    for round in 0..<100 {
      var hostile = bytes
      if round % 2 == 0 {
        hostile.removeLast(1 + random.below(bytes.count - 1))
      } else {
        hostile[random.below(hostile.count)] = random.pick(Array("{}[]\",:\\0 ".utf8) + [0, 0xFF])
      }
      try Data(hostile).write(to: URL(fileURLWithPath: world.scratch["hostile.json"]))
      do {
        _ = try PlanApplication(world.scratch["hostile.json"])
      } catch let failure as RunFailure {
        #expect([.failed, .newer].contains(failure.status), "\(failure.message)")
      }
    }
    let deep = String(repeating: "[", count: 200_000)
    for text in ["", "{", "[]", "{\"kind\":\(deep)", "{\"changes\":[{\"action\":\(deep)", "\u{FEFF}{}", "null"] {
      _ = try world.scratch.write("hostile.json", text)
      let failure = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["hostile.json"]) }
      #expect(failure?.status == .failed)
      #expect(failure?.message.contains(/\s[0-9]+:\s/) ?? false)
    }
    let folder = #expect(throws: RunFailure.self) { try PlanApplication(world.scratch["source"]) }
    #expect(folder?.status == .failed)
  }
}
