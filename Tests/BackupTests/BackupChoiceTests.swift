import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Restoring the newest backup in a folder, or the backup from a given day.
@Suite struct BackupChoiceTests {
  private let scratch = Scratch()
  private let library: String
  private let files: [String]

  /// Returns noon UTC on a day, counted from 2026-11-18.
  private static func noon(_ day: Int) -> Timestamp {
    Timestamp(milliseconds: 1_795_003_200_000 + Int64(day) * 86_400_000)
  }

  init() throws {
    library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    try FileManager.default.createDirectory(atPath: scratch["b"], withIntermediateDirectories: true)
    var files: [String] = []
    for day in 0..<4 {
      try SQLiteShell.run(library, "UPDATE checklists SET title = 'day \(day)';")
      let backup = LibraryBackup(library, to: scratch["b/"])
      files.append(try backup.run(context: RunContext(now: Self.noon(day))).path)
    }
    self.files = files
  }

  private func restored(_ arguments: String..., zone: String = "UTC") throws -> (status: Int32, title: String) {
    let target = scratch["\(UUID().uuidString).sqlite"]
    let answer = try Shell.run(
      Paths.command, ["restore"] + arguments + ["--to", target], environment: ["TZ": zone])
    guard answer.status == 0 else { return (answer.status, answer.errors) }
    return (0, try SQLiteShell.run(target, "SELECT DISTINCT title FROM checklists;").trimmingCharacters(in: .newlines))
  }

  @Test func theNewestAndTheOneOfADay() throws {
    let day = String(Self.noon(1).iso8601.prefix(10))
    #expect(try restored("latest", scratch["b"]).title == "day 3")
    #expect(try restored(scratch["b"], "latest").title == "day 3")
    #expect(try restored(scratch["b"], "--at", day).title == "day 1")
    #expect(try restored("--at", day, scratch["b/"]).title == "day 1")
    #expect(try restored(scratch["b"], "--at", Self.noon(2).iso8601).title == "day 2")
    #expect(try restored(scratch["b"], "--at", day + "T11:59Z").title == "day 0")
    // Days are counted in the sailor's time zone: noon UTC is already the next day in Auckland.
    #expect(try restored(scratch["b"], "--at", day, zone: "Pacific/Auckland").title == "day 0")
    #expect(try restored(scratch["b"], "--at", day + " 13:00", zone: "Europe/Athens").title == "day 0")
    #expect(try restored(scratch["b"], "--at", day + " 14:00", zone: "Europe/Athens").title == "day 1")
    #expect(try restored(scratch["b"], "--at", "2001-01-01").status == 2)
  }

  @Test func aDamagedOneIsNeverReplacedSilently() throws {
    for (harm, file) in [(0, files[3]), (1, files[3])] {
      var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: file)))
      if harm == 0 { bytes[bytes.count * 3 / 4] ^= 8 } else { bytes.removeLast(bytes.count - 300) }
      try Data(bytes).write(to: URL(fileURLWithPath: file))
      let answer = try restored("latest", scratch["b"])
      #expect(answer.status == 5 && answer.title.contains(files[3]) && answer.title.contains(files[2]))
    }
  }

  @Test func severalLibrariesInAFolderMustBeNamed() throws {
    let other = try scratch.writable("library-v1.4.0.sqlite", as: "dinghy.sqlite")
    _ = try LibraryBackup(other, to: scratch["b/"]).run(context: RunContext(now: Self.noon(9)))
    #expect(try restored("latest", scratch["b"]).status == 64)
    #expect(try restored("latest", scratch["b"], "--library", "anyfleet").title == "day 3")
    let origin = try #require(try BackupFolder(scratch["b"], library: "anyfleet").entries.first?.file.info.origin)
    #expect(try restored("latest", scratch["b"], "--library", String(origin.prefix(6))).title == "day 3")
  }

  @Test func slipsAreUsageErrors() throws {
    #expect(try restored(scratch["b"]).status == 64)
    #expect(try restored("latest").status == 64)
    #expect(try restored(files[0], files[1]).status == 64)
    #expect(try restored("latest", scratch["b"], "--at", "2026-11-20").status == 64)
    #expect(try restored(scratch["b"], "--at", "2026-13-40").status == 64)
    #expect(try restored(files[0], "--library", "anyfleet").status == 64)
    #expect(try restored(files[0], "--at", "2026-11-20").status == 2)
    let there = try Shell.fleetkit("restore", "latest", scratch["b"], "--to", library)
    #expect(there.status == 4 && there.errors.contains("--replace"))
  }

  @Test func recordsThatComeBackAreNamed() throws {
    try SQLiteShell.run(
      library,
      "UPDATE library_content SET title = 'Mooring' WHERE rowid = 1; UPDATE checklists SET title = 'Mooring' WHERE rowid = 1;"
    )
    let before = try LibraryBackup(library, to: scratch["b/"]).run(context: RunContext(now: Self.noon(5))).path
    let id = try SQLiteShell.run(library, "SELECT id FROM library_content WHERE rowid = 1;")
      .trimmingCharacters(in: .newlines)
    try SQLiteShell.run(library, "UPDATE library_content SET title = 'Other' WHERE id = '\(id)';")
    let answer = try Shell.fleetkit("restore", before, "--into", library, "--id", id)
    #expect(answer.status == 0 && answer.errors.contains("Mooring"), "\(answer.errors)")
  }

  // MARK: Finding versions

  @Test func versionsAreGroupedAndGapsAreSeen() throws {
    let id = try SQLiteShell.run(library, "SELECT id FROM library_content WHERE type = 'checklist' LIMIT 1;")
      .trimmingCharacters(in: .newlines)
    let folder = scratch["f/"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (day, title) in ["Reef", "Reef", "Reefing", nil, "Reef"].enumerated() {
      if let title {
        try SQLiteShell.run(
          library, "UPDATE library_content SET title = '\(title)', type = 'checklist' WHERE id = '\(id)';")
      }
      if title == nil {
        // The same library, before the record existed.
        try FileManager.default.copyItem(atPath: library, toPath: scratch["kept.sqlite"])
        try SQLiteShell.run(
          library, "DELETE FROM library_content WHERE id = '\(id)'; DELETE FROM checklists WHERE id = '\(id)';")
      }
      var backup = LibraryBackup(library, to: folder)
      if day % 2 == 1 { backup.since = folder }
      _ = try backup.run(context: RunContext(now: Self.noon(20 + day)))
      if title == nil {
        let bytes = try Data(contentsOf: URL(fileURLWithPath: scratch["kept.sqlite"]))
        try bytes.write(to: URL(fileURLWithPath: library))
      }
    }
    for wanted in [id, String(id.prefix(8)), "reefing", "reef*"] {
      let report = try BackupSearch(folder, for: wanted).run()
      let record = try #require(report.records.first { $0.id == id }, "\(wanted)")
      #expect(record.versions.map(\.count) == [2, 1, 1] && report.backups == 5, "\(wanted)")
      #expect(record.versions.map(\.title) == ["Reef", "Reefing", "Reef"] && record.goneSince == nil)
      #expect(report.status == .success)
    }
    #expect(try BackupSearch(folder, for: "no such title").run().status == .failed)
    let found = try Shell.fleetkit("backups", "find", "Reefing", folder, "--json")
    let root = try JSONDocument(parsing: Array(found.output.utf8)).root
    #expect(found.status == 0 && root["records"]?.elements.first?["versions"]?.elements.count == 3)
    let newest = try #require(try BackupFolder(scratch["f"]).entries.last).file.path
    try Data().write(to: URL(fileURLWithPath: newest))
    let partial = try BackupSearch(folder, for: id).run()
    #expect(partial.status == .mismatch && partial.unreadable.map(\.path) == [newest])
    #expect(partial.records.first?.goneSince != nil)
  }

  // MARK: Dry runs and several libraries

  @Test func aDryRunTellsWhatWouldGo() throws {
    let before = try FileManager.default.contentsOfDirectory(atPath: scratch["b"]).sorted()
    let json = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "2d", "--dry-run", "--json")
    let root = try JSONDocument(parsing: Array(json.output.utf8)).root
    #expect(json.status == 0 && root["dry_run"]?.bool == true)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["b"]).sorted() == before)
    let planned = root["rotation"]?["removed"]?.elements.compactMap(\.string)
    let text = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "2d", "--dry-run")
    for path in planned ?? [] { #expect(text.errors.contains(path)) }
    let real = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "2d", "--json")
    let removed = try JSONDocument(parsing: Array(real.output.utf8)).root["rotation"]?["removed"]?.elements
    #expect(removed?.compactMap(\.string) == planned && planned?.isEmpty == false)
  }

  @Test func severalLibrariesGoIntoOneFolder() throws {
    let other = try scratch.writable("library-v1.4.0.sqlite", as: "dinghy.sqlite")
    let folder = scratch["s/"]
    let answer = try Shell.fleetkit("backup", library, other, "--to", folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try BackupFolder(folder).entries.map(\.file.info.name) == ["anyfleet", "dinghy"])
    // A library that cannot be read does not stop the backup of the other one.
    let gone = try Shell.fleetkit("backup", scratch["gone.sqlite"], other, "--to", folder, "--since", folder)
    #expect(gone.status == 2 && gone.errors.contains("gone.sqlite"))
    #expect(try BackupFolder(folder, library: "dinghy").entries.map(\.chain) == [1, 2])
    #expect(try Shell.fleetkit("backup", library, other, "--to", scratch["one.fleetpack"]).status == 64)
  }
}
