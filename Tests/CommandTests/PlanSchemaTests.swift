import Foundation
import TestSupport
import Testing

/// docs/plan.schema.json describes plans, and a killed run leaves no plan behind.
@Suite struct PlanSchemaTests {
  private static let schema = Paths.root + "/docs/plan.schema.json"

  /// Plans an import into a library from a source with a new, a changed, a bad and a missing record.
  private func planned(_ scratch: Scratch) throws {
    let samples = Paths.root + "/samples/"
    let text = try String(contentsOfFile: samples + "curated-checklists.jsonl", encoding: .utf8)
    _ = try scratch.write("a.jsonl", text)
    #expect(
      try Shell.fleetkit("import", "a.jsonl", "--into", "l.sqlite", "--create", "-q", folder: scratch.path).status == 0)
    let edited = text.replacing("\"updated_at\":\"2025", with: "\"updated_at\":\"2027").replacing(
      "engine", with: "motor")
    _ = try scratch.write("a.jsonl", edited + "{\"kind\":\"item\",\n")
    let answer = try Shell.fleetkit(
      "import", "a.jsonl", samples + "crew-handbook.json", "--into", "l.sqlite", "--plan", "plan.json", "-q",
      folder: scratch.path)
    #expect(answer.status == 3, "\(answer.errors)")
  }

  @Test func plansAreWhatTheSchemaSays() throws {
    let scratch = Scratch()
    try planned(scratch)
    let answer = try Shell.fleetkit("validate", "plan.json", "--schema", Self.schema, folder: scratch.path)
    #expect(answer.status == 0, "\(answer.output)\(answer.errors)")
    let text = try scratch.text("plan.json")
    #expect(text.contains("\"action\":\"create\"") && text.contains("\"action\":\"update\""))
    #expect(text.contains("\"action\":\"reject\""))
    // The schema is not trivial: it rejects a wrong plan.
    for (old, new) in [("\"update\"", "\"destroy\""), ("\"pointer\":\"/", "\"pointer\":\""), ("\"now\"", "\"then\"")] {
      _ = try scratch.write("bad.json", text.replacing(old, with: new))
      #expect(try Shell.fleetkit("validate", "bad.json", "--schema", Self.schema, folder: scratch.path).status == 1)
      #expect(try Shell.fleetkit("apply", "bad.json", folder: scratch.path).status == 2)
    }
  }

  @Test func exitsWithWhatHappened() throws {
    let scratch = Scratch()
    try planned(scratch)
    func status(_ arguments: [String]) throws -> Int32 {
      try Shell.run(Paths.command, arguments, folder: scratch.path).status
    }
    #expect(try status(["apply", "nothing.json"]) == 2)
    #expect(try status(["apply", "plan.json", "--dry-run"]) == 3)
    #expect(try status(["import", "a.jsonl", "--into", "l.sqlite", "--plan", "plan.json"]) == 4)
    #expect(try status(["import", "a.jsonl", "--into", "l.sqlite", "--overwrite"]) == 64)
    let piped = try Shell.fleetkit(
      "import", "-", "--from-format", "jsonl", "--into", "l.sqlite", "--plan", "p2.json",
      input: scratch.text("a.jsonl"), folder: scratch.path)
    #expect(piped.status == 4, "\(piped.errors)")
    #expect(!FileManager.default.fileExists(atPath: scratch["p2.json"]))
    let json = try Shell.fleetkit("apply", "plan.json", "--json", folder: scratch.path)
    #expect(json.status == 3)
    #expect(json.output.hasPrefix("{\"command\":\"apply\",\"status\":3,"))
    #expect(json.output.contains("\"run\":2"))
    #expect(try status(["apply", "plan.json"]) == 4)
    #expect(try Shell.fleetkit("runs", "l.sqlite", folder: scratch.path).output.contains("apply"))
    #expect(try status(["undo", "2", "--library", "l.sqlite"]) == 0)
  }

  /// When a run is killed before its commit, the library and its sidecar are unchanged, and the plan can still be
  /// applied.
  @Test func killedItLeavesNothing() throws {
    let scratch = Scratch()
    let source = try CrashTests.bundle(1200, in: scratch)
    let library = scratch["l.sqlite"]
    let samples = Paths.root + "/samples/curated-checklists.jsonl"
    #expect(try Shell.fleetkit("import", samples, "--into", library, "--create", "-q").status == 0)
    #expect(try Shell.fleetkit("import", source, "--into", library, "--plan", scratch["plan.json"], "-q").status == 0)
    let before = try SQLiteShell.run(library, ".dump")
    var random = SeededRandom(seed: 5)
    var killed = 0
    for round in 0..<8 {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["apply", scratch["plan.json"], "-q"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      // The first run is killed immediately, before it can have done anything.
      if round > 0 { usleep(UInt32(20_000 + random.below(400_000))) }
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      let after = try SQLiteShell.run(library, ".dump")
      if after != before { break }
      killed += 1
    }
    #expect(killed > 0)
    guard try SQLiteShell.run(library, ".dump") == before else { return }
    #expect(try Shell.fleetkit("apply", scratch["plan.json"], "-q").status == 0)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM practice_guides;") == "1200\n")
  }
}
