import Content
import FleetKit
import Foundation
import Interchange
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// Fetching items: several at once, in a fixed order, until the pull is stopped.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct PullFetchingTests {
  private let now = Timestamp(milliseconds: 1_780_000_000_000)

  /// A meeting point that waits until the given number of requests are in progress at the same time.
  private final class Meeting: @unchecked Sendable {
    private let condition = NSCondition()
    private let size: Int
    private var present = 0
    private(set) var isComplete = false

    init(of size: Int) { self.size = size }

    /// Returns when enough requests have joined, or after a few minutes.
    func join() {
      condition.lock()
      defer { condition.unlock() }
      present += 1
      if present >= size { isComplete = true }
      condition.broadcast()
      let end = Date(timeIntervalSinceNow: 300)
      while !isComplete, condition.wait(until: end) {}
      present -= 1
    }
  }

  private func many(_ count: Int) throws -> TwoDevices {
    let devices = try TwoDevices()
    let lines = (10..<10 + count).map { number in
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
    return devices
  }

  @Test func fourAtOnceInTheirOrder() throws {
    let devices = try many(8)
    let meeting = Meeting(of: 4)
    let calls = FaultyCalls(try devices.registry.client()) { request, _ in
      if request.call == "item" { meeting.join() }
      return nil
    }
    let seen = Mutex<[(Int, Int)]>([])
    var pull = LibraryPull(devices.b, from: calls, at: devices.registry.url)
    pull.bringsAll = true
    pull.onProgress = { done, total in seen.withLock { $0.append((done, total)) } }
    let report = try pull.run(now: now)
    #expect(meeting.isComplete)
    let owned = try devices.registry.client().mine(since: nil, cursor: nil).items
    #expect(report.entries.map(\.publicID) == owned.map(\.publicID))
    #expect(report.entries.allSatisfy { $0.outcome == .created } && report.entries.count == 10)
    #expect(seen.withLock { $0.map(\.0).sorted() } == Array(1...10))
    #expect(seen.withLock { $0.allSatisfy { $0.1 == 10 } })
  }

  /// While a pull fetches items, the app may edit an item that is not fetched. The edit is sent later.
  @Test func anEditMeanwhileIsNotMarkedSynced() throws {
    let devices = try TwoDevices()
    try devices.share()
    // One device already has the public version, but no record of it. The deck has to be fetched.
    for library in [devices.a, devices.b] { try devices.edit(library, "Call for help", "Call Mayday") }
    try devices.edit(devices.b, "Green?", "Green light?")
    try devices.send(devices.b)
    // With a write-ahead log, a library can be written while another process reads it.
    let library = devices.a
    try SQLiteShell.run(library, "PRAGMA journal_mode = WAL;")
    let calls = FaultyCalls(try devices.registry.client()) { request, _ in
      guard request.call == "item" else { return nil }
      #expect(throws: Never.self) {
        try SQLiteShell.run(
          library,
          """
          UPDATE checklists SET content = replace(content, 'Call Mayday', 'Call Pan-Pan');
          UPDATE library_content SET syncStatus = 'pending' WHERE title = 'Fire on board';
          """)
      }
      return nil
    }
    let report = try LibraryPull(devices.a, from: calls, at: devices.registry.url).run(now: now)
    #expect(calls.requests.contains { $0.call == "item" } && report.settled == 0)
    #expect(try devices.steps(devices.a) == ["Shut the fuel", "Call Pan-Pan"])
    #expect(try devices.item(devices.a)?["sync_status"]?.string == "pending")
    #expect(try devices.fleetkit("update", devices.a, "--changed", "--json").number("/queued") == 1)
  }

  @Test func aFailureChangesNothing() throws {
    let devices = try many(3)
    let count = Mutex(0)
    let calls = FaultyCalls(try devices.registry.client()) { request, _ in
      guard request.call == "item" else { return nil }
      let number = count.withLock { count in
        count += 1
        return count
      }
      guard number == 3 else { return nil }
      return .before(.unreachable("the network is away"))
    }
    var pull = LibraryPull(devices.b, from: calls, at: devices.registry.url)
    pull.bringsAll = true
    let error = #expect(throws: RunFailure.self) { try pull.run(now: now) }
    #expect(error?.status == .unreachable)
    #expect(try devices.item(devices.b) == nil)
  }

  /// A scripted registry: when the first item is requested, the user presses Ctrl-C.
  @Test func anInterruptionWritesNothing() throws {
    let folder = Scratch()
    let started = Mutex<(pid: Int32, isInterrupted: Bool)>((0, false))
    let library = folder["a.sqlite"]
    _ = try Shell.fleetkit("convert", try folder.write("none.json", "[]"), "--to", library)
    let digest = String(repeating: "ab", count: 32)
    let owned = (10..<30).map { number in
      """
      {"id":"\(number)0939bc-a71b-49f8-b06c-c047f24f4730","public_id":"list-\(number)","title":"List \(number)",\
      "content_type":"checklist","digest":"\(digest)"}
      """
    }
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/users/me") {
        return .answer(
          200, ["Content-Type: application/json"],
          "{\"id\":\"6d0939bc-a71b-49f8-b06c-c047f24f4730\",\"email\":\"a@example.com\",\"username\":\"anna\"}")
      }
      if request.path.contains("/content/mine") {
        return .answer(
          200, ["Content-Type: application/json"], "{\"items\":[\(owned.joined(separator: ","))],\"next_cursor\":null}")
      }
      // The process runs when it requests an item, but the code that started it may not have its process id yet.
      let end = Date(timeIntervalSinceNow: 120)
      while started.withLock({ $0.pid }) == 0, Date() < end { usleep(1_000) }
      started.withLock { started in
        // A second signal would end the process immediately.
        if !started.isInterrupted { kill(started.pid, SIGINT) }
        started.isInterrupted = true
      }
      return .answer(404, ["Content-Type: application/json"], "{}")
    }
    defer { server.end() }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = ["pull", library, "--registry", server.url, "--all-mine", "-q"]
    process.environment = ["HOME": folder.path, "PATH": "/usr/bin:/bin", "FLEETKIT_TOKEN": "a.b.c"]
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle(forWritingAtPath: "/dev/null")
    try process.run()
    started.withLock { $0.pid = process.processIdentifier }
    process.waitUntilExit()
    #expect(process.terminationReason == .exit && process.terminationStatus == 130)
    #expect(server.requests.count < 2 + owned.count)
    #expect(try Shell.fleetkit("list", library, "--json").output.contains("List") == false)
  }
}
