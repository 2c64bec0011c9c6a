import Backup
import ContentPack
import FleetKit
import Foundation
import SQLiteIO
import TestSupport
import Testing

/// Incremental backups: a chain of ten links with random edits in between. Each link must restore the library as it was
/// when the link was made.
@Suite struct ChainTests {
  static let hasJudge = Shell.has("sqldiff")

  /// Tables of all kinds that a library may have in addition to the app's tables.
  static let ballast = #"""
    CREATE TABLE "odd ""name""" (a INTEGER, b REAL, c TEXT, d BLOB, e);
    CREATE TABLE keyed (word TEXT COLLATE NOCASE, number, rest, PRIMARY KEY (word, number DESC)) WITHOUT ROWID;
    CREATE TABLE counted (id INTEGER PRIMARY KEY AUTOINCREMENT, text TEXT UNIQUE);
    CREATE TABLE hidden (rowid TEXT, x INTEGER, twice INTEGER GENERATED ALWAYS AS (x * 2) STORED, y AS (x + 1));
    CREATE INDEX odd_c ON "odd ""name""" (c);
    """#

  @Test(.enabled(if: hasJudge, Judges.reason), arguments: [1, 2, 3])
  func tenLinksGiveEverySnapshotBack(_ seed: Int) throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    try SQLiteShell.run(library, Self.ballast)
    var random = SeededRandom(seed: UInt64(seed))
    var reports: [LibraryBackup.Report] = []
    for number in 0...10 {
      if number > 0 { try Self.edit(library, random: &random, count: number == 5 ? 0 : 40) }
      try FileManager.default.copyItem(atPath: library, toPath: scratch["state-\(number).sqlite"])
      let report = try Backups.make(
        library, to: scratch["b/"], since: number == 0 ? nil : scratch["b/"], number: number)
      #expect(report.fullBecause == nil)
      #expect(report.info.depth == number)
      #expect(report.changes.map { $0.put + $0.gone > 1 } ?? true || number == 5)
      reports.append(report)
    }
    for (number, report) in reports.enumerated() {
      let snapshot = try Backups.assemble(report.path, in: scratch, as: "back-\(number)")
      #expect(try Backups.difference(scratch["state-\(number).sqlite"], snapshot.library) == "")
      for table in ["odd \"\"name\"\"", "keyed", "counted", "hidden", "sqlite_sequence"] {
        let sql = "SELECT quote(\(table == "keyed" ? "word" : "_rowid_")), * FROM \"\(table)\" ORDER BY 1;"
        #expect(try SQLiteShell.run(scratch["state-\(number).sqlite"], sql) == SQLiteShell.run(snapshot.library, sql))
      }
    }
  }

  @Test func anotherSchemaIsAFullBackup() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    try Backups.make(library, to: scratch["b/"])
    try SQLiteShell.run(library, "CREATE TABLE more (a);")
    let report = try Backups.make(library, to: scratch["b/"], since: scratch["b/"], number: 1)
    #expect(report.fullBecause == "its schema was changed")
    #expect(!report.info.isIncremental)
  }

  @Test func aMissingOrChangedParentIsNamed() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let first = try Backups.make(library, to: scratch["b/"])
    try SQLiteShell.run(library, "UPDATE charters SET name = name || '!';")
    let second = try Backups.make(library, to: scratch["b/"], since: first.path, number: 1)
    // A parent that was renamed is recognized by its hash.
    let moved = scratch["b/moved.fleetpack"]
    try FileManager.default.moveItem(atPath: first.path, toPath: moved)
    _ = try Backups.assemble(second.path, in: scratch, as: "back")
    // The parent is missing.
    try FileManager.default.moveItem(atPath: moved, toPath: scratch["elsewhere"])
    try FileManager.default.createDirectory(atPath: scratch["none"], withIntermediateDirectories: true)
    let missing = #expect(throws: RunFailure.self) { try SnapshotAssembly(second.path).assemble(into: scratch["none"]) }
    #expect(missing?.status == .failed)
    #expect(missing?.message.contains((first.path as NSString).lastPathComponent) == true)
    // The parent's name belongs to another backup.
    let other = try Backups.make(library, to: scratch["other.fleetpack"], number: 2)
    try FileManager.default.moveItem(atPath: other.path, toPath: first.path)
    try FileManager.default.createDirectory(atPath: scratch["wrong"], withIntermediateDirectories: true)
    let wrong = #expect(throws: RunFailure.self) { try SnapshotAssembly(second.path).assemble(into: scratch["wrong"]) }
    #expect(wrong?.status == .mismatch)
  }

  @Test func noBackupIsWrittenOverWhatItNeeds() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let names = ["full.fleetpack", "second.fleetpack"]
    try Backups.make(library, to: scratch[names[0]])
    try SQLiteShell.run(library, "UPDATE charters SET name = name || '!';")
    try Backups.make(library, to: scratch[names[1]], since: scratch[names[0]], number: 1)
    try FileManager.default.createSymbolicLink(
      atPath: scratch["link.fleetpack"], withDestinationPath: scratch[names[1]])
    try FileManager.default.linkItem(atPath: scratch[names[0]], toPath: scratch["hard.fleetpack"])
    let before = try names.map { try Data(contentsOf: URL(fileURLWithPath: scratch[$0])) }
    for name in names + ["link.fleetpack", "hard.fleetpack"] {
      let answer = try Shell.fleetkit(
        "backup", library, "--to", scratch[name], "--since", scratch[names[1]], "--overwrite")
      #expect(answer.status == 4 && answer.errors.contains(scratch[name]), "\(name): \(answer.errors)")
    }
    #expect(try names.map { try Data(contentsOf: URL(fileURLWithPath: scratch[$0])) } == before)
    #expect(scratch.names.filter { $0.hasPrefix(".") } == [])
    _ = try Backups.assemble(scratch[names[1]], in: scratch, as: "back")
  }

  @Test func foldersThatAreNotThereAreSaid() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let none = try Shell.fleetkit("backup", library, "--to", scratch["a/b/"])
    #expect(none.status == 2 && none.errors.contains(scratch["a"]), "\(none.errors)")
    let since = try Shell.fleetkit("backup", library, "--to", scratch["a/"], "--since", scratch["c/"])
    #expect(since.status == 2 && since.errors.contains(scratch["c"]), "\(since.errors)")
    #expect(!scratch.names.contains("a"))
    // On the first night, the new folder contains no backup to continue from.
    let made = try Shell.fleetkit("backup", library, "--to", scratch["a/"], "--since", scratch["a"])
    #expect(made.status == 0 && made.errors.contains(scratch["a"]))
    let full = try Backups.make(library, to: scratch["b.fleetpack"])
    let child = try Backups.make(library, to: scratch["a/"], since: full.path, number: 1)
    #expect(child.parentElsewhere == full.path && child.madeFolder == nil)
    #expect(try PackVerification(child.path).run().status == .failed)
  }

  @Test func aBackupOfAnotherLibraryIsNoParent() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite")
    let other = try scratch.writable("library-v1.4.0.sqlite", as: "other.sqlite")
    try SQLiteShell.run(other, "UPDATE charters SET id = upper(hex(randomblob(16)));")
    try SQLiteShell.run(
      other,
      "DELETE FROM library_content; DELETE FROM checklists; DELETE FROM practice_guides; DELETE FROM checklistExecutionStates;"
    )
    let backup = try Backups.make(other, to: scratch["other.fleetpack"])
    let failure = #expect(throws: RunFailure.self) {
      try Backups.make(library, to: scratch["b.fleetpack"], since: backup.path, number: 1)
    }
    #expect(failure?.status == .refused)
    // A renamed library counts as the same library.
    let renamed = try scratch.writable("library-v2.2.0.sqlite", as: "renamed.sqlite")
    let first = try Backups.make(library, to: scratch["first.fleetpack"])
    #expect(try Backups.make(renamed, to: scratch["c.fleetpack"], since: first.path, number: 1).info.depth == 1)
  }

  // MARK: Random edits

  private static func edit(_ library: String, random: inout SeededRandom, count: Int) throws {
    let connection = try SQLiteConnection(library, .write, .foreign)
    try connection.execute("PRAGMA foreign_keys = OFF; BEGIN")
    let tables = [
      "charters", "library_content", "checklists", "practice_guides", "sync_queue", "odd \"\"name\"\"",
      "keyed", "counted", "hidden",
    ]
    for _ in 0..<count {
      let table = "\"\(random.pick(tables))\""
      let isApps = !["odd", "keye", "coun", "hidd"].contains(String(table.dropFirst().prefix(4)))
      let columns = try connection.rows(
        "SELECT name FROM pragma_table_info(?)", [String(table.dropFirst().dropLast()).replacing("\"\"", with: "\"")]
      ).compactMap { $0[0] }.filter { $0 != "y" && $0 != "twice" && $0 != "id" || isApps }
      switch random.below(4) {
      case 0 where !isApps:
        try run(
          connection,
          "INSERT OR IGNORE INTO \(table) (\(columns.map { "\"\($0)\"" }.joined(separator: ", "))) VALUES "
            + "(\(columns.map { _ in "?" }.joined(separator: ", ")))", columns.count, &random)
      case 1 where !isApps || random.below(8) == 0:
        try run(
          connection,
          "DELETE FROM \(table) WHERE \"\(columns[0])\" IN (SELECT \"\(columns[0])\" FROM \(table) "
            + "ORDER BY random() LIMIT 1)", 0, &random)
      default:
        // Only edit text that people write. Garbage in other columns is the subject of other tests.
        let texts = columns.filter {
          ["title", "description", "name", "boat_name", "notes", "last_error"].contains($0)
        }
        let column = isApps ? texts.first ?? "" : random.pick(columns)
        if column.isEmpty { continue }
        try run(
          connection,
          "UPDATE OR IGNORE \(table) SET \"\(column)\" = ? WHERE \"\(columns[0])\" IN "
            + "(SELECT \"\(columns[0])\" FROM \(table) ORDER BY random() LIMIT 2)", 1, &random, onlyText: isApps)
      }
    }
    try connection.execute("COMMIT")
  }

  private static func run(
    _ connection: SQLiteConnection, _ sql: String, _ values: Int, _ random: inout SeededRandom, onlyText: Bool = false
  ) throws {
    let statement = try connection.prepare(sql)
    for index in 0..<values {
      switch onlyText ? 3 : random.below(8) {
      case 0: statement.bindNull(at: index + 1)
      case 1: statement.bind(Int64(bitPattern: random.next()), at: index + 1)
      case 2: statement.bind(Double(random.below(20)) / 2, at: index + 1)
      case 3: statement.bind("text \(random.below(1000)) ж", at: index + 1)
      case 4: statement.bind("with\0nul", at: index + 1)
      case 5: statement.bind(String(repeating: "long ", count: random.below(9000)), at: index + 1)
      case 6: statement.bind("\(random.below(50))", at: index + 1)
      default: statement.bind(blob: (0..<random.below(40)).map { UInt8(truncatingIfNeeded: $0 &* 37) }, at: index + 1)
      }
    }
    try statement.run()
  }
}
