import Foundation
import JSONText
import TestSupport
import Testing

/// Queues of a million rows are processed in bounded memory. FLEETKIT_COMMAND names a release build.
@Suite(.serialized, .enabled(if: Large.isWanted && LocalRegistry.isThere, Large.reason)) struct QueueLargeTests {
  private static let rows = 1_000_000
  /// The limit of a run's private memory in MiB.
  private static let bound = 128

  /// Creates a library with one item per row.
  /// - Parameter live: the number of unsent rows; all other rows were sent.
  private func library(_ scratch: Scratch, live: Int) throws -> String {
    let bundle = try scratch.write(
      "b.jsonl",
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n" + FaultItem(5).line)
    let answer = try Shell.fleetkit("import", bundle, "--into", scratch["l.sqlite"], "--create", "-q")
    try #require(answer.status == 0, "\(answer.errors)")
    let id = "printf('10000000-0000-4000-8000-%012d', n)"
    let slug = "printf('fog-%08X', n)"
    let date = "strftime('%Y-%m-%d %H:%M:%f', 1770000000 + n / 1000.0, 'unixepoch')"
    let numbers = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t LIMIT \(Self.rows))"
    try SQLiteShell.run(
      scratch["l.sqlite"],
      """
      PRAGMA journal_mode = MEMORY; PRAGMA synchronous = OFF; BEGIN;
      \(numbers) INSERT INTO library_content (id, title, description, type, visibility, tags, createdAt, updatedAt,
      syncStatus, publishedAt, publicID, publicMetadata)
      SELECT \(id), 'Fog ' || n, 'What to do.', 'practice_guide', 'public', '["fog"]', \(date), \(date),
      iif(n > \(Self.rows - live), 'queued', 'synced'), \(date), \(slug), '{"canFork":true,"authorUsername":""}' FROM t;
      \(numbers) INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, syncedAt)
      SELECT \(id), 'publish', 'public', '{"title":"Fog ' || n || '","description":"What to do.",'
      || '"content_type":"practice_guide","content_data":{"id":"' || \(id) || '","title":"Fog ' || n
      || '","description":"What to do.","markdown":"# Fog","tags":["fog"],"createdAt":"2026-01-05T10:11:12Z",'
      || '"updatedAt":"2026-01-05T10:11:12Z","syncStatus":"pending"},"tags":["fog"],"language":"en","public_id":"'
      || \(slug) || '"}', \(date), iif(n > \(Self.rows - live), NULL, \(date)) FROM t;
      COMMIT; PRAGMA journal_mode = DELETE;
      """)
    return scratch["l.sqlite"]
  }

  /// The result of a command and its peak memory.
  private struct Run {
    let status: Int32
    let peak: Int
    let seconds: Double
  }

  /// - Parameter patience: the number of seconds after which the run is interrupted.
  private func run(
    _ arguments: [String], _ environment: [String: String] = [:], output: String, patience: Double = 1200
  ) throws -> Run {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: Paths.command)
    process.arguments = arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardInput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    let start = ContinuousClock.now
    try process.run()
    var peak = 0
    var isInterrupted = false
    while process.isRunning {
      let status = try? String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
      let line = status?.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
      peak = max(peak, line.flatMap { Int($0.split(separator: " ").dropLast().last ?? "") } ?? 0)
      if !isInterrupted, start.duration(to: .now) > .seconds(patience) {
        process.interrupt()
        isInterrupted = true
      }
      usleep(5000)
    }
    return Run(
      status: process.terminationStatus, peak: peak / 1024, seconds: start.duration(to: .now) / .seconds(1))
  }

  private func expect(_ what: String, _ run: Run, _ statuses: Set<Int32>) {
    #expect(statuses.contains(run.status), "\(what): exit \(run.status)")
    #expect(run.peak < Self.bound, "\(what): \(run.peak) MiB")
    print(String(format: "%@: %.1f s, peak %d MiB", what, run.seconds, run.peak))
  }

  @Test func aMillionRowsThatWereSent() throws {
    let scratch = Scratch()
    let library = try library(scratch, live: 100)
    let registry = try LocalRegistry()
    let environment = try registry.environment()
    expect("dry run, 100 of a million live", try run(["sync", library, "--dry-run"], output: scratch["o"]), [0])
    let sync = try run(["sync", library, "--registry", registry.url, "--json"], environment, output: scratch["o"])
    expect("sync, 100 of a million live", sync, [0])
    #expect(try JSONDocument(parsing: scratch.text("o")).root["sent"]?["publish"]?.integer == 100)
    expect("queue --all, a million sent", try run(["queue", library, "--all"], output: scratch["o"]), [0])
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM sync_queue WHERE syncedAt IS NULL;") == "0\n")
  }

  @Test func aMillionLiveRows() throws {
    let scratch = Scratch()
    let library = try library(scratch, live: Self.rows)
    let registry = try LocalRegistry()
    let environment = try registry.environment()
    expect("queue, a million live", try run(["queue", library], output: scratch["o"]), [0])
    expect("queue --json, a million live", try run(["queue", library, "--json"], output: scratch["o"]), [0])
    expect("dry run, a million live", try run(["sync", library, "--dry-run"], output: scratch["o"]), [0])
    // The run is interrupted after a minute, when its memory use has reached its maximum.
    let sync = try run(
      ["sync", library, "--registry", registry.url, "--json"], environment, output: scratch["o"], patience: 60)
    expect("sync, a million live, for a minute", sync, [0, 130])
    let summary = try JSONDocument(parsing: scratch.text("o")).root
    #expect(summary["balanced"]?.bool == true)
    #expect(summary["live_before"]?.integer == Int64(Self.rows) && summary["sent"]?["publish"]?.integer ?? 0 > 1000)
    print("sent \(summary["sent"]?["publish"]?.integer ?? 0) in \(Int(sync.seconds)) s")
  }
}
