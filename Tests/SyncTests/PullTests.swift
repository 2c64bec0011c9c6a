import Foundation
import JSONText
import TestSupport
import Testing

/// One account on two devices: a change on one device reaches the other, and nothing is lost on the way.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct PullTests {
  @Test func whatIsMissingIsListedAndComesOnRequest() throws {
    let devices = try TwoDevices()
    try devices.fleetkit("publish", devices.a, "--all", "--yes")
    try devices.sync(devices.a)
    let listed = try devices.pull(devices.b)
    #expect(TwoDevices.outcome(listed) == "missing")
    #expect(try devices.item(devices.b) == nil)
    let brought = try devices.pull(devices.b, "--all-mine")
    #expect(TwoDevices.outcome(brought) == "created")
    #expect(TwoDevices.outcome(brought, "Lights") == "created")
    let (here, there) = (try #require(try devices.item(devices.a)), try #require(try devices.item(devices.b)))
    for member in ["id", "public_id", "visibility", "sync_status", "title", "tags"] {
      #expect(there[member]?.text == here[member]?.text, "\(member)")
    }
    #expect(there["sync_status"]?.string == "synced")
    // The creation time stays the same, whenever the item was published. The registry's own time is the time of
    // publication.
    for item in [there, there["content_data"]] {
      let made = item?["created_at"] ?? item?["createdAt"]
      #expect(made?.string == "2026-01-05T10:11:12.000Z")
    }
    let shared = try #require(try devices.registry.client().item(here["public_id"]?.string ?? ""))
    #expect(shared.createdAt?.iso8601.hasPrefix("2026-01-05") == false)
    #expect(there["content_data"]?["sections"]?.text == here["content_data"]?["sections"]?.text)
    // Another pull finds no change on either side.
    for library in [devices.a, devices.b] {
      let again = try devices.pull(library, "--all-mine")
      #expect(again["unchanged"]?.integer == 2)
      #expect(again["items"]?.elements.isEmpty == true)
      #expect(try devices.fleetkit("update", library, "--changed", "--json").number("/queued") == 0)
    }
  }

  @Test func anEditElsewhereComesBack() throws {
    let devices = try TwoDevices()
    try devices.share()
    let ticks = try devices.ticks(devices.a)
    try devices.edit(devices.b, "Call for help", "Call for help on 16")
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    let rehearsal = try devices.pull(devices.a, "--dry-run")
    #expect(TwoDevices.outcome(rehearsal) == "taken")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call for help"])
    let report = try devices.pull(devices.a)
    #expect(TwoDevices.outcome(report) == "taken")
    #expect(TwoDevices.outcome(report, "Lights") == "taken")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call for help on 16"])
    #expect(try devices.steps(devices.a, "Lights") == ["Red?", "Green light?"])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "synced")
    #expect(try devices.item(devices.a)?["created_at"]?.string == "2026-01-05T10:11:12.345Z")
    #expect(try devices.ticks(devices.a) == ticks)
    #expect(try devices.pull(devices.a)["unchanged"]?.integer == 2)
    #expect(try devices.fleetkit("update", devices.a, "--changed", "--json").number("/queued") == 0)
  }

  @Test func editsOfDifferentStepsBothSurvive() throws {
    let devices = try TwoDevices()
    try devices.share()
    let ticks = try devices.ticks(devices.a)
    try devices.edit(devices.b, "Call for help", "Call for help on 16")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Shut the fuel", "Shut the fuel and the gas")
    // Without a pull, the registry refuses to replace another account's change.
    try devices.fleetkit("update", devices.a, "--changed")
    try devices.fleetkit("sync", devices.a, "--registry", devices.registry.url, status: 3)
    let report = try devices.pull(devices.a)
    #expect(TwoDevices.outcome(report) == "merged")
    #expect(report["dropped_updates"]?.integer == 1)
    #expect(try devices.steps(devices.a) == ["Shut the fuel and the gas", "Call for help on 16"])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "pending")
    #expect(try devices.ticks(devices.a) == ticks)
    try devices.send(devices.a)
    #expect(TwoDevices.outcome(try devices.pull(devices.b)) == "taken")
    #expect(try devices.steps(devices.b) == ["Shut the fuel and the gas", "Call for help on 16"])
    // The merged version is the base of further changes.
    try devices.edit(devices.a, "Shut the fuel and the gas", "Shut fuel, then gas")
    try devices.send(devices.a)
    try devices.edit(devices.b, "Call for help on 16", "Mayday on 16")
    #expect(TwoDevices.outcome(try devices.pull(devices.b)) == "merged")
    #expect(try devices.steps(devices.b) == ["Shut fuel, then gas", "Mayday on 16"])
  }

  @Test(arguments: ["local", "remote"]) func editsOfTheSameStepAreAConflict(_ take: String) throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Call for help", "Call the coastguard")
    let report = try devices.pull(devices.a, status: 3)
    #expect(TwoDevices.outcome(report) == "conflict")
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call the coastguard"])
    let page = try #require(report["conflicts"]?.string)
    let both = try String(contentsOfFile: page, encoding: .utf8)
    #expect(both.contains("Call Mayday") && both.contains("Call the coastguard"))
    #expect(report["rejects"]?.elements.isEmpty == false)
    // The conflict remains until a side is chosen.
    #expect(TwoDevices.outcome(try devices.pull(devices.a, status: 3)) == "conflict")
    let settled = try devices.pull(devices.a, "--take", take)
    #expect(TwoDevices.outcome(settled) == (take == "local" ? "merged" : "taken"))
    let won = take == "local" ? "Call the coastguard" : "Call Mayday"
    #expect(try devices.steps(devices.a) == ["Shut the fuel", won])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == (take == "local" ? "pending" : "synced"))
    if take == "local" {
      try devices.send(devices.a)
      #expect(TwoDevices.outcome(try devices.pull(devices.b)) == "taken")
      #expect(try devices.steps(devices.b) == ["Shut the fuel", won])
    }
  }

  @Test func whatIsUnpublishedElsewhereBecomesPrivate() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.fleetkit("unpublish", devices.b, "--title", "Fire*")
    try devices.sync(devices.b)
    let report = try devices.pull(devices.a)
    #expect(TwoDevices.outcome(report) == "private")
    let item = try #require(try devices.item(devices.a))
    #expect(item["visibility"]?.string == "private")
    #expect(item["public_id"]?.isNull != false)
    #expect(try devices.steps(devices.a).count == 2)
    #expect(try devices.pull(devices.a)["unpublished_before"]?.integer == 1)
    // The item can be public again under a new slug.
    try devices.fleetkit("publish", devices.a, "--title", "Fire*")
    try devices.sync(devices.a)
  }

  @Test func whatWaitsIsSentFirst() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.send(devices.b)
    try devices.edit(devices.a, "Shut the fuel", "Shut it")
    try devices.fleetkit("update", devices.a, "--changed")
    let report = try devices.pull(devices.a)
    #expect(TwoDevices.outcome(report) == "skipped")
    #expect(try devices.steps(devices.a) == ["Shut it", "Call for help"])
  }

  @Test func anotherAccountIsRefused() throws {
    let devices = try TwoDevices()
    try devices.share()
    let other = try devices.registry.environment("other@example.com")
    let answer = try Shell.run(
      Paths.command, ["pull", devices.a, "--registry", devices.registry.url], environment: other)
    #expect(answer.status == 4)
    #expect(answer.errors.contains("queue rebind"))
    let registry = try LocalRegistry()
    let elsewhere = try Shell.run(
      Paths.command, ["pull", devices.a, "--registry", registry.url], environment: try registry.environment())
    #expect(elsewhere.status == 4)
  }

  @Test(.enabled(if: CrashPoints.isThere)) func killedAtAnyMomentItIsAllThereOrNothing() throws {
    let devices = try TwoDevices()
    try devices.share()
    try devices.edit(devices.b, "Call for help", "Call Mayday")
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    let folder = Scratch()
    try FileManager.default.copyItem(atPath: devices.folder.path, toPath: folder["before"])
    func restore() throws {
      try? FileManager.default.removeItem(atPath: folder["now"])
      try FileManager.default.copyItem(atPath: folder["before"], toPath: folder["now"])
    }
    let crash = try CrashPoints(folder["now"])
    let arguments = ["pull", folder["now"] + "/a.sqlite", "--registry", devices.registry.url, "-q"]
    try restore()
    let (answer, changes) = try crash.changes(of: Paths.command, arguments, environment: devices.environment)
    #expect(answer.status == 0)
    #expect(changes.count > 10)
    let last = changes.count
    for number in stride(from: 1, through: last, by: max(1, last / 24)) {
      try restore()
      let moment = crash.environment(number % 2 == 0 ? .tear(number) : .kill(number))
      _ = try Shell.run(Paths.command, arguments, environment: devices.environment.merging(moment) { $1 })
      let library = folder["now"] + "/a.sqlite"
      let (list, deck) = (try devices.steps(library), try devices.steps(library, "Lights"))
      let isNew = list[1] == "Call Mayday"
      #expect(list == ["Shut the fuel", isNew ? "Call Mayday" : "Call for help"])
      #expect(deck == ["Red?", isNew ? "Green light?" : "Green?"])
      try devices.pull(library)
      #expect(try devices.steps(library) == ["Shut the fuel", "Call Mayday"])
      #expect(try devices.steps(library, "Lights") == ["Red?", "Green light?"])
      #expect(try devices.pull(library)["unchanged"]?.integer == 2)
      #expect(try devices.item(library)?["sync_status"]?.string == "synced")
    }
  }

  /// On a new device, the library does not exist yet.
  @Test func aNewLibraryIsMadeOnRequest() throws {
    let devices = try TwoDevices()
    try devices.fleetkit("publish", devices.a, "--all", "--yes")
    try devices.sync(devices.a)
    let new = devices.folder["new.sqlite"]
    for named in [[], ["--registry", devices.registry.url]] {
      let answer = try Shell.run(
        Paths.command, ["pull", new, "--all-mine"] + named, environment: devices.environment)
      #expect(answer.status == 2 && answer.errors.contains("new.sqlite'"))
      #expect(answer.errors.contains("--create"))
    }
    try devices.fleetkit("pull", new, "--create", "--registry", devices.registry.url, status: 64)
    let rehearsal = try devices.pull(new, "--all-mine", "--create", "--dry-run")
    #expect(TwoDevices.outcome(rehearsal) == "created")
    #expect(!FileManager.default.fileExists(atPath: new))
    #expect(!FileManager.default.fileExists(atPath: new + ".fleetkit"))
    #expect(TwoDevices.outcome(try devices.pull(new, "--all-mine", "--create")) == "created")
    #expect(try devices.steps(new) == ["Shut the fuel", "Call for help"])
    #expect(try devices.steps(new, "Lights") == ["Red?", "Green?"])
    #expect(try devices.pull(new, "--all-mine", "--create")["unchanged"]?.integer == 2)
  }

  /// Without a session, no library is created, and the advice names the registry.
  @Test func whoIsNotSignedInIsToldWhere() throws {
    let devices = try TwoDevices()
    try devices.share()
    let new = devices.folder["new.sqlite"]
    var environment = devices.environment
    for name in environment.keys where name.hasPrefix("FLEETKIT_") { environment[name] = nil }
    environment["FLEETKIT_TOKEN"] = "a.b.c"
    for arguments in [
      ["pull", devices.b], ["pull", new, "--all-mine", "--create", "--registry", devices.registry.url],
      ["queue", "rebind", devices.b, "--registry", devices.registry.url],
    ] {
      let answer = try Shell.run(Paths.command, arguments, environment: environment)
      #expect(answer.status == 77)
      #expect(answer.errors.contains("fleetkit login --registry \(devices.registry.url)"), "\(answer.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: new))
  }

  /// The list of items that the library lacks must not hide the results.
  @Test func fewOfWhatIsMissingAreListed() throws {
    let devices = try TwoDevices()
    let lines = (10..<19).map { number in
      """
      {"kind":"item","id":"\(number)0939BC-A71B-49F8-B06C-C047F24F4730","content_type":"checklist",\
      "title":"List \(number)","description":"d","created_at":"2026-01-05T10:11:12.345Z",\
      "updated_at":"2026-01-06T10:11:12.345Z","content_data":{"sections":[{"title":"S","items":[{"title":"one"}]}]}}
      """
    }
    let bundle = try devices.folder.write("many.jsonl", lines.joined(separator: "\n") + "\n")
    try devices.fleetkit("import", bundle, "--into", devices.a)
    try devices.fleetkit("publish", devices.a, "--all", "--yes")
    try devices.sync(devices.a)
    let text = try devices.fleetkit("pull", devices.b, "--registry", devices.registry.url).errors
    let listed = text.split(separator: "\n").filter { $0.contains(/\([a-z0-9-]+-[0-9A-F]{8}\)$/) }
    #expect(listed.count == 5, "\(text)")
    let counts = text.split(separator: "\n").filter { $0.contains("--json") }
    #expect(counts.map { String($0).numbers } == [[6]], "\(text)")
    #expect(text.contains(/\b11\b/) && text.contains("--all-mine"))
    #expect(try devices.pull(devices.b)["items"]?.elements.count == 11)
  }
}
