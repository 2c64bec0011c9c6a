import FleetKit
import Foundation
import TestSupport
import Testing

/// The results of `doctor` when it cannot complete its work.
@Suite struct DoctorCommandTests {
  private static let orphans = "library-v1.4.0-orphans.sqlite"

  @Test(arguments: [
    ("library-v1.4.0-bitflip.sqlite", "damaged"), ("library-v1.4.0-truncated.sqlite", "malformed"),
    ("library-not-a-database.sqlite", "not an SQLite database"), ("library-zero-bytes.sqlite", "empty"),
  ])
  func aFileThatCannotBeReadIsLeftAlone(_ name: String, _ reason: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy(name, as: "x.sqlite")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    for arguments in [["doctor", path], ["doctor", path, "--repair"], ["doctor", path, "--repair", "--dry-run"]] {
      let answer = try Shell.run(Paths.command, arguments)
      #expect(answer.status == 2 && answer.output.isEmpty, "\(answer.errors)")
      #expect(answer.errors.split(separator: "\n").count == 1 && answer.errors.contains(reason))
    }
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes && scratch.names == ["x.sqlite"])
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"), arguments: ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE"])
  func aLibraryInUseIsLeftAlone(_ lock: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy(Self.orphans, as: "x.sqlite")
    let script = """
      import sqlite3,subprocess,sys
      c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute(sys.argv[3])
      r=subprocess.run([sys.argv[2],'doctor',sys.argv[1],'--repair'],capture_output=True,text=True); print(r.returncode, r.stderr)
      """
    let answer = try Shell.run("python3", ["-c", script, path, Paths.command, lock])
    #expect(answer.output.hasPrefix("7 ") && answer.output.contains("x.sqlite"), "\(answer.output)")
    #expect(try Shell.fleetkit("doctor", path, "-q").status == 1, "it is as damaged as before")
    #expect(!FileManager.default.fileExists(atPath: path + ".fleetkit/backups"))
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"))
  func twoDoctorsDoNotMeet() throws {
    let scratch = Scratch()
    let path = try scratch.copy(Self.orphans, as: "x.sqlite")
    try FileManager.default.createDirectory(atPath: path + ".fleetkit", withIntermediateDirectories: true)
    let script = """
      import fcntl,subprocess,sys
      f=open(sys.argv[1]+'.fleetkit/lock','w'); fcntl.flock(f,fcntl.LOCK_EX)
      r=subprocess.run([sys.argv[2],'doctor',sys.argv[1],'--repair'],capture_output=True,text=True); print(r.returncode, r.stderr)
      """
    let answer = try Shell.run("python3", ["-c", script, path, Paths.command])
    #expect(answer.output.hasPrefix("7 ") && answer.output.contains("fleetkit"), "\(answer.output)")
  }

  @Test(.enabled(if: Shell.has("mount") && getuid() == 0, "a small file system needs root"))
  func aLibraryThatCannotBeWrittenIsLeftAlone() throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["disk"], withIntermediateDirectories: true)
    guard try Shell.run("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", scratch["disk"]]).status == 0 else {
      return
    }
    defer { _ = try? Shell.run("umount", [scratch["disk"]]) }
    let path = try scratch.copy(Self.orphans, as: "disk/x.sqlite")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    // The disk has no room for the backup, the journal and the bundles.
    _ = try Shell.run("dd", ["if=/dev/zero", "of=\(scratch["disk/fill"])", "bs=1k", "count=200"])
    let full = try Shell.fleetkit("doctor", path, "--repair")
    #expect(full.status == 2, "\(full.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
    #expect(try Shell.run("mount", ["-o", "remount,ro", scratch["disk"]]).status == 0)
    #expect(try Shell.fleetkit("doctor", path, "-q").status == 1)
    let readOnly = try Shell.fleetkit("doctor", path, "--repair")
    #expect(readOnly.status == 2 && readOnly.errors.split(separator: "\n").count == 1, "\(readOnly.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aNewerLibraryIsOnlyRead() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    try SQLiteShell.run(
      path,
      "INSERT INTO grdb_migrations VALUES ('v3.0.0_new'); UPDATE checklists SET content = '' WHERE title LIKE 'Crew%';")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let look = try Shell.fleetkit("doctor", path)
    #expect(look.status == 1 && look.errors.contains("LIB0901") && look.errors.contains("LIB0101"))
    let repair = try Shell.fleetkit("doctor", path, "--repair")
    #expect(repair.status == 6 && repair.errors.contains("x.sqlite'"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes && scratch.names == ["x.sqlite"])
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func whatOnlyABackupHasIsRefused() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    try SQLiteShell.run(path, "ALTER TABLE charters DROP COLUMN name;")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    let repair = try Shell.fleetkit("doctor", path, "--repair")
    #expect(
      repair.errors.contains("Restore a backup") || repair.errors.contains("restore a backup"), "\(repair.errors)")
    #expect([1, 4].contains(repair.status))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == bytes)
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aLogThatNobodyHasOpenIsRepairedWithTheLibrary() throws {
    let scratch = Scratch()
    for suffix in ["", "-wal"] { _ = try scratch.copy("library-wal/library.sqlite" + suffix, as: "x.sqlite" + suffix) }
    let path = scratch["x.sqlite"]
    let items = "SELECT count(*) FROM library_content;"
    #expect(try Shell.fleetkit("doctor", path, "-q").status == 0)
    #expect(scratch.names == ["x.sqlite", "x.sqlite-wal"])
    let count = try SQLiteShell.run(path, items)
    try SQLiteShell.run(path, "UPDATE library_content SET tags = 'no' WHERE title LIKE 'Crew%';")
    #expect(try Shell.fleetkit("doctor", path, "--repair", "-q").status == 0)
    #expect(try SQLiteShell.run(path, items) == count && Shell.fleetkit("doctor", path, "-q").status == 0)
  }

  /// When a repair is killed at any moment, the library is either unchanged or repaired.
  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aKilledRepairLeavesALibraryThatIsWhole() throws {
    let rounds = ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"].flatMap(Int.init) ?? 8
    for _ in 0..<rounds {
      let scratch = Scratch()
      let path = try scratch.copy(Self.orphans, as: "x.sqlite")
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["doctor", path, "--repair"]
      process.standardError = FileHandle.nullDevice
      try process.run()
      usleep(UInt32.random(in: 0...200_000))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(try SQLiteShell.run(path, "PRAGMA integrity_check;") == "ok\n")
      let count = try SQLiteShell.run(path, "SELECT count(*) FROM checklists;")
      #expect(count == "41\n" || count == "42\n", "\(count)")
      // Status 3 means that parts of damaged texts are lost, and 0 that the killed run had repaired everything.
      #expect([0, 3].contains(try Shell.fleetkit("doctor", path, "--repair", "-q").status))
      #expect(try Shell.fleetkit("doctor", path, "-q").status == 0)
    }
  }

  @Test func jsonAndQuietAndUsage() throws {
    let scratch = Scratch()
    let path = try scratch.copy(Self.orphans, as: "x.sqlite")
    for arguments in [["doctor", path, "--json"], ["doctor", path, "--repair", "--dry-run", "--json"]] {
      let answer = try Shell.run(Paths.command, arguments)
      #expect(ForeignJSON.parse(answer.output) != nil && answer.errors.isEmpty)
      #expect(answer.output.contains("\"command\":\"doctor\""))
    }
    let quiet = try Shell.fleetkit("doctor", path, "-q")
    #expect(quiet.status == 1 && quiet.output.isEmpty && quiet.errors.isEmpty)
    #expect(try Shell.fleetkit("doctor", path, "--dry-run").status == 64)
    #expect(try Shell.fleetkit("doctor").status == 64)
    #expect(try Shell.fleetkit("doctor", scratch["none.sqlite"]).status == 2)
    #expect(scratch.names == ["x.sqlite"])
    let repaired = try Shell.fleetkit("doctor", path, "--repair", "--json")
    #expect(repaired.status == 3 && repaired.output.contains("\"repaired\":true"))
  }
}
