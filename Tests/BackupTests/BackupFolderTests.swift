import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Which backups in a folder are listed, and which ones rotation removes.
@Suite struct BackupFolderTests {
  /// Writes a pack whose metadata describes a backup. These tests do not read anything after the head.
  private func write(
    _ name: String, _ time: String, library: String = "anyfleet", after parent: String? = nil, file: String? = nil,
    in scratch: Scratch
  ) throws {
    var info = BackupInfo(
      name: library, library: library + ".sqlite", takenAt: try #require(Timestamp.parse(time)).0, schema: "2.2.0",
      libraryBytes: 4096, librarySHA256: parent == nil ? String(repeating: "a", count: 64) : nil,
      indexSHA256: String(repeating: "b", count: 64))
    info.counts = [BackupInfo.Count(kind: "item", number: 3)]
    if let parent {
      info.parent = BackupInfo.Parent(
        file: "parent.fleetpack",
        sha256: try file.map { try BackupInfo.sha256(ofFile: scratch[$0]) } ?? String(repeating: "c", count: 64),
        takenAt: try #require(Timestamp.parse(parent)).0)
      info.depth = 1
    }
    let writer = try BagWriter(scratch[name], kind: .fleetpack)
    try writer.prepare(first: (BackupInfo.Path.info, info.json), info: BagInfo())
    _ = try writer.finish()
  }

  @Test func listsChainsAndWhatIsWrong() throws {
    let scratch = Scratch()
    try write("a.fleetpack", "2026-01-01T00:00:00Z", in: scratch)
    try write("b.fleetpack", "2026-01-02T00:00:00Z", after: "2026-01-01T00:00:00Z", in: scratch)
    try write("lost.fleetpack", "2026-01-03T00:00:00Z", after: "2025-12-31T00:00:00Z", in: scratch)
    try write("other.fleetpack", "2026-01-01T00:00:00Z", library: "dinghy", in: scratch)
    _ = try scratch.write("broken.fleetpack", "not an archive")
    _ = try scratch.write("notes.txt", "not named like one")
    let folder = try BackupFolder(scratch.path)
    #expect(folder.entries.map(\.file.name) == ["a.fleetpack", "b.fleetpack", "lost.fleetpack", "other.fleetpack"])
    #expect(folder.entries.map(\.chain) == [1, 2, 0, 1])
    #expect(folder.entries.map(\.parent) == [nil, "a.fleetpack", nil, nil])
    #expect(folder.others.map(\.path) == [scratch["broken.fleetpack"]])
    #expect(try BackupFolder(scratch.path, library: "dinghy").entries.map(\.file.name) == ["other.fleetpack"])
    let answer = try Shell.fleetkit("backups", scratch.path)
    #expect(answer.status == 0 && answer.output.contains("2026-01-02 00:00:00") && answer.output.contains(/\b4\b/))
    #expect(answer.errors.contains("lost.fleetpack") && answer.errors.contains("broken.fleetpack"))
    let json = try JSONDocument(
      parsing: Array(try Shell.fleetkit("backups", scratch.path, "--json").output.utf8)
    ).root
    #expect(json["backups"]?.elements.map { $0["restorable"]?.bool } == [true, true, false, true])
    #expect(try Shell.fleetkit("backups", scratch["none"]).status == 2)
    #expect(try Shell.fleetkit("backups", scratch["a.fleetpack"]).status == 2)
  }

  @Test func rotationRemovesWhatNobodyNeeds() throws {
    let scratch = Scratch()
    for day in 1...9 { try write("d\(day).fleetpack", "2026-01-0\(day)T00:00:00Z", in: scratch) }
    try write("i.fleetpack", "2026-01-09T12:00:00Z", after: "2026-01-03T00:00:00Z", file: "d3.fleetpack", in: scratch)
    try write("lost.fleetpack", "2026-01-01T12:00:00Z", after: "2025-12-31T00:00:00Z", in: scratch)
    try write("other.fleetpack", "2020-01-01T00:00:00Z", library: "dinghy", in: scratch)
    _ = try scratch.write("broken.fleetpack", "not an archive")
    _ = try scratch.write("notes.txt", "mine")
    _ = try scratch.write("d1.fleetpack.minisig", "signature")
    var rotation = BackupRotation(try RetentionPolicy(parsing: "2d"))
    rotation.dryRun = true
    let before = scratch.names
    let planned = try rotation.run(folder: scratch.path, name: "anyfleet")
    #expect(scratch.names == before && planned.removed.count == 7)
    rotation.dryRun = false
    let report = try rotation.run(folder: scratch.path, name: "anyfleet", keeping: [scratch["d5.fleetpack"]])
    // The newest day has two backups. The newer one belongs to a chain that begins with d3.
    #expect(
      scratch.names == [
        "broken.fleetpack", "d3.fleetpack", "d5.fleetpack", "d8.fleetpack", "i.fleetpack", "lost.fleetpack",
        "notes.txt", "other.fleetpack",
      ])
    #expect(report.removed.count == 6 && report.freed > 0)
    #expect(report.kept.map { ($0.path as NSString).lastPathComponent }.first == "i.fleetpack")
    #expect(report.kept.contains { $0.path == scratch["d3.fleetpack"] && !$0.reason.contains("2026-") })
    #expect(Set(report.left.map(\.path)) == [scratch["broken.fleetpack"], scratch["lost.fleetpack"]])
    #expect(try rotation.run(folder: scratch.path, name: "anyfleet", keeping: [scratch["d5.fleetpack"]]).removed == [])
  }

  /// Two boats with equally named libraries can back them up into one folder.
  @Test func librariesOfOneNameAreKeptApart() throws {
    let scratch = Scratch()
    var libraries: [String] = []
    for boat in ["one", "two"] {
      try FileManager.default.createDirectory(atPath: scratch[boat], withIntermediateDirectories: true)
      libraries.append(try scratch.writable("library-v2.2.0.sqlite", as: boat + "/anyfleet.sqlite"))
    }
    let folder = scratch["b/"]
    let first = try Backups.make(libraries[0], to: folder, number: 0)
    let origin = try #require(first.info.origin)
    #expect(origin.count == 16 && origin.utf8.allSatisfy { $0 &- 0x30 < 10 || $0 >= 0x61 && $0 <= 0x66 })
    // The other boat's backup cannot be the parent, although it is the newest one with this name.
    let second = try Backups.make(libraries[1], to: folder, since: folder, number: 1)
    #expect(!second.info.isIncremental && second.fullBecause != nil && second.info.origin != origin)
    let third = try Backups.make(libraries[0], to: folder, since: folder, number: 2)
    #expect(third.info.parent?.takenAt == first.info.takenAt && third.info.origin == origin)
    #expect(try Backups.make(libraries[0], to: scratch["c.fleetpack"], since: second.path, number: 2).info.depth == 1)
    let answer = try Shell.fleetkit("backups", folder)
    #expect(answer.output.contains("anyfleet (\(origin.prefix(8)))") && answer.output.contains(/\b2\b/))
    // The newest backup of one boat does not displace a backup of the other.
    var backup = LibraryBackup(libraries[1], to: folder)
    backup.keep = try RetentionPolicy(parsing: "1y")
    let report = try backup.run(context: Backups.context(3))
    #expect(report.rotation?.removed == [second.path] && report.rotation?.others == 2)
    #expect(FileManager.default.fileExists(atPath: first.path) && FileManager.default.fileExists(atPath: third.path))
  }

  /// `--since FILE` may name a backup from the library's former location. That backup's parents are then kept.
  @Test func whatAnotherPlaceNeedsStays() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    let first = try Backups.make(library, to: scratch["b/"], number: 0)
    try FileManager.default.createDirectory(atPath: scratch["moved"], withIntermediateDirectories: true)
    let moved = try scratch.writable("library-v2.2.0.sqlite", as: "moved/anyfleet.sqlite")
    let child = try Backups.make(moved, to: scratch["b/"], since: first.path, number: 1)
    #expect(child.info.depth == 1 && child.info.origin != first.info.origin)
    let listed = try BackupFolder(scratch["b"])
    #expect(Set(listed.entries.map(\.chain)) == [1, 2] && listed.entries.allSatisfy { !$0.isBroken })
    let last = try Backups.make(library, to: scratch["b/"], number: 2)
    let rotation = BackupRotation(try RetentionPolicy(parsing: "1y"))
    let report = try rotation.run(folder: scratch["b"], name: "anyfleet", origin: first.info.origin)
    #expect(report.removed == [] && report.kept.count == 2 && report.others == 1)
    #expect(try rotation.run(folder: scratch["b"], name: "anyfleet", origin: child.info.origin).removed == [])
    #expect(FileManager.default.fileExists(atPath: last.path))
    _ = try Backups.assemble(child.path, in: scratch, as: "back")
  }
}
