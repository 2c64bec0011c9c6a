import Backup
import ContentPack
import FleetKit
import Foundation
import SQLiteIO
import TestSupport
import Testing

/// Backups of a library while another process writes to it without pausing. Each transaction stores a counter in
/// several tables; every backup must contain exactly one counter value, and the writer must hardly have to wait.
@Suite(.serialized) struct BusyWriterTests {
  @Test(.enabled(if: Shell.has("python3"), Judges.reason), arguments: ["DELETE", "WAL"])
  func theBackupShowsOneTransactionAndNobodyWaits(_ mode: String) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let writer = try BusyWriter(library, mode: mode, ballast: 4000, in: scratch)
    var longest: [Double] = []
    // On a busy machine every writer has to wait, so the best of three rounds counts.
    for round in 0..<3 {
      let figures = try writer.write {
        for number in 0..<3 {
          let report = try Backups.make(library, to: scratch["b/"], number: round * 10 + number)
          let snapshot = try Backups.assemble(report.path, in: scratch, as: "back-\(round)-\(number)")
          let lines = try SQLiteShell.run(snapshot.library, BusyWriter.look).split(separator: "\n")
          #expect(lines.first == "1" && lines.last == "ok")
        }
      }
      #expect(figures.count > 50)
      longest.append(figures.longest)
      if figures.longest < 1 { break }
    }
    #expect((longest.min() ?? 9) < 1, "the writer's longest waits: \(longest) seconds")
  }

  @Test func whoeverKeepsTheLockIsWaitedForAndThenNamed() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let keeper = try SQLiteConnection(library, .write, .foreign)
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
    // The next run removes what killed runs left behind.
    for round in 0..<8 {
      var backup = LibraryBackup(library, to: scratch["b-\(round).fleetpack"])
      backup.overwrites = true
      _ = try backup.run(context: Backups.context(round))
    }
    #expect(scratch.names.filter { $0.hasPrefix(".") } == [])
  }
}
