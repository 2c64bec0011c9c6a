import Foundation
import Interchange
import JSONText
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

@testable import SyncQueue

/// `fleetkit sync` and `fleetkit queue` as processes that are killed, paused and interrupted.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct SyncCommandTests {
  private let library: SyncLibrary
  private let registry: LocalRegistry
  private let environment: [String: String]

  init() throws {
    library = try SyncLibrary()
    registry = try LocalRegistry()
    environment = try registry.environment()
  }

  private func fleetkit(_ arguments: String...) throws -> Answer {
    try Shell.run(Paths.command, arguments, environment: environment)
  }

  private func start(
    _ arguments: String..., output: FileHandle = .nullDevice, errors: FileHandle = .nullDevice
  ) throws -> Process {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    return process
  }

  /// Creates a file in the scratch folder for a process's output.
  private func file(_ name: String) throws -> FileHandle {
    try #require(FileHandle(forWritingAtPath: library.scratch.write(name, "")))
  }

  /// Waits for a condition, which takes a moment, or minutes when hundreds of tests share two processors.
  private func wait(for condition: () throws -> Bool) throws {
    let end = ContinuousClock.now + .seconds(300)
    while try !condition() {
      try #require(ContinuousClock.now < end, "it took too long")
      usleep(30_000)
    }
  }

  private func mine() throws -> [OwnedItem] {
    let client = try registry.client()
    var items: [OwnedItem] = []
    var cursor: String?
    repeat {
      let page = try client.mine(since: nil, cursor: cursor)
      items += page.items
      cursor = page.next
    } while cursor != nil
    return items
  }

  @Test func itSendsSaysWhatItDidAndCounts() throws {
    try library.publish(1)
    try library.add(2)
    try library.enqueue(.publish, 2, SyncLibrary.payload(2, description: false))
    let dry = try fleetkit("sync", library.path, "--dry-run", "--json")
    #expect(dry.status == 3 && dry.output.contains("\"would_send\":{\"publish\":1}"))
    #expect(!FileManager.default.fileExists(atPath: library.path + ".fleetkit"))
    let metrics = library.scratch["sync.prom"]
    let answer = try fleetkit("sync", library.path, "--registry", registry.url, "--json", "--metrics", metrics)
    #expect(answer.status == 3)
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["sent"]?["publish"]?.integer == 1 && json["failed"]?.integer == 1 && json["balanced"]?.bool == true)
    #expect(json["failures"]?.elements.first?["code"]?.string == "invalid")
    let text = try String(contentsOfFile: metrics, encoding: .utf8)
    for line in [
      "fleetkit_sync_attempts_total{operation=\"publish\"} 1", "fleetkit_sync_successes_total{operation=\"publish\"} 1",
      "fleetkit_sync_failures_total{reason=\"invalid\"} 1",
      "content_published_total{content_type=\"practice_guide\"} 1",
      "sync_request_duration_seconds_count 2", "fleetkit_sync_queue_depth{state=\"failed\"} 1",
      "sync_request_duration_seconds{quantile=\"0.99\"} ", "fleetkit_sync_queue_oldest_age_seconds 0",
    ] { #expect(text.contains(line), "\(line)") }
    let quiet = try fleetkit("sync", library.path, "--registry", registry.url, "--json")
    #expect(quiet.status == 0 && quiet.number("/live_before") == 0, "\(quiet.output)")
    let other = try fleetkit("sync", library.path, "--registry", "http://127.0.0.1:9")
    #expect(other.status == 4 && other.errors.contains("queue rebind"))
  }

  @Test func theQueueIsListedRetriedAndCancelled() throws {
    let first = try library.publish(1)
    try library.add(2)
    let second = try library.enqueue(.publish, 2, SyncLibrary.payload(2), retryCount: 3, error: "timed out")
    let list = try fleetkit("queue", library.path)
    #expect(list.status == 0 && list.output.split(separator: "\n").count == 2)
    let json = try JSONDocument(parsing: fleetkit("queue", library.path, "--json").output).root
    #expect(json["operations"]?.elements.map { $0["state"]?.string } == ["waiting", "failed"])
    #expect(try fleetkit("queue", "retry", library.path).status == 64)
    #expect(try fleetkit("queue", "retry", library.path, "--id", "\(first)").status == 4)
    #expect(try fleetkit("queue", "retry", library.path, "--id", "\(second)").status == 0)
    #expect(try library.row(second) == "live 0")
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "\(first)").status == 4)
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "\(first)", "--yes").status == 0)
    #expect(try library.item(1) == "private pending -")
    try SQLiteShell.run(library.path, "UPDATE sync_queue SET lastError = 'timed out' WHERE id = \(second);")
    let refused = try fleetkit("queue", "cancel", library.path, "--id", "\(second)", "--yes")
    #expect(refused.status == 4 && refused.errors.contains("--force"))
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "\(second)", "--yes", "--force").status == 0)
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "99", "--yes").status == 64)
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "x", "--yes").status == 64)
  }

  /// A refused operation gets advice. An operation that a later one has replaced is not reported as a problem.
  @Test func theQueueSaysWhatHelpsAndWhatIsOvertaken() throws {
    try library.add(1, 2)
    let taken = "'fog-00000001' is taken: another account published content under this id (409)"
    try library.enqueue(.publish, 1, SyncLibrary.payload(1), retryCount: 3, error: taken)
    var list = try fleetkit("queue", library.path)
    #expect(list.output.contains(taken) && list.output.contains("'fleetkit queue cancel'"), "\(list.output)")
    #expect(list.errors.numbers == [0, 1] && !list.errors.contains("retry"), "\(list.errors)")
    let old = try library.enqueue(.publish, 2, SyncLibrary.payload(2), retryCount: 3, error: "timed out")
    list = try fleetkit("queue", library.path)
    #expect(list.errors.numbers.contains(2) && list.errors.contains("queue retry"), "\(list.errors)")
    let later = try library.enqueue(.publishUpdate, 2, SyncLibrary.payload(2))
    try SQLiteShell.run(
      library.path, "UPDATE sync_queue SET syncedAt = '2126-01-05 10:11:12.000' WHERE id = \(later);")
    list = try fleetkit("queue", library.path)
    #expect(list.errors.numbers == [0, 1, 1] && !list.errors.contains("retry"), "\(list.errors)")
    let rows = try JSONDocument(parsing: fleetkit("queue", library.path, "--json").output).root["operations"]?.elements
    #expect(rows?.map { $0["state"]?.string } == ["failed", "overtaken"])
    #expect(rows?.map { $0["advice"]?.string?.contains("'fleetkit queue cancel'") } == [true, nil])
    let item = try library.item(2)
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "\(old)", "--yes", "--force").status == 0)
    #expect(try library.item(2) == item && fleetkit("queue", library.path).errors.numbers == [0, 1])
  }

  @Test(arguments: ["public", "unlisted"])
  func cancellingAWithdrawalMakesTheItemAsVisibleAsItWas(_ visibility: String) throws {
    try library.publish(1)
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 0)
    let id = SyncLibrary.id(1)
    try SQLiteShell.run(library.path, "UPDATE library_content SET visibility = '\(visibility)' WHERE id = '\(id)';")
    #expect(try fleetkit("unpublish", library.path, "--id", id).status == 0)
    #expect(try fleetkit("queue", "cancel", library.path, "--id", "2", "--yes").status == 0)
    #expect(try library.item(1) == "\(visibility) synced \(SyncLibrary.slug(1))")
    // A pull does not change this.
    #expect(try fleetkit("pull", library.path, "--registry", registry.url, "--take", "remote").status == 0)
    #expect(try library.item(1) == "\(visibility) synced \(SyncLibrary.slug(1))")
    // When it is sent once more, it is not sent as a new item.
    #expect(try fleetkit("unpublish", library.path, "--id", id).status == 0)
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 0)
    #expect(try library.item(1) == "private synced -")
    #expect(try registry.client().item(SyncLibrary.slug(1)) == nil)
  }

  /// The app does not store an item's state from before it queued the withdrawal.
  @Test func cancellingAWithdrawalOfTheAppKeepsTheItemPrivate() throws {
    try library.publish(1)
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 0)
    try library.unpublish(1)
    let answer = try fleetkit("queue", "cancel", library.path, "--id", "2", "--yes", "--json")
    #expect(answer.status == 0)
    let slug = SyncLibrary.slug(1)
    #expect(try JSONDocument(parsing: answer.output).root["may_be_public_as"]?.string == slug)
    #expect(try library.item(1) == "private synced -")
    // The registry has the item.
    let pulled = try fleetkit(
      "pull", library.path, "--registry", registry.url, "--all-mine", "--id", SyncLibrary.id(1))
    #expect(pulled.status == 0, "\(pulled.errors)")
    // The registry's item has a body, which the local items lack in this test. Only the publication matters.
    let item = try library.item(1)
    #expect(item.hasPrefix("public ") && item.hasSuffix(slug), "\(item): \(pulled.errors)")
  }

  /// An item that is unlisted when its publication is sent remains unlisted.
  @Test func sendingAPublicationKeepsTheItemUnlisted() throws {
    try library.publish(1)
    try SQLiteShell.run(library.path, "UPDATE library_content SET visibility = 'unlisted' WHERE title = 'Fog 1';")
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 0)
    #expect(try library.item(1) == "unlisted synced \(SyncLibrary.slug(1))")
  }

  @Test func killedAtAnyMomentNothingIsLostAndNothingIsSentTwice() throws {
    try library.add(Array(1...200))
    try library.enqueue(.publish, 1...200) { SyncLibrary.payload($0) }
    try library.enqueue(.publishUpdate, 1...100) { SyncLibrary.payload($0, title: "Fog two") }
    for moment in [20, 120, 250, 380, 500, 640, 800, 1000] {
      let process = try start("sync", library.path, "--registry", registry.url, "--workers", "2")
      usleep(UInt32(moment) * 1000)
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
    let answer = try fleetkit("sync", library.path, "--registry", registry.url)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      try library.value("SELECT count(*), sum(syncedAt IS NOT NULL), sum(retryCount) FROM sync_queue;") == "300|300|0")
    #expect(try library.value("SELECT DISTINCT syncStatus FROM library_content WHERE title LIKE 'Fog%';") == "synced")
    let items = try mine()
    #expect(items.count == 200 && items.count { $0.title == "Fog two" } == 100)
  }

  @Test func watchingGoesOnAfterAStopAndEndsWhenAsked() throws {
    let process = try start("sync", library.path, "--registry", registry.url, "--watch", "--interval", "1")
    try library.publish(1)
    try wait { try library.row(1) == "sent" }
    // Stop the process between two checks: during a check, it would lock the library.
    try wait {
      kill(process.processIdentifier, SIGSTOP)
      #expect(ProcessSignals.waitUntilStopped(process))
      if (try? SQLiteShell.run(library.path, "BEGIN IMMEDIATE; ROLLBACK;")) != nil { return true }
      kill(process.processIdentifier, SIGCONT)
      return false
    }
    try library.publish(2)
    usleep(300_000)
    #expect(try library.row(2) == "live 0")
    kill(process.processIdentifier, SIGCONT)
    try wait { try library.row(2) == "sent" }
    // Meanwhile, another sync is refused.
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 7)
    registry.stop()
    try library.publish(3)
    usleep(1_500_000)
    #expect(process.isRunning)
    try registry.start()
    try wait { try library.row(3) == "sent" }
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 0)
  }

  @Test func anInterruptedRunSettlesAndLeavesTheRestInTheQueue() throws {
    try library.publish(1)
    registry.send(SIGSTOP)
    let process = try start("sync", library.path, "--registry", registry.url, "--timeout", "2")
    _ = ProcessSignals.wait(for: process, toHandle: SIGTERM)
    usleep(300_000)
    // When tests run in the background of a shell, their processes ignore Ctrl-C.
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    registry.send(SIGCONT)
    #expect(process.terminationReason == .exit)
    #expect(process.terminationStatus == 130)
    #expect(try library.row(1) == "live 0")
    #expect(try fleetkit("sync", library.path, "--registry", registry.url).status == 0)
    #expect(try mine().count == 1)
  }

  @Test func aRequestThatHangsDoesNotHoldAnInterruptedRun() throws {
    let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","email":null,"username":"captain"}"#
    for hangsAtOnce in [true, false] {
      let server = try ScriptedServer { request in
        request.path.hasSuffix("/users/me") && !hangsAtOnce ? .answer(200, [], user) : .hang
      }
      let library = try SyncLibrary()
      try library.publish(1)
      let process = try start("sync", library.path, "--registry", server.url, "--timeout", "3600")
      try wait { !server.requests.filter { hangsAtOnce || !$0.path.hasSuffix("/users/me") }.isEmpty }
      kill(process.processIdentifier, SIGTERM)
      try wait { !process.isRunning }
      #expect(process.terminationReason == .exit && process.terminationStatus == 130)
      #expect(try library.row(1) == "live 0" && library.item(1).contains("queued"))
    }
  }

  @Test func whileItWaitsForAnotherCommandThatOneCanCommit() throws {
    try library.publish(1)
    let app = try SQLiteConnection(library.path, .write, .foreign, busyTimeout: 20_000)
    var folder: Sidecar? = try Sidecar(of: library.path)
    let sync = try start("sync", library.path, "--registry", registry.url)
    // This is long enough to reach the lock, where the process waits for up to a minute.
    usleep(3_000_000)
    #expect(sync.isRunning && folder != nil)
    // This fails as busy while the sync reads the library.
    try app.execute("BEGIN IMMEDIATE; UPDATE library_content SET updatedAt = updatedAt; COMMIT")
    folder = nil
    try wait { !sync.isRunning }
    #expect(try sync.terminationStatus == 0 && library.row(1) == "sent")
  }

  @Test func watchingSaysWhereToAndWhatCameOfIt() throws {
    try library.publish(1)
    let process = try start(
      "sync", library.path, "--registry", registry.url, "--watch", "--interval", "2", errors: file("said"))
    try wait { try library.row(1) == "sent" }
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    let text = try library.scratch.text("said")
    #expect(text.contains(registry.url) && text.contains(/\b2 s\b/) && text.contains("Ctrl-C"), "\(text)")
    #expect(text.contains(/\b1\b/) && process.terminationStatus == 0, "\(text)")
  }

  @Test func watchingEndsWithTheTotalsForScripts() throws {
    try library.publish(1)
    let process = try start(
      "sync", library.path, "--registry", registry.url, "--watch", "--interval", "1", "--json", output: file("said"))
    try wait { try library.row(1) == "sent" }
    try library.publish(2)
    try wait { try library.row(2) == "sent" }
    kill(process.processIdentifier, SIGTERM)
    process.waitUntilExit()
    let lines = try library.scratch.text("said").split(separator: "\n").map {
      try JSONDocument(parsing: String($0)).root
    }
    let last = try #require(lines.last)
    #expect(last["totals"]?.bool == true && last["sent"]?.integer == 2 && last["waiting"]?.integer == 0)
    #expect(last["rounds"]?.integer == Int64(lines.count - 1) && lines.count > 2)
    #expect(!lines.dropLast().contains { $0["totals"] != nil })
  }

  @Test func askingEndsAtOnceWhenInterrupted() throws {
    let server = try ScriptedServer { _ in .hang }
    let (url, path, tokens) = (server.url, library.path, library.scratch["tokens"])
    let starts = [
      { try start("login", "--dev-email", "a@example.com", "--token-file", tokens, "--registry", url) },
      { try start("pull", path, "--registry", url, "--timeout", "3600") },
      { try start("fork", "fog-1", "--into", path, "--registry", url, "--timeout", "3600") },
      { try start("queue", "rebind", path, "--yes", "--registry", url, "--timeout", "3600") },
    ]
    for (number, start) in starts.enumerated() {
      let process = try start()
      try wait { server.requests.count > number || !process.isRunning }
      kill(process.processIdentifier, SIGTERM)
      try wait { !process.isRunning }
      #expect(process.terminationReason == .exit && process.terminationStatus == 130, "\(number)")
    }
  }

  @Test func withoutASessionItSaysSo() throws {
    try library.publish(1)
    var bare = environment
    bare["FLEETKIT_TOKEN"] = ""
    bare["FLEETKIT_REFRESH_TOKEN"] = ""
    let answer = try Shell.run(
      Paths.command, ["sync", library.path, "--registry", registry.url], environment: bare)
    #expect(answer.status == 77 && answer.errors.contains("fleetkit login"))
    #expect(try library.row(1) == "live 0")
  }
}
