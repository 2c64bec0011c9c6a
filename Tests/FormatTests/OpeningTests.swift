import FleetKit
import Foundation
import TestSupport
import Testing

/// Libraries in unusual states: damaged, interrupted, in use, newer or hostile.
@Suite struct OpeningTests {
  private static func failure(_ path: String) throws -> RunFailure? {
    do {
      _ = try Run.records(path)
      return nil
    } catch let failure as RunFailure {
      return failure
    }
  }

  @Test(arguments: [
    "library-v1.4.0-truncated.sqlite", "library-v1.4.0-bitflip.sqlite", "library-zero-bytes.sqlite",
    "library-not-a-database.sqlite",
  ])
  func damagedFilesFailInOneLine(_ name: String) throws {
    let failure = try #require(try Self.failure(Libraries.path(name)))
    #expect(failure.status == .failed && !failure.message.contains("\n") && failure.message.contains(name))
    let scratch = Scratch()
    #expect(throws: RunFailure.self) { try Run.convert(Libraries.path(name), to: scratch["x.jsonl"]) }
    #expect(throws: RunFailure.self) { try Run.convert(Libraries.path(name), to: scratch["x.sqlite"]) }
    #expect(scratch.names.isEmpty)
  }

  /// When any single page of a library is broken, reading never traps and mostly reports an error.
  @Test func brokenPagesNeverTrap() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0.sqlite", as: "x.sqlite")
    let sound = try Data(contentsOf: URL(fileURLWithPath: path))
    var random = SeededRandom(seed: 3)
    var failed = 0
    for page in 0..<sound.count / 4096 {
      var bytes = sound
      for _ in 0..<40 { bytes[page * 4096 + random.below(4096)] = UInt8(random.below(256)) }
      try bytes.write(to: URL(fileURLWithPath: path))
      if let failure = try Self.failure(path) {
        failed += 1
        #expect([.failed, .locked].contains(failure.status), "\(failure)")
      }
    }
    #expect(failed > 20)
  }

  @Test func truncationAtEveryPageFails() throws {
    let scratch = Scratch()
    let sound = try Data(contentsOf: URL(fileURLWithPath: Libraries.path("library-v1.4.0.sqlite")))
    for length in stride(from: 100, to: sound.count, by: 12_345) {
      try sound.prefix(length).write(to: URL(fileURLWithPath: scratch["x.sqlite"]))
      #expect(try Self.failure(scratch["x.sqlite"])?.status == .failed)
    }
  }

  // MARK: Side files

  private static func state(_ scratch: Scratch) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for name in scratch.names { files[name] = try Data(contentsOf: URL(fileURLWithPath: scratch[name])) }
    return files
  }

  @Test func contentInALogIsReadAndNothingChanges() throws {
    let scratch = Scratch()
    for suffix in ["", "-wal", "-shm"] {
      _ = try scratch.copy("library-wal/library.sqlite" + suffix, as: "library.sqlite" + suffix)
    }
    let before = try Self.state(scratch)
    let context = Run.context()
    let records = try Run.records(scratch["library.sqlite"], context: context)
    #expect(records.filter { $0["kind"]?.string == "item" }.count == 27)
    #expect(context.findings.kept.map(\.code) == [.readThroughCopy])
    #expect(try Self.state(scratch) == before)
  }

  /// A copy of private notes must not be left behind, even after a kill.
  @Test func copiesOfKilledRunsAreRemoved() throws {
    let root = TemporaryFolder.root
    let left = "\(root)/fleetkit-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: left, withIntermediateDirectories: true)
    let path: String
    do {
      let folder = try TemporaryFolder()
      path = folder.path
      let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
      #expect(mode == 0o700 && FileManager.default.fileExists(atPath: path))
    }
    #expect(!FileManager.default.fileExists(atPath: path) && !FileManager.default.fileExists(atPath: left))
  }

  /// A run that removes leftovers must not cause a failure in another run that is creating its folder at that moment.
  @Test func foldersCanBeMadeWhileLeftoversAreRemoved() async throws {
    let scratch = Scratch()
    let target = scratch["target"]
    let made = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<4 {
        group.addTask {
          (0..<500).count { _ in (try? TemporaryFolder(beside: target, ending: ".work")) != nil }
        }
      }
      return await group.reduce(0, +)
    }
    #expect(made == 2000)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path).isEmpty)
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aHotJournalIsRolledBackInACopy() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0.sqlite", as: "library.sqlite")
    let expected = try Run.records(path).map(\.text)
    // A write that has spilled into the file but was never committed.
    try SQLiteShell.run(
      path,
      """
      PRAGMA cache_size = 1; BEGIN IMMEDIATE;
      UPDATE checklists SET title = 'half written ' || title, content = '[]';
      .shell cp \(path) \(scratch["hot.sqlite"]) && cp \(path)-journal \(scratch["hot.sqlite-journal"])
      ROLLBACK;
      """)
    let spilled = try Data(contentsOf: URL(fileURLWithPath: scratch["hot.sqlite"]))
    #expect(try spilled != Data(contentsOf: URL(fileURLWithPath: path)), "the copy must hold uncommitted pages")
    let before = try Self.state(scratch)
    #expect(try Run.records(scratch["hot.sqlite"]).map(\.text) == expected)
    #expect(try Self.state(scratch) == before)
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aReadOnlyLibraryAndAWALHeaderLeaveNoSideFiles() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "library.sqlite")
    try SQLiteShell.run(path, "PRAGMA journal_mode = WAL; PRAGMA wal_checkpoint(TRUNCATE);")
    #expect(scratch.names == ["library.sqlite"])
    let before = try Self.state(scratch)
    #expect(try Run.records(path).count == 49)
    #expect(try Self.state(scratch) == before)
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"))
  func aLibraryInUseIsReadOrReportedAsLocked() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "library.sqlite")
    // Another process holds the write lock: reading continues. With an exclusive lock, reading fails.
    let script = """
      import sqlite3,subprocess,sys
      c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute(sys.argv[3]); c.execute("UPDATE charters SET name=name")
      r=subprocess.run([sys.argv[2],'list',sys.argv[1]],capture_output=True,text=True); print(r.returncode, r.stderr)
      """
    let reserved = try Shell.run("python3", ["-c", script, path, Paths.command, "BEGIN IMMEDIATE"])
    #expect(reserved.output.hasPrefix("0"), "\(reserved.output) \(reserved.errors)")
    let exclusive = try Shell.run("python3", ["-c", script, path, Paths.command, "BEGIN EXCLUSIVE"])
    #expect(exclusive.output.hasPrefix("7") && exclusive.output.contains("library.sqlite"), "\(exclusive.output)")
  }

  @Test(.enabled(if: Shell.has("python3"), "python3 is not there"))
  func aLibraryThatAnotherProgramHasOpenInWALModeIsReadInPlace() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "library.sqlite")
    let script = """
      import sqlite3,subprocess,sys,os,hashlib
      c=sqlite3.connect(sys.argv[1],isolation_level=None); c.execute("PRAGMA journal_mode=WAL")
      c.execute("UPDATE charters SET name='Seen in the log' WHERE name LIKE 'Ionian%'")
      h=lambda: [hashlib.sha256(open(sys.argv[1]+s,'rb').read()).hexdigest() for s in ('','-wal')]
      before=h(); r=subprocess.run([sys.argv[2],'list',sys.argv[1],'--type','charter','-v'],capture_output=True,text=True)
      print(r.returncode, 'Seen in the log' in r.stdout, 'LIB0907' in r.stderr, before==h(), sorted(os.listdir(os.path.dirname(sys.argv[1]))))
      """
    let answer = try Shell.run("python3", ["-c", script, path, Paths.command])
    #expect(
      answer.output == "0 True False True ['library.sqlite', 'library.sqlite-shm', 'library.sqlite-wal']\n",
      "\(answer.output) \(answer.errors)")
  }

  // MARK: Newer and hostile

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func aNewerLibraryIsReadWithAWarning() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "newer.sqlite")
    try SQLiteShell.run(
      path,
      """
      INSERT INTO grdb_migrations VALUES ('v2.3.0_addLogbook');
      ALTER TABLE library_content ADD COLUMN coverImage TEXT; UPDATE library_content SET coverImage = 'a/b.jpg';
      ALTER TABLE checklists ADD COLUMN blobby BLOB; UPDATE checklists SET blobby = x'00ff';
      CREATE TABLE logbook(id TEXT PRIMARY KEY, text TEXT, n REAL); INSERT INTO logbook VALUES ('L1', 'Lefkas → Vathi', 12.5);
      """)
    let context = Run.context()
    let records = try Run.records(path, context: context)
    let codes = Set(context.findings.kept.map(\.code))
    #expect(codes == [.newerLibrary, .unknownTable, .unknownColumn] && context.findings.worst == .warning)
    let item = try #require(records.first { $0["content_type"]?.string == "checklist" })
    #expect(item.at(try pointer("/extras/columns/library_content/coverImage"))?.string == "a/b.jpg")
    #expect(item.at(try pointer("/extras/columns/checklists/blobby/$hex"))?.string == "00ff")
    let foreign = try #require(records.first { $0["kind"]?.string == "foreign" })
    #expect(foreign["type"]?.string == "logbook" && foreign["raw"]?["text"]?.string == "Lefkas → Vathi")
    // A bundle keeps everything. A library of the current schema cannot, and the losses are reported.
    let bundle = try Run.convert(path, to: scratch["all.jsonl"])
    #expect(bundle.context.losses.total == 0)
    let library = try Run.convert(scratch["all.jsonl"], to: scratch["new.sqlite"])
    #expect(library.context.losses.total == 24 + 15 + 1 && library.tally.balances)
    #expect(throws: RunFailure.self) {
      try Run.convert(scratch["all.jsonl"], to: scratch["strict.sqlite"], context: Run.context(noLoss: true))
    }
    #expect(!scratch.names.contains("strict.sqlite"))
  }

  private func pointer(_ text: String) throws -> JSONPointer { try #require(JSONPointer(text)) }

  @Test(
    .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"),
    arguments: [
      "CREATE TRIGGER t AFTER INSERT ON charters BEGIN SELECT 1; END;", "CREATE VIEW v AS SELECT 1;",
      "CREATE VIRTUAL TABLE f USING fts5(x);",
      "DROP TABLE charters; DROP TABLE library_content; DROP TABLE checklists; "
        + "DROP TABLE practice_guides; DROP TABLE checklistExecutionStates; DROP TABLE sync_queue;",
    ])
  func whatTheAppNeverMakesIsRefused(_ sql: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    try SQLiteShell.run(path, sql)
    #expect(try Self.failure(path)?.status == .failed)
  }
}
