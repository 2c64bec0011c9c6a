import Foundation
import JSONText
import TestSupport
import Testing

/// The results and files of a pull for equal items, for conflicts that remain, and for runs that are undone.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct PullSettlingTests {
  @Test func whatIsEqualIsSynced() throws {
    let devices = try TwoDevices()
    try devices.share()
    for library in [devices.a, devices.b] {
      try devices.edit(library, "Call for help", "Call Mayday")
      try devices.edit(library, "Green?", "Green light?")
    }
    try devices.send(devices.b)
    for title in ["Fire on board", "Lights"] {
      #expect(try devices.item(devices.a, title)?["sync_status"]?.string == "pending")
    }
    let report = try devices.pull(devices.a)
    #expect(report["unchanged"]?.integer == 2 && report["marked_synced"]?.integer == 2)
    for title in ["Fire on board", "Lights"] {
      #expect(try devices.item(devices.a, title)?["sync_status"]?.string == "synced")
    }
    // If nothing has changed, nothing is written.
    let again = try devices.pull(devices.a)
    #expect(again["unchanged"]?.integer == 2 && again["marked_synced"]?.integer == 0)
    #expect(again["run"]?.integer == nil)
    // The same applies after an edit was reverted by hand.
    try devices.edit(devices.a, "Call Mayday", "Call")
    #expect(try devices.pull(devices.a)["marked_synced"]?.integer == 0)
    try devices.edit(devices.a, "Call", "Call Mayday")
    #expect(try devices.pull(devices.a)["marked_synced"]?.integer == 1)
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "synced")
  }

  /// A merge keeps the library's order of tags. A change that only the registry's side made is used unchanged.
  @Test func whatOnlyTheRegistryChangedIsTaken() throws {
    let devices = try TwoDevices()
    try devices.share()
    let bundle = devices.folder["tags.jsonl"]
    try devices.fleetkit("export", devices.b, "--to", bundle, "--type", "item", "-q")
    let text = try String(contentsOfFile: bundle, encoding: .utf8)
    try text.replacing("[\"safety\"]", with: "[\"fire\",\"safety\"]").write(
      toFile: bundle, atomically: true, encoding: .utf8)
    try devices.fleetkit("import", bundle, "--into", devices.b, "--on-conflict", "newest")
    try devices.send(devices.b)
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "taken")
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "synced")
    #expect(try devices.fleetkit("update", devices.a, "--changed", "--json").number("/queued") == 0)
  }

  /// When an operation was sent without receiving an answer, the registry's public version shows whether it succeeded.
  @Test func aPullSettlesWhatWasTried() throws {
    let devices = try TwoDevices()
    try devices.share()
    let state = devices.a + ".fleetkit/state.sqlite"
    try SQLiteShell.run(
      state, "INSERT INTO tried_versions VALUES ('\(TwoDevices.checklist)', 'ab'), ('another', 'ab');")
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "taken")
    let tried = try SQLiteShell.run(state, "SELECT group_concat(content_id) FROM tried_versions;")
    #expect(tried.trimmingCharacters(in: .whitespacesAndNewlines) == "another")
  }

  @Test func conflictsSayWhatSettlesThem() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Call for help", "Call the coastguard")
    let arguments = ["pull", devices.a, "--registry", devices.registry.url]
    let answer = try Shell.run(Paths.command, arguments, environment: devices.environment)
    #expect(answer.status == 3)
    let command = "fleetkit pull \(devices.a) --id \(TwoDevices.checklist) --take local"
    #expect(answer.errors.contains(command) && answer.errors.contains("--take remote"))
    let folder = devices.a + ".fleetkit/rejects"
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    #expect(files.count == 3 && files.allSatisfy { $0.contains("-pull.") })
    for file in files {
      let text = try String(contentsOfFile: folder + "/" + file, encoding: .utf8)
      for word in ["--ours", "--theirs", "last import", "jsonl:", "source"] { #expect(!text.contains(word), "\(word)") }
      if file.hasSuffix(".md") { #expect(text.contains(command) && text.contains("\n+++ ")) }
    }
    // The same conflict uses the same files again.
    let again = try devices.pull(devices.a, status: 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).sorted() == files)
    #expect(files.contains { again["conflicts"]?.string?.hasSuffix($0) ?? false })
    #expect(again["rejects"]?.elements.count == 1)
    // A different conflict is stored next to it.
    try devices.edit(devices.b, "Call Mayday", "Call Pan-Pan")
    try devices.send(devices.b)
    try devices.pull(devices.a, status: 3)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).count == 6)
  }

  @Test func whatAnUndoTookBackComesAgain() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    let run = try #require(try devices.pull(devices.a)["run"]?.integer)
    let undone = try devices.fleetkit("undo", "\(run)", "--library", devices.a, "--json")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call for help"])
    let again = try devices.pull(devices.a)
    #expect(TwoDevices.outcome(again) == "taken" && TwoDevices.outcome(again, "Lights") == "taken")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call Mayday"])
    #expect(try devices.steps(devices.a, "Lights") == ["Red?", "Green light?"])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "synced")
    #expect(try devices.pull(devices.a)["unchanged"]?.integer == 2, "\(undone.output)")
    // The same applies to a withdrawal.
    try devices.fleetkit("unpublish", devices.b, "--title", "Fire*")
    try devices.sync(devices.b)
    let withdrawal = try #require(try devices.pull(devices.a)["run"]?.integer)
    try devices.fleetkit("undo", "\(withdrawal)", "--library", devices.a)
    #expect(try devices.item(devices.a)?["visibility"]?.string == "public")
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "private")
  }

  @Test(arguments: [["--id", "nonsense"], ["--title", "Nothing like it"]])
  func nothingSelectedIsAFailure(_ selection: [String]) throws {
    let devices = try TwoDevices()
    try devices.share()
    let answer = try Shell.run(
      Paths.command, ["pull", devices.a, "--registry", devices.registry.url] + selection,
      environment: devices.environment)
    #expect(answer.status == 2)
    #expect(answer.errors.contains("captain") && answer.errors.contains("list"))
  }

  @Test func updateTakesWhatIsPublic() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Call for help", "Call the coastguard")
    try devices.fleetkit("update", devices.a, "--changed")
    let refused = try devices.fleetkit("sync", devices.a, "--registry", devices.registry.url, status: 3)
    let item = "\(devices.a) --id \(TwoDevices.checklist)"
    #expect(refused.errors.contains("'fleetkit pull \(item)'"))
    #expect(refused.errors.contains("'fleetkit update \(item) --take local'"))
    #expect(refused.errors.contains("'--take remote'"))
    try devices.fleetkit("update", devices.a, "--changed", "--take", "remote", status: 64)
    try devices.fleetkit("update", devices.a, "--take", "remote", status: 64)
    let url = devices.registry.url
    try devices.fleetkit(
      "update", devices.a, "--id", TwoDevices.checklist, "--take", "remote", "--registry", url, "--dry-run")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call the coastguard"])
    let answer = try devices.fleetkit(
      "update", devices.a, "--id", TwoDevices.checklist, "--take", "remote", "--registry", url, "--json")
    let report = try JSONDocument(parsing: answer.output).root
    #expect(report["command"]?.string == "update")
    #expect(TwoDevices.outcome(report) == "taken" && report["dropped_updates"]?.integer == 1)
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call Mayday"])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "synced")
  }

  /// A run that only marks items has changed the library, too, and can be undone.
  @Test func marksCountAsChanges() throws {
    let devices = try TwoDevices()
    try devices.share()
    func run(_ library: String) throws -> JSONValue? {
      let answer = try devices.fleetkit("runs", library, "--json")
      return try JSONDocument(parsing: answer.output).root["runs"]?.elements.first
    }
    try devices.fleetkit("unpublish", devices.b, "--title", "Fire*")
    try devices.sync(devices.b)
    #expect(TwoDevices.outcome(try devices.pull(devices.a)) == "private")
    let withdrawn = try #require(try run(devices.a))
    #expect(withdrawn["state"]?.string == "done" && withdrawn["can_undo"]?.bool == true)
    #expect(withdrawn["counts"]?["changed"]?.integer == 1 && withdrawn["counts"]?["marked"]?.integer == 1)
    let id = withdrawn["id"]?.integer ?? 0
    try devices.fleetkit("undo", "\(id)", "--library", devices.a)
    #expect(try devices.item(devices.a)?["visibility"]?.string == "public")
    // The same applies to items that are only marked as synced.
    for library in [devices.a, devices.b] { try devices.edit(library, "Green?", "Green light?") }
    try devices.send(devices.b)
    #expect(try devices.pull(devices.a, "--title", "Lights")["marked_synced"]?.integer == 1)
    let settled = try #require(try run(devices.a))
    #expect(settled["state"]?.string == "done" && settled["counts"]?["marked"]?.integer == 1)
  }
}
