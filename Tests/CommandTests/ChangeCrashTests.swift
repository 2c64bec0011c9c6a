import Foundation
import TestSupport
import Testing

/// kill -9 and full disks while a library is being changed. At every moment the library is the original or the complete
/// result, and so is a copy of its files without the sidecar. `FLEETKIT_CRASH_RUNS` sets the number of kills.
@Suite(.serialized, .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct ChangeCrashTests {
  private static let runs = Int(ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"] ?? "") ?? 6

  /// A verb that changes a library, with its preparation.
  struct Job: Sendable, CustomTestStringConvertible {
    let name: String
    /// The schema of the initial library; empty if the job starts without a library.
    let version: String
    /// SQL that damages the initial library first.
    let damage: String
    /// The arguments of `fleetkit`, in which `LIBRARY` and `SOURCE` are replaced.
    let arguments: [String]
    var testDescription: String { name }
  }

  static let jobs = [
    Job(
      name: "import", version: "2.2.0",
      damage: "DELETE FROM checklists WHERE rowid % 3 = 0; "
        + "DELETE FROM library_content WHERE rowid % 3 = 0;",
      arguments: ["import", "SOURCE", "--into", "LIBRARY", "--on-conflict", "replace", "-q"]),
    Job(
      name: "import --create", version: "", damage: "",
      arguments: ["import", "SOURCE", "--into", "LIBRARY", "--create", "-q"]),
    Job(name: "migrate", version: "1.4.0", damage: "", arguments: ["migrate", "LIBRARY", "--yes", "-q"]),
    Job(
      name: "doctor", version: "1.4.0",
      damage: "UPDATE checklists SET tags = 'safety,crew'; UPDATE library_content SET id = lower(id) "
        + "WHERE rowid % 2; UPDATE checklists SET id = lower(id) WHERE rowid % 2;",
      arguments: ["doctor", "LIBRARY", "--repair", "-q"]),
  ]

  /// Prepares a library that depends only on the count, and a bundle with changed versions of half of its items.
  private static func prepare(_ job: Job, _ count: Int, in scratch: Scratch) throws -> (library: String, source: String)
  {
    func bundle(_ words: String, _ every: Int) -> String {
      var text = "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1,\"min_reader\":1}\n"
      for index in 0..<count {
        let id = String(format: "%08X-0000-4000-8000-000000000000", index)
        let body = index % every == 0 ? words : "The same as ever. "
        text +=
          "{\"id\":\"\(id)\",\"content_type\":\"checklist\",\"title\":\"List \(index)\",\"created_at\":"
          + "\"2026-01-01T00:00:00.000Z\",\"updated_at\":\"2026-01-01T00:00:00.000Z\",\"content_data\":{\"sections\":[{"
          + "\"title\":\"A\",\"items\":[{\"title\":\"\(String(repeating: body, count: 60))\"}]}]}}\n"
      }
      return text
    }
    let old = try scratch.write("old.jsonl", bundle("Weigh anchor and note the depth. ", 2))
    let new = try scratch.write("new.jsonl", bundle("Lower the dinghy and row ashore. ", 2))
    let library = scratch["base.sqlite"]
    if job.version.isEmpty { return (library, new) }
    let made = try Shell.fleetkit("convert", old, "--to", library, "--schema-version", job.version, "-q")
    #expect(made.status == 0, "\(made.errors)")
    // The app's page size, so that large changes do not fit into the cache.
    try SQLiteShell.run(library, "PRAGMA page_size = 4096; VACUUM; \(job.damage)")
    return (library, new)
  }

  private static func arguments(_ job: Job, _ library: String, _ source: String) -> [String] {
    job.arguments.map { $0.replacing("LIBRARY", with: library).replacing("SOURCE", with: source) }
  }

  /// Returns a string that identifies the content of a library after SQLite has recovered it. Records an issue if the
  /// library is damaged.
  private static func content(_ library: String) throws -> String {
    if !FileManager.default.fileExists(atPath: library) { return "no library" }
    let answer = try SQLiteShell.run(
      library, "PRAGMA integrity_check;\n.sha3sum\nSELECT count(*) FROM library_content;")
    #expect(answer.hasPrefix("ok\n"), "\(answer.prefix(200))")
    return answer
  }

  private static func copyFiles(_ library: String, to folder: String) throws -> String {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for suffix in ["", "-journal", "-wal"] where FileManager.default.fileExists(atPath: library + suffix) {
      try FileManager.default.copyItem(atPath: library + suffix, toPath: folder + "/l.sqlite" + suffix)
    }
    return folder + "/l.sqlite"
  }

  @Test(arguments: jobs)
  func aKilledRunLeavesTheOriginalOrTheResult(_ job: Job) throws {
    // A large change does not fit into SQLite's cache. In long test runs, only one change in eight is large, because
    // large changes are slow.
    let large = Self.runs > 50 ? Self.runs / 8 : 0
    if large > 0 { try killAndLook(job, 16_000, rounds: large) }
    try killAndLook(job, 2500, rounds: Self.runs - large)
  }

  private func killAndLook(_ job: Job, _ count: Int, rounds: Int) throws {
    let scratch = Scratch()
    let (base, source) = try Self.prepare(job, count, in: scratch)
    let original = try Self.content(base)
    let library = scratch["work.sqlite"]
    func reset() throws {
      for name in scratch.names where name.hasPrefix("work.sqlite") {
        try FileManager.default.removeItem(atPath: scratch[name])
      }
      if !job.version.isEmpty { try FileManager.default.copyItem(atPath: base, toPath: library) }
    }
    try reset()
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try Shell.run(Paths.command, Self.arguments(job, library, source)).status == 0)
    let whole = clock.now - start
    let result = try Self.content(library)
    #expect(result != original)
    let microseconds = Int(whole.components.seconds) * 1_000_000 + Int(whole.components.attoseconds / 1_000_000_000_000)
    var random = SeededRandom(seed: UInt64(job.name.utf8.count))
    var counts = (original: 0, result: 0, hot: 0)
    for _ in 0..<rounds {
      try reset()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = Self.arguments(job, library, source)
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(random.below(microseconds * 11 / 10)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      if FileManager.default.fileExists(atPath: library + "-journal") { counts.hot += 1 }
      let copy = try Self.copyFiles(library, to: scratch["copy"])
      let copied = try Self.content(copy)
      #expect(copied == original || copied == result, "the copy is neither")
      if copied == result { counts.result += 1 } else { counts.original += 1 }
      // The copy and the library have the same content, and the next run finishes the work.
      if Self.runs <= 50 || counts.hot % 4 == 0 {
        #expect(try Shell.run(Paths.command, Self.arguments(job, library, source)).status == 0)
        #expect(try Self.content(library) == result, "the next run brings the result")
      }
    }
    print(
      "kill -9, \(job.name), \(count) records: \(counts.original) times the original, \(counts.result) times the result, "
        + "\(counts.hot) times with a journal beside it")
  }

  @Test(arguments: jobs)
  func aFullDiskLeavesTheOriginalOrTheResult(_ job: Job) throws {
    let scratch = Scratch()
    let (base, source) = try Self.prepare(job, Self.runs > 50 ? 2400 : 800, in: scratch)
    let original = try Self.content(base)
    let size = ((try? FileManager.default.attributesOfItem(atPath: base))?[.size] as? Int ?? 0) >> 20
    let disk = scratch["disk"]
    var failed = 0
    var succeeded = 0
    // The disk grows by one megabyte per round, from barely enough for the library to enough for everything.
    for megabytes in (size + 1)... {
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      let mounted = try Shell.run("mount", ["-t", "tmpfs", "-o", "size=\(megabytes)m", "tmpfs", disk])
      guard mounted.status == 0 else {
        if Judges.areRequired { Issue.record("\(mounted.errors)") }
        return
      }
      defer { _ = try? Shell.run("umount", ["-l", disk]) }
      let library = disk + "/l.sqlite"
      if !job.version.isEmpty { try FileManager.default.copyItem(atPath: base, toPath: library) }
      let answer = try Shell.run(
        Paths.command, Self.arguments(job, library, source), environment: ["TMPDIR": disk])
      let copied = try Self.content(try Self.copyFiles(library, to: scratch["copy"]))
      if answer.status == 0 {
        succeeded += 1
        #expect(copied != original)
      } else {
        failed += 1
        #expect(answer.status == 2, "\(answer.errors)")
        #expect(answer.errors.split(separator: "\n").count == 1 && copied == original, "\(answer.errors)")
      }
      if succeeded == 3 { break }
      #expect(megabytes < size * 12 + 40, "it never succeeds: \(answer.errors)")
      if megabytes >= size * 12 + 40 { break }
    }
    #expect(failed > 0)
    print("full disk, \(job.name): \(failed) sizes too small, \(succeeded) large enough, library \(size) MB")
  }
}
