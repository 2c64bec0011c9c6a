import Backup
import FleetKit
import Foundation
import TestSupport
import Testing

/// Backups restored under a new name, compared by `sqldiff` and by their records.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct RestoreTests {
  /// Copies a library with its log, so that a judge may open the copy.
  private func copy(_ name: String, in scratch: Scratch) throws -> String {
    let library = try scratch.writable(name, as: "original.sqlite")
    let log = Paths.libraries + "/" + name + "-wal"
    if FileManager.default.fileExists(atPath: log) {
      try FileManager.default.copyItem(atPath: log, toPath: library + "-wal")
    }
    return library
  }

  @Test(.enabled(if: Shell.has("sqldiff"), Judges.reason), arguments: Restoring.libraries)
  func everyLibraryComesBackRowForRow(_ name: String) throws {
    let scratch = Scratch()
    let library = try copy(name, in: scratch)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    #expect(try Restoring.verify(backup, "--restore").status == 0)
    let report = try LibraryRestore(backup, to: scratch["new.sqlite"]).run()
    #expect(!report.isReplaced && report.saved == nil && report.chain == [backup])
    #expect(try SQLiteShell.run(scratch["new.sqlite"], "PRAGMA integrity_check;") == "ok\n")
    let difference = try Shell.run("sqldiff", [library, scratch["new.sqlite"]])
    #expect(difference.status == 0 && difference.output == "" && difference.errors == "", "\(difference)")
    let mode = try FileManager.default.attributesOfItem(atPath: scratch["new.sqlite"])[.posixPermissions] as? Int
    #expect(mode == 0o600)
    #expect(!scratch.names.contains { $0.hasPrefix(".") }, "\(scratch.names)")
  }

  @Test func whatLiesBesideTheLibraryComesBack() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let notes = scratch["vault"]
    try FileManager.default.createDirectory(atPath: notes, withIntermediateDirectories: true)
    try "# Anchoring\n\n![chart](chart.png)\n".write(
      toFile: notes + "/Anchoring.md", atomically: true, encoding: .utf8)
    try Data((0..<5000).map { UInt8($0 & 255) }).write(to: URL(fileURLWithPath: notes + "/chart.png"))
    #expect(try Shell.fleetkit("import", notes, "--into", library, "-q").status == 0)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    let report = try LibraryRestore(backup, to: scratch["new.sqlite"]).run()
    #expect(report.media == 1)
    #expect(try Restoring.text(scratch["new.sqlite"]) == Restoring.text(library))
    #expect(try Restoring.text(library).contains("Not under command"))
    func media(_ library: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: library + ".fleetkit/media")
    }
    #expect(try media(scratch["new.sqlite"]) == media(library))
    let folder = try FileManager.default.attributesOfItem(atPath: scratch["new.sqlite.fleetkit"])
    #expect(folder[.posixPermissions] as? Int == 0o700)
  }

  @Test func aChainComesBack() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    var last = try Restoring.backUp(library, to: scratch["b0.fleetpack"])
    for number in 1...3 {
      try SQLiteShell.run(
        library,
        "UPDATE checklists SET title = title || ' \(number)'; "
          + "DELETE FROM practice_guides WHERE rowid IN (SELECT rowid FROM practice_guides LIMIT 1);")
      last = try Restoring.backUp(library, to: scratch["b\(number).fleetpack"], "--since", last)
    }
    let report = try LibraryRestore(last, to: scratch["new.sqlite"]).run()
    #expect(report.chain.count == 4 && report.chain.last == last)
    #expect(try Restoring.text(scratch["new.sqlite"]) == Restoring.text(library))
    try FileManager.default.removeItem(atPath: scratch["b2.fleetpack"])
    #expect(try Shell.fleetkit("restore", last, "--to", scratch["other.sqlite"], "-q").status == 2)
    #expect(!FileManager.default.fileExists(atPath: scratch["other.sqlite"]))
    let lacking = try Restoring.verify(last)
    #expect(lacking.status == 2 && lacking.codes == ["BKP0103"])
    #expect(try Restoring.verify(last, "--structure").status == 2)
    // Now an earlier ancestor is missing, so its name is reported.
    try FileManager.default.copyItem(atPath: scratch["b1.fleetpack"], toPath: scratch["kept"])
    let quiet = try Shell.fleetkit("verify", last, "-q")
    #expect(quiet.status == 2 && quiet.errors.contains("'b2.fleetpack'") && !quiet.errors.contains("'b1.fleetpack'"))
    #expect(try Restoring.verify(last, "--restore").status == 2)
  }

  @Test func nothingThatIsThereIsWrittenOver() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    let there = try scratch.write("there.sqlite", "mine")
    #expect(try Shell.fleetkit("restore", backup, "--to", there).status == 4)
    #expect(try scratch.text("there.sqlite") == "mine")
    // The deleted library left its decks behind.
    try FileManager.default.copyItem(atPath: library + ".fleetkit", toPath: scratch["gone.sqlite.fleetkit"])
    try SQLiteShell.run(scratch["gone.sqlite.fleetkit/state.sqlite"], "DELETE FROM records;")
    let refused = try Shell.fleetkit("restore", backup, "--to", scratch["gone.sqlite"])
    #expect(refused.status == 4 && refused.errors.contains("gone.sqlite.fleetkit"))
    #expect(!FileManager.default.fileExists(atPath: scratch["gone.sqlite"]))
    let dryRun = try Shell.fleetkit("restore", backup, "--to", scratch["new.sqlite"], "--dry-run")
    #expect(dryRun.status == 0 && !FileManager.default.fileExists(atPath: scratch["new.sqlite"]))
    #expect(!scratch.names.contains { $0.hasPrefix("new.sqlite") || $0.hasPrefix(".") }, "\(scratch.names)")
  }

  @Test func whatDoesNotMatchTheIndexIsNotRestored() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    try Restoring.rebuild(backup, as: scratch["forged.fleetpack"]) { files in
      try Restoring.edit(
        "data/library.sqlite", "UPDATE checklists SET title = 'Forged' WHERE rowid = 1;", in: &files)
    }
    let answer = try Shell.fleetkit("restore", scratch["forged.fleetpack"], "--to", scratch["new.sqlite"])
    #expect(answer.status == 5 && answer.errors.contains("BKP0203"), "\(answer.errors)")
    #expect(!scratch.names.contains { $0.hasPrefix("new.sqlite") || $0.hasPrefix(".") }, "\(scratch.names)")
    let before = try Restoring.text(library)
    let replaced = try Shell.fleetkit("restore", scratch["forged.fleetpack"], "--to", library, "--replace", "--yes")
    #expect(replaced.status == 5)
    #expect(try Restoring.text(library) == before)
  }

  @Test func otherFilesAreNoBackups() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let bundle = try scratch.write("b.jsonl", Restoring.deck)
    for (file, word) in [(library, "library"), (bundle, "import"), (scratch.path, "folder")] {
      let answer = try Shell.fleetkit("restore", file, "--to", scratch["new.sqlite"])
      #expect(answer.status == 64 && answer.errors.contains(word), "\(answer.errors)")
    }
    for (text, words) in [("", "the file is empty"), ("garbage", "not an archive")] {
      let file = try scratch.write("x.fleetpack", text)
      let answer = try Shell.fleetkit("restore", file, "--to", scratch["new.sqlite"])
      #expect(answer.status == 2 && answer.errors.contains(words), "\(answer.errors)")
      #expect(!answer.errors.contains("import"))
      #expect(try Shell.fleetkit("verify", file).status == 2)
    }
    #expect(try Shell.fleetkit("restore", scratch["none"], "--to", scratch["new.sqlite"]).status == 2)
    #expect(try Shell.fleetkit("restore", bundle, "--into", library).status == 64)
    #expect(try Shell.fleetkit("restore", bundle, "--into", library, "--to", library).status == 64)
    #expect(try Shell.fleetkit("restore", bundle, "--to", library, "--title", "x").status == 64)
  }

  @Test func singleRecordsComeBack() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let before = try Restoring.text(library)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    try SQLiteShell.run(
      library,
      "DELETE FROM library_content WHERE title LIKE 'MOB%'; DELETE FROM checklists WHERE title LIKE 'MOB%';"
        + "UPDATE checklists SET title = 'Spoilt' WHERE title LIKE 'Yacht%';"
        + "UPDATE library_content SET title = 'Spoilt' WHERE title LIKE 'Yacht%'; DELETE FROM checklistExecutionStates;"
    )
    let after = try Restoring.text(library)
    #expect(try Shell.fleetkit("restore", backup, "--into", library, "-q").status == 64)
    let none = try Shell.fleetkit("restore", backup, "--into", library, "--title", "Nothing like it")
    #expect(none.status == 4)
    let dry = try Shell.fleetkit("restore", backup, "--into", library, "--title", "MOB*", "--dry-run")
    #expect(dry.status == 0)
    #expect(try Restoring.text(library) == after)
    #expect(try Shell.fleetkit("restore", backup, "--into", library, "--title", "mob*", "-q").status == 0)
    #expect(try Shell.fleetkit("restore", backup, "--into", library, "--title", "Yacht*", "-q").status == 0)
    #expect(try Shell.fleetkit("restore", backup, "--into", library, "--type", "execution", "-q").status == 0)
    // Published items whose content was reverted must be published again. Everything else is unchanged.
    func plain(_ text: String) -> String { text.replacing(/"(sync_status|syncStatus)":"[a-z]+"/, with: "") }
    #expect(try plain(Restoring.text(library)) == plain(before))
  }

  @Test(.enabled(if: Shell.has("age") && Shell.has("age-keygen"), Judges.reason))
  func throughAgeAndBack() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    #expect(try Shell.run("age-keygen", ["-o", scratch["key"]]).status == 0)
    let key = try scratch.text("key").firstMatch(of: /age1[a-z0-9]+/)
    let recipient = try #require(key.map { String($0.output) })
    #expect(try Shell.run("age", ["-r", recipient, "-o", scratch["b.age"], backup]).status == 0)
    let refused = try Shell.fleetkit("restore", scratch["b.age"], "--to", scratch["new.sqlite"])
    #expect(refused.status == 64 && refused.errors.contains("age -d"))
    #expect(
      try Shell.run("age", ["-d", "-i", scratch["key"], "-o", scratch["back.fleetpack"], scratch["b.age"]]).status == 0)
    _ = try LibraryRestore(scratch["back.fleetpack"], to: scratch["new.sqlite"]).run()
    #expect(try Restoring.text(scratch["new.sqlite"]) == Restoring.text(library))
  }
}
