import Foundation
import JSONText
import TestSupport
import Testing

/// When `sync` is killed at random moments and then completed, every operation takes effect at the registry once.
///
/// The network has no faults. It only delays each message by a few milliseconds, so that kills occur while requests and
/// answers are in transit. `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(
  .serialized, .enabled(if: LocalRegistry.isThere, LocalRegistry.reason),
  .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct SyncCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 12
  private static let seed: UInt64 = 15

  @Test func nothingIsLostAndNothingTakesEffectTwice() throws {
    var crashes = try SyncCrashes(items: 60, seed: Self.seed)
    while crashes.kills < Self.runs, crashes.attempts < Self.runs * 4 { try crashes.wave() }
    #expect(crashes.kills >= Self.runs)
    print(crashes.summary)
    // The test depends on runs that sent only some of their rows, and on answers that no run has read.
    #expect(crashes.inTheMiddle * 4 >= crashes.kills, "too few kills fell while rows were sent: \(crashes.summary)")
    #expect(crashes.unheard > 0, "no answer was lost: \(crashes.summary)")
    try crashes.judge()
  }
}

/// A library, a registry, and syncs between them that are killed.
private struct SyncCrashes {
  private let registry: LocalRegistry
  private let proxy: FaultProxy
  private let world: FaultWorld
  private var random: SeededRandom
  /// The duration of an undisturbed run in microseconds and the number of its writing requests, by `offersBatches`.
  private var lengths: [Bool: (time: Int, writes: Int)] = [:]
  private var waves = 0

  /// The number of runs that were killed, and of runs that should have been killed.
  private(set) var kills = 0
  private(set) var attempts = 0
  /// The number of kills after which only some rows of the wave were sent.
  private(set) var inTheMiddle = 0
  /// The number of kills before any row of the wave was sent.
  private var before = 0
  /// The number of kills after which the registry had accepted more operations than the queue recorded.
  private(set) var unheard = 0

  init(items: Int, seed: UInt64) throws {
    registry = try LocalRegistry()
    proxy = try FaultProxy(to: registry.port, seed: seed, rate: 0, latency: 3000)
    world = try FaultWorld(items: items, seed: seed)
    random = SeededRandom(seed: seed &+ 1)
  }

  var summary: String {
    "kill -9 of a sync: \(kills) kills in \(waves) waves; \(before) before any row was sent, \(inTheMiddle) between the "
      + "first and the last, \(unheard) with accepted writes that the queue did not know"
  }

  /// Queues one operation for every item, kills the runs that send the operations, and sends the rest in another run.
  ///
  /// Each run finds a registry with or without batches. The operations that one run sends in a batch may be sent singly
  /// by the next run, so no idempotency key tells the registry that it has already performed them.
  mutating func wave() throws {
    proxy.offersBatches = waves % 2 == 0
    waves += 1
    let acceptedBefore = proxy.tally.accepted
    try world.ask(of: Set(world.items.indices))
    let rows = try world.current().filter { !$0.value.isSent }
    #expect(rows.count == world.items.count)
    // An access token is valid for only a few minutes.
    let environment = try registry.environment()

    if lengths.count == 2 {
      for _ in 0...random.below(3) {
        attempts += 1
        proxy.offersBatches = random.below(2) == 0
        guard let length = lengths[proxy.offersBatches], try killed(length, environment) else { break }
        kills += 1
        let sent = try world.current().count { rows[$0.key] != nil && $0.value.isSent }
        if sent == 0 { before += 1 } else if sent < rows.count { inTheMiddle += 1 }
        proxy.drain()
        if accepted(since: acceptedBefore).values.reduce(0, +) > sent { unheard += 1 }
      }
      proxy.offersBatches = random.below(2) == 0
      try whole(environment)
    } else {
      let (start, writes) = (ContinuousClock.now, proxy.tally.writes)
      try whole(environment)
      let microseconds = Int(start.duration(to: .now) / .microseconds(1))
      lengths[proxy.offersBatches] = (microseconds, proxy.tally.writes - writes)
    }
    try check(rows, since: acceptedBefore)
  }

  /// Starts a run and kills it, either at any moment of its duration or some microseconds after one of its requests.
  /// - Returns: whether the run was killed before its end.
  private mutating func killed(_ length: (time: Int, writes: Int), _ environment: [String: String]) throws -> Bool {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let request = proxy.tally.writes + 1 + random.below(length.writes)
    let isByTime = random.below(2) == 0
    let pause = random.below(isByTime ? length.time : 15_000)
    try process.run()
    while !isByTime, process.isRunning, proxy.tally.writes < request { usleep(100) }
    usleep(UInt32(pause))
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    return process.terminationReason == .uncaughtSignal
  }

  private var arguments: [String] { ["sync", world.path, "--registry", proxy.url, "--json"] }

  /// Completes a run, which must leave nothing in the queue.
  private func whole(_ environment: [String: String]) throws {
    let answer = try Shell.run(Paths.command, arguments, environment: environment)
    #expect(answer.status == 0, "\(answer.status): \(answer.output) \(answer.errors)")
    let json = try JSONDocument(parsing: answer.output).root
    #expect(json["balanced"]?.bool == true && json["live_after"]?.integer == 0, "\(answer.output)")
    proxy.drain()
    try world.look()
  }

  private func accepted(since old: [FaultProxy.Write: Int]) -> [FaultProxy.Write: Int] {
    proxy.tally.accepted.merging(old) { $0 - $1 }.filter { $0.value != 0 }
  }

  /// Checks that each row was sent without using a try, that the registry accepted each row once, and that the library
  /// and the queue are sound.
  private func check(_ rows: [String: FaultWorld.Row], since old: [FaultProxy.Write: Int]) throws {
    let now = try world.current()
    for (name, row) in rows {
      let row = now[name] ?? row
      #expect(row.isSent && row.tries == 0, "wave \(waves), row \(name): \(row)")
    }
    #expect(try world.open().isEmpty)
    let wanted = rows.values.map { FaultProxy.Write(operation: $0.operation, slug: $0.slug) }
    let accepted = accepted(since: old)
    for write in Set(wanted).union(accepted.keys) where accepted[write] != 1 || !wanted.contains(write) {
      Issue.record("wave \(waves): \(write.operation) of \(write.slug) was accepted \(accepted[write] ?? 0) times")
    }
    for file in [world.path, world.path + ".fleetkit/state.sqlite"] {
      #expect(try SQLiteShell.run(file, "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
    }
    let doctor = try Shell.fleetkit("doctor", world.path, "--json")
    let findings = try JSONDocument(parsing: doctor.output).root["findings"]?["total"]?.integer
    #expect(doctor.status == 0 && findings == 0, "wave \(waves): \(doctor.output) \(doctor.errors)")
  }

  /// Compares the registry's final state with the owner's requests.
  func judge() throws {
    try FaultJudge(world, registry, proxy).judge()
    // Everything that was ever published exists once, and all copies share their one original.
    let published = proxy.tally.accepted.filter { $0.key.operation == "publish" }.count
    let counts = """
      SELECT count(*), count(DISTINCT public_id), count(forked_from_id) = (SELECT count(*) FROM content_forks),
      count(forked_from_id) > 0, sum(fork_count) FROM shared_content;
      """
    #expect(try SQLiteShell.run(registry.database, counts) == "\(published)|\(published)|1|1|0\n")
    #expect(try SQLiteShell.run(registry.database, "PRAGMA integrity_check;") == "ok\n")
    proxy.stop()
  }
}
