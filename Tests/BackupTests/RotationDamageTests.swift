import ArchiveIO
import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Rotation reads the backups that it relies on, so a damaged backup never displaces a good one.
@Suite struct RotationDamageTests {
  private let scratch = Scratch()
  private let library: String
  /// Noon of 2026-11-01 in milliseconds since 1970.
  private static let noon: Int64 = 1_793_534_400_000

  init() throws {
    library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    try FileManager.default.createDirectory(atPath: scratch["b"], withIntermediateDirectories: true)
    // The head of a backup is packed together with the first 4 MiB, so only a larger backup can be read in part.
    try SQLiteShell.run(
      library,
      """
      CREATE TABLE ballast (body BLOB);
      WITH RECURSIVE many(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM many WHERE i < 2000)
      INSERT INTO ballast SELECT randomblob(3000) FROM many;
      """)
  }

  /// Makes a backup at an hour on a given day.
  @discardableResult
  private func make(
    _ name: String, day: Int, hour: Int = 0, since: String? = nil, keep: String? = nil
  ) throws -> LibraryBackup.Report {
    var backup = LibraryBackup(library, to: keep == nil ? path(name) : scratch["b/"])
    backup.since = since.map(path)
    backup.keep = try keep.map { try RetentionPolicy(parsing: $0) }
    let time = Self.noon + Int64(day * 24 + hour) * 3_600_000
    // A change that gives an incremental backup some content.
    try SQLiteShell.run(library, "UPDATE checklists SET title = title || '.';")
    return try backup.run(context: RunContext(now: Timestamp(milliseconds: time)))
  }

  private func path(_ name: String) -> String { scratch["b/\(name).fleetpack"] }

  private func names(_ paths: [String]) -> [String] {
    paths.map { (($0 as NSString).lastPathComponent as NSString).deletingPathExtension }.sorted()
  }

  private func damage(_ name: String, _ how: String) throws {
    let url = URL(fileURLWithPath: path(name))
    var bytes = [UInt8](try Data(contentsOf: url))
    switch how {
    case "head": bytes[40] ^= 0x10
    // Changes a byte after the head. A listing reads only the head.
    case "flipped": bytes[bytes.count * 3 / 4] ^= 0x10
    case "zeros": for index in (bytes.count * 2 / 3)..<bytes.count { bytes[index] = 0 }
    default: bytes.removeLast(bytes.count / 4)
    }
    try Data(bytes).write(to: url)
  }

  @Test(arguments: ["flipped", "zeros", "cut off"]) func aDamagedNewestOfADayTakesNobodysPlace(_ how: String) throws {
    for (name, day, hour) in [("first", 1, 0), ("good", 2, 0), ("bad", 2, 5)] { try make(name, day: day, hour: hour) }
    try damage("bad", how)
    let report = try make("", day: 3, keep: "2d")
    let rotation = try #require(report.rotation)
    #expect(names(rotation.removed) == ["first"])
    #expect(names(rotation.damaged) == ["bad"] && names(rotation.left.map(\.path)) == ["bad"])
    #expect(rotation.kept.contains { $0.path == path("good") && $0.reason.contains("2026-11-03") })
    _ = try Backups.assemble(path("good"), in: scratch, as: "back")
    // If the damaged file had been sound, it would have displaced the good one.
    unlink(path("bad"))
    try make("bad", day: 2, hour: 5)
    #expect(names(try #require(try make("", day: 3, hour: 1, keep: "2d").rotation).removed).contains("good"))
  }

  @Test func aDamagedBaseTakesItsWholeChainOut() throws {
    try make("oldest", day: 0)
    try make("full-1", day: 1)
    try make("base-1", day: 1, hour: 1)
    try make("full-2", day: 2)
    try make("child-2", day: 2, hour: 1, since: "base-1")
    try make("child-3", day: 3, hour: 1, since: "child-2")
    #expect(try BackupFolder(scratch["b"]).entries.last?.chain == 3)
    try damage("base-1", "flipped")
    let rotation = try #require(try make("", day: 4, keep: "3d").rotation)
    // Days 4, 2 and 1 have sound backups, but day 3 does not.
    #expect(names(rotation.removed) == ["oldest"])
    #expect(names(rotation.damaged) == ["base-1", "child-2", "child-3"])
    for name in ["full-1", "full-2"] { _ = try Backups.assemble(path(name), in: scratch, as: "back-" + name) }
  }

  /// The base is sound, but it is no longer the file from which its child was made.
  @Test func aBaseThatWasExchangedTakesItsChildOut() throws {
    try make("oldest", day: 0)
    try make("base", day: 1)
    try make("full", day: 2)
    try make("child", day: 2, hour: 1, since: "base")
    try Restoring.rebuild(path("base"), as: scratch["other.fleetpack"]) { files in
      files[BackupInfo.Path.index, default: []] += Array("\n".utf8)
    }
    unlink(path("base"))
    try FileManager.default.moveItem(atPath: scratch["other.fleetpack"], toPath: path("base"))
    let rotation = try #require(try make("", day: 3, keep: "2d").rotation)
    #expect(names(rotation.damaged) == ["child"] && names(rotation.removed) == ["oldest"])
    #expect(rotation.left.first?.reason.contains("'base.fleetpack'") == true)
    #expect(rotation.kept.contains { $0.path == path("full") })
  }

  @Test func theCommandWarnsHoweverQuietItIsAndEndsWith5() throws {
    for day in 1...4 { try make("day-\(day)", day: day) }
    try damage("day-4", "flipped")
    let answer = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "3d", "-q")
    #expect(answer.status == 5)
    #expect(answer.errors.contains("day-4.fleetpack"))
    #expect(
      scratch.names(in: "b").filter { $0.hasPrefix("day") } == [
        "day-2.fleetpack", "day-3.fleetpack", "day-4.fleetpack",
      ])
    let json = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "1d", "--json")
    let root = try JSONDocument(parsing: Array(json.output.utf8)).root
    // Nothing depends on the damaged backup now, and under this policy it displaces no other, so it is not reported.
    #expect(json.status == 0 && root["rotation"]?["damaged"]?.elements.isEmpty == true)
  }

  /// A backup that cannot even be listed does not count, and it is named like the others.
  @Test func aDamagedHeadIsNamedToo() throws {
    for day in 1...3 { try make("day-\(day)", day: day) }
    try damage("day-3", "head")
    let answer = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--keep", "2d", "-q")
    #expect(answer.status == 5 && answer.errors.contains("day-3.fleetpack"))
    let days = scratch.names(in: "b").filter { $0.hasPrefix("day") }
    #expect(days == ["day-2.fleetpack", "day-3.fleetpack"])
  }

  /// When nothing would be removed, no backup has to be read.
  @Test func whereNothingWouldGoNothingIsRead() throws {
    for day in 1...2 { try make("day-\(day)", day: day) }
    try damage("day-2", "flipped")
    let rotation = try #require(try make("", day: 3, keep: "9d").rotation)
    #expect(rotation.removed == [] && rotation.damaged == [] && rotation.kept.count == 3)
  }
}

extension Scratch {
  /// Returns the names of the files in a folder inside the scratch folder.
  fileprivate func names(in folder: String) -> [String] {
    ((try? FileManager.default.contentsOfDirectory(atPath: self[folder])) ?? []).sorted()
  }
}
