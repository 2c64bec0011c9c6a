import FleetKit
import Foundation
import SQLiteIO
import TestSupport
import Testing

/// A rehearsal reports what the run would do and leaves no trace.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RehearsalTests {
  /// Returns the bytes and times of every file below a folder.
  private func trace(_ folder: String) throws -> [String: String] {
    var found: [String: String] = [:]
    for name in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      let path = folder + "/" + name
      var status = stat()
      guard stat(path, &status) == 0 else { continue }
      let bytes = FileManager.default.contents(atPath: path)?.base64EncodedString() ?? ""
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      found[name] = "\(status.st_mode) \(time.tv_sec).\(time.tv_nsec) \(bytes)"
    }
    return found
  }

  /// Creates a library with two lists, and a source that keeps one list, changes the other and adds a third.
  private func world(_ journal: String = "DELETE") throws -> (bench: Bench, lists: [SharedList]) {
    let bench = try Bench()
    var lists = [SharedList.of("Oil", "Coolant"), .of("Lines"), .of("Charts")]
    for index in lists.indices { lists[index].id = "33333333-3333-4333-8333-00000000000\(index)" }
    for index in lists.indices { lists[index].section = "DDDDDDDD-0000-4000-8000-00000000000\(index)" }
    try bench.add(lists[0], lists[1])
    try bench.sql("PRAGMA journal_mode = \(journal);")
    lists[1].title = "Fenders"
    lists[1].updated = "2026-03-01T00:00:00.000Z"
    return (bench, lists)
  }

  @Test(arguments: ["DELETE", "WAL"]) func nothingOfTheLibraryChanges(journal: String) throws {
    let (bench, lists) = try world(journal)
    for isSame in [true, false] {
      let text = (isSame ? [lists[0]] : lists).map(\.line).joined()
      _ = try bench.scratch.write("source.jsonl", text)
      let before = try trace(bench.scratch["boat"])
      let dry = try bench.command("--dry-run", "--json")
      #expect(dry.status == 0, "\(dry.errors)")
      let plan = try bench.command("--plan", bench.scratch["plan.json"], "--overwrite", "--json")
      #expect(plan.status == 0, "\(plan.errors)")
      #expect(try trace(bench.scratch["boat"]) == before)
      let applied = try Shell.run(Paths.command, ["apply", bench.scratch["plan.json"], "--dry-run"])
      #expect(applied.status == 0, "\(applied.errors)")
      #expect(try trace(bench.scratch["boat"]) == before)
    }
    // The planned changes can be applied.
    #expect(try Shell.run(Paths.command, ["apply", bench.scratch["plan.json"]]).status == 0)
    #expect(try bench.sql("SELECT title FROM library_content ORDER BY id;").split(separator: "\n").count == 3)
    #expect(try bench.sql("PRAGMA integrity_check;") == "ok\n")
  }

  /// A rehearsal also works with a read-only library.
  @Test func aLibraryThatIsLockedAgainstWritingIsEnough() throws {
    let (bench, lists) = try world()
    _ = try bench.scratch.write("source.jsonl", lists.map(\.line).joined())
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: bench.library)
    try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: bench.scratch["boat"])
    defer {
      try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: bench.scratch["boat"])
      try? files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: bench.library)
    }
    let before = try trace(bench.scratch["boat"])
    #expect(try bench.command("--dry-run").status == 0)
    #expect(try trace(bench.scratch["boat"]) == before)
  }

  /// Another process is writing to the library.
  @Test func aLibraryInUseIsRefused() throws {
    let (bench, lists) = try world()
    _ = try bench.scratch.write("source.jsonl", lists.map(\.line).joined())
    let other = try SQLiteConnection(bench.library, .write, .foreign)
    try other.execute("BEGIN EXCLUSIVE")
    #expect(try bench.command("--dry-run").status == 7)
    try other.execute("ROLLBACK")
    #expect(try bench.command("--dry-run").status == 0)
  }
}
