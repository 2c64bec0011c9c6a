import Foundation
import JSONText
import TestSupport
import Testing

/// `sync` killed at random moments, then run to its end: every operation takes effect at the registry once.
///
/// The network between has no faults. It only takes a few milliseconds each way, so that kills fall while requests and
/// answers are on their way. `FLEETKIT_CRASH_RUNS` is the number of kills.
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
    // The point of the test: runs that had sent some rows and not others, and answers that no run has read.
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
  /// How long an undisturbed run takes, in microseconds, and how many requests it writes with; by `offersBatches`.
  private var lengths: [Bool: (time: Int, writes: Int)] = [:]
  private var waves = 0

  /// Runs that were killed, and runs that were to be.
  private(set) var kills = 0
  private(set) var attempts = 0
  /// Kills after which some rows of the wave were sent and others were not.
  private(set) var inTheMiddle = 0
  /// Kills before any row of the wave was sent.
  private var before = 0
  /// Kills after which the registry had accepted more than the queue knew.
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

  /// One operation of every item is queued; runs that send them are killed, and another one sends the rest.
  ///
  /// Each run finds a registry with batches or without: what one run sent in a batch, the next one may send alone, so
  /// that no idempotency key tells the registry that it has done this before.
  mutating func wave() throws {
    proxy.offersBatches = waves % 2 == 0
    waves += 1
    let acceptedBefore = proxy.tally.accepted
    try world.ask(of: Set(world.items.indices))
    let rows = try world.current().filter { !$0.value.isSent }
    #expect(rows.count == world.items.count)
    // An access token is good for some minutes only.
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

  /// Starts a run and kills it: at any moment of its length, or some microseconds after one of its requests.
  /// - Returns: Whether it was killed before its end.
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

  /// A run to its own end, which leaves nothing in the queue.
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

  /// Each row was sent and used no try; the registry accepted each once; library and queue are sound.
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
    // Everything that was ever published is there once, copies with their one original.
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
