import Backup
import ContentPack
import FleetKit
import Foundation
import SQLiteIO
import TestSupport
import Testing

/// Backups of a library that another process writes to without a pause, a counter stamped into several tables in each
/// transaction: every backup shows exactly one of its values, and the writer hardly waits.
@Suite(.serialized) struct BusyWriterTests {
  private static let program = """
    import os, sqlite3, sys, time
    library, mode, stop, ready = sys.argv[1:]
    base = sqlite3.connect(library, timeout=10, isolation_level=None)
    base.execute("PRAGMA journal_mode = " + mode)
    base.execute("PRAGMA synchronous = OFF")
    count = 0
    longest = 0.0
    begun = time.monotonic()
    while not os.path.exists(stop):
        count += 1
        start = time.monotonic()
        base.execute("BEGIN IMMEDIATE")
        base.execute("UPDATE charters SET name = ?", (str(count),))
        base.execute("UPDATE checklists SET title = ?", (str(count),))
        base.execute("INSERT INTO stamps(n) VALUES (?)", (count,))
        base.execute("COMMIT")
        longest = max(longest, time.monotonic() - start)
        if count == 50: open(ready, "w").close()
        time.sleep(max(0, begun + count / 1000 - time.monotonic()))
    print(count, longest, count / (time.monotonic() - begun))
    """

  @Test(.enabled(if: Shell.has("python3"), Judges.reason), arguments: ["DELETE", "WAL"])
  func theBackupShowsOneTransactionAndNobodyWaits(_ mode: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    // Something to copy, and a table whose rows count the transactions.
    try SQLiteShell.run(
      library,
      """
      CREATE TABLE stamps (n INTEGER);
      CREATE TABLE ballast (body TEXT);
      WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 4000)
      INSERT INTO ballast SELECT hex(randomblob(1500)) FROM many;
      """)
    let script = try scratch.write("writer.py", Self.program)
    var longest: [Double] = []
    // A machine that is busy with something else makes anybody wait: the best of three rounds counts.
    for round in 0..<3 {
      let answer = try write(scratch, script, library, mode, round: round) {
        for number in 0..<3 {
          let report = try Backups.make(library, to: scratch["b/"], number: round * 10 + number)
          let snapshot = try Backups.assemble(report.path, in: scratch, as: "back-\(round)-\(number)")
          let stamps = try SQLiteShell.run(
            snapshot.library,
            """
            SELECT count(*) FROM (SELECT name FROM charters UNION SELECT title FROM checklists
              UNION SELECT CAST(max(rowid) AS TEXT) FROM (SELECT n AS rowid FROM stamps ORDER BY rowid DESC LIMIT 1));
            PRAGMA integrity_check;
            """)
          #expect(stamps == "1\nok\n")
        }
      }
      let figures = answer.output.split(separator: " ").compactMap { Double($0.trimmingCharacters(in: .newlines)) }
      try #require(figures.count == 3, "\(answer.errors)")
      #expect(figures[0] > 50)
      longest.append(figures[1])
      if figures[1] < 1 { break }
      try SQLiteShell.run(library, "DELETE FROM stamps;")
    }
    #expect((longest.min() ?? 9) < 1, "the writer's longest waits: \(longest) seconds")
  }

  /// Runs the writer around a body.
  private func write(
    _ scratch: Scratch, _ script: String, _ library: String, _ mode: String, round: Int, _ body: () throws -> Void
  ) throws -> (output: String, errors: String) {
    let stop = scratch["stop-\(round)"]
    let ready = scratch["ready-\(round)"]
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, library, mode, stop, ready]
    let output = Pipe()
    let errors = Pipe()
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    defer { if process.isRunning { process.terminate() } }
    while process.isRunning, !FileManager.default.fileExists(atPath: ready) { usleep(5000) }
    try body()
    _ = FileManager.default.createFile(atPath: stop, contents: nil)
    process.waitUntilExit()
    return (
      String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self),
      String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    )
  }

  @Test func whoeverKeepsTheLockIsWaitedForAndThenNamed() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let keeper = try SQLiteConnection(library, .write)
    try keeper.execute("BEGIN EXCLUSIVE")
    var backup = LibraryBackup(library, to: scratch["b.fleetpack"])
    backup.patience = 0.2
    let failure = #expect(throws: RunFailure.self) { try backup.run(context: Backups.context()) }
    #expect(failure?.status == .locked)
    #expect(scratch.names == ["library.sqlite"])
    try keeper.execute("ROLLBACK")
  }

  @Test func killedInTheMiddleNothingHasItsName() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    try SQLiteShell.run(
      library,
      """
      CREATE TABLE ballast (body TEXT);
      WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 8000)
      INSERT INTO ballast SELECT hex(randomblob(1500)) FROM many;
      """)
    let before = try Backups.state(of: library)
    var random = SeededRandom(seed: 7)
    for round in 0..<8 {
      let target = scratch["b-\(round).fleetpack"]
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["backup", library, "--to", target, "-q"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(5000 + random.below(400_000)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      if FileManager.default.fileExists(atPath: target) {
        _ = try Backups.assemble(target, in: scratch, as: "back-\(round)")
      }
      #expect(try Backups.state(of: library) == before)
    }
    // The next run removes what the killed ones left behind.
    for round in 0..<8 {
      var backup = LibraryBackup(library, to: scratch["b-\(round).fleetpack"])
      backup.overwrites = true
      _ = try backup.run(context: Backups.context(round))
    }
    #expect(scratch.names.filter { $0.hasPrefix(".") } == [])
  }
}
