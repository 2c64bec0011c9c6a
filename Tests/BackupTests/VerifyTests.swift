import ArchiveIO
import Backup
import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// The damage that `verify` finds at each level. Checksums reveal damage; restoring reveals forgeries with correct
/// checksums.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
struct VerifyTests {
  private static func backup(in scratch: Scratch) throws -> String {
    try Restoring.backUp(Restoring.library(in: scratch), to: scratch["b.fleetpack"])
  }

  @Test func aSoundBackupIsSoundOnEveryLevel() throws {
    let scratch = Scratch()
    let backup = try Self.backup(in: scratch)
    for level in ["--structure", "--content", "--restore"] {
      let found = try Restoring.verify(backup, level)
      #expect(found.status == 0 && found.codes == [], "\(level): \(found)")
    }
    let report = try PackVerification(backup, level: .restore).run()
    #expect(report.kind == .backup && report.status == .success && report.chain == 1 && report.state == true)
    #expect(report.compared == report.backup?.records && report.records == report.compared)
    #expect((report.compared ?? 0) > 40)
  }

  /// A backup contains its library's file name, whatever that name is.
  @Test(arguments: ["My Library_2", "Λιμάνι", String(repeating: "a", count: 80)])
  func theLibraryMayHaveAnyName(_ name: String) throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch, as: name + ".sqlite")
    let backup = try Restoring.backUp(library, to: scratch["b.fleetpack"])
    for level in ["--structure", "--content", "--restore"] {
      let found = try Restoring.verify(backup, level)
      #expect(found.status == 0 && found.codes == [], "\(level): \(found)")
    }
  }

  @Test func damageIsFound() throws {
    let scratch = Scratch()
    let backup = try Self.backup(in: scratch)
    let whole = Array(try Data(contentsOf: URL(fileURLWithPath: backup)))
    let content = try BagImage(backup).members.map { "\($0.path) \($0.sha256)" }
    var random = SeededRandom(seed: 7)
    for round in 0..<24 {
      var bytes = whole
      if round % 3 == 0 {
        bytes.removeLast(1 + random.below(bytes.count - 1))
      } else {
        bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
      }
      try Data(bytes).write(to: URL(fileURLWithPath: scratch["d.fleetpack"]))
      let report = try PackVerification(scratch["d.fleetpack"], level: .content).run()
      // A few bits have no meaning, such as the unused bit of a Zstandard frame. If only such bits were changed, every
      // payload file is unchanged.
      if report.status == .success {
        #expect(try BagImage(scratch["d.fleetpack"]).members.map { "\($0.path) \($0.sha256)" } == content)
        continue
      }
      #expect([.mismatch, .failed].contains(report.status), "round \(round)")
      #expect(report.failure != nil || report.findings.total > 0)
    }
  }

  /// Restoring reveals files that were changed and given correct checksums again.
  @Test(arguments: ["a record", "a record gone", "a record more", "the index", "the state", "the counts"])
  func forgeryIsFoundByRestoring(_ what: String) throws {
    let scratch = Scratch()
    let backup = try Self.backup(in: scratch)
    var codes: [String] = []
    var content: [String] = []
    try Restoring.rebuild(backup, as: scratch["f.fleetpack"]) { files in
      switch what {
      case "a record":
        try Restoring.edit(
          BackupInfo.Path.library, "UPDATE practice_guides SET title = title || '!' WHERE rowid = 1;", in: &files)
        codes = ["BKP0203"]
      case "a record gone":
        try Restoring.edit(
          BackupInfo.Path.library,
          "DELETE FROM charters WHERE id NOT IN (SELECT charterID FROM checklistExecutionStates);", in: &files)
        codes = ["BKP0201"]
      case "a record more":
        try Restoring.edit(
          BackupInfo.Path.library,
          "INSERT INTO library_content SELECT * FROM library_content WHERE 0; UPDATE sync_queue SET id = id + 1000;",
          in: &files)
        codes = ["BKP0201", "BKP0202"]
      case "the index":
        var lines = String(decoding: files[BackupInfo.Path.index] ?? [], as: UTF8.self).split(separator: "\n")
        let hash = try #require(lines[3].firstMatch(of: /[0-9a-f]{64}/)).output
        lines[3] = Substring(lines[3].replacing(hash, with: String(repeating: "0", count: 64)))
        Restoring.replace(BackupInfo.Path.index, by: Array((lines.joined(separator: "\n") + "\n").utf8), in: &files)
        codes = ["BKP0203"]
      case "the state":
        try Restoring.edit(BackupInfo.Path.state, "UPDATE records SET line = replace(line, 'red', 'rot');", in: &files)
        codes = ["BKP0203"]
      default:
        var lines = String(decoding: files[BackupInfo.Path.index] ?? [], as: UTF8.self).split(separator: "\n")
        lines.removeLast()
        Restoring.replace(BackupInfo.Path.index, by: Array((lines.joined(separator: "\n") + "\n").utf8), in: &files)
        codes = ["BKP0102", "BKP0202"]
        content = ["BKP0102"]
      }
    }
    let quick = try Restoring.verify(scratch["f.fleetpack"])
    #expect(quick.codes == content, "\(what): \(quick)")
    let restored = try Restoring.verify(scratch["f.fleetpack"], "--restore")
    #expect(restored.status == 5 && restored.codes == codes, "\(what): \(restored)")
  }

  @Test func anIndexThatIsNoneIsFoundWithItsLine() throws {
    let scratch = Scratch()
    let backup = try Self.backup(in: scratch)
    for (text, line) in [("no JSON\n", 1), ("{\"kind\":\"item\",\"id\":\"A\",\"sha256\":\"12\"}\n", 1), ("{}", 1)] {
      try? FileManager.default.removeItem(atPath: scratch["f.fleetpack"])
      try Restoring.rebuild(backup, as: scratch["f.fleetpack"]) { files in
        Restoring.replace(BackupInfo.Path.index, by: Array(text.utf8), in: &files)
      }
      let report = try PackVerification(scratch["f.fleetpack"], level: .content).run()
      let finding = report.findings.kept.first { $0.code == .backupIndex }
      #expect(report.status == .mismatch && finding?.place.line == line)
      #expect(finding?.place.file == scratch["f.fleetpack"] + "/data/index.jsonl")
      #expect(try Restoring.verify(scratch["f.fleetpack"], "--restore").status == 5)
    }
  }

  @Test func ofSeveralFilesTheWorstCounts() throws {
    let scratch = Scratch()
    let backup = try Self.backup(in: scratch)
    var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: backup)))
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["d.fleetpack"]))
    #expect(try Shell.fleetkit("verify", backup, scratch["d.fleetpack"], "-q").status == 5)
    #expect(try Shell.fleetkit("verify", backup, scratch["none.fleetpack"], "-q").status == 2)
    #expect(try Shell.fleetkit("verify", backup, backup).status == 0)
    #expect(try Shell.fleetkit("verify", backup, "--structure", "--restore").status == 64)
  }

  @Test func foldersAndForeignBagsAreVerifiedToo() throws {
    let scratch = Scratch()
    let bag = scratch["bag"]
    try FileManager.default.createDirectory(atPath: bag + "/data", withIntermediateDirectories: true)
    try "hello\n".write(toFile: bag + "/data/a.txt", atomically: true, encoding: .utf8)
    try "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n".write(
      toFile: bag + "/bagit.txt", atomically: true, encoding: .utf8)
    try "\(Restoring.sha256(Array("hello\n".utf8)))  data/a.txt\n".write(
      toFile: bag + "/manifest-sha256.txt", atomically: true, encoding: .utf8)
    for level in BackupLevel.allCases {
      let report = try PackVerification(bag, level: level).run()
      #expect(report.status == .success && report.kind == .bag && report.files == 1 && report.bytes == 6)
    }
    try "hellO\n".write(toFile: bag + "/data/a.txt", atomically: true, encoding: .utf8)
    #expect(try PackVerification(bag, level: .structure).run().status == .success)
    #expect(try PackVerification(bag, level: .content).run().status == .mismatch)
  }

  @Test func aCopyIsImportedAndCompared() throws {
    let scratch = Scratch()
    let library = try Restoring.library(in: scratch)
    #expect(try Shell.fleetkit("convert", library, "--to", scratch["c.fleetpack"], "-q").status == 0)
    let report = try PackVerification(scratch["c.fleetpack"], level: .restore).run()
    #expect(report.kind == .pack(.copy) && report.status == .success, "\(report.findings.kept)")
    #expect((report.compared ?? 0) > 30)
    let refused = try Shell.fleetkit("restore", scratch["c.fleetpack"], "--to", scratch["new.sqlite"])
    #expect(refused.status == 64 && refused.errors.contains("fleetkit import"))
  }
}
