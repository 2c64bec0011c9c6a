import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Verification of a whole folder: every file, every chain, and the remains of killed runs.
@Suite struct FolderVerificationTests {
  private let scratch = Scratch()
  private let library: String
  private let chain: [String]

  init() throws {
    library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    try FileManager.default.createDirectory(atPath: scratch["b"], withIntermediateDirectories: true)
    var chain: [String] = []
    // Two chains: a full backup followed by two incremental ones, and a full backup followed by one.
    for number in 0..<5 {
      try SQLiteShell.run(library, "UPDATE checklists SET title = title || '.';")
      let since = number == 0 || number == 3 ? nil : scratch["b/"]
      chain.append(try Backups.make(library, to: scratch["b/"], since: since, number: number).path)
    }
    self.chain = chain
  }

  private func name(_ path: String?) -> String? { path.map { ($0 as NSString).lastPathComponent } }

  private func states(_ report: FolderVerification.Report) -> [String: FolderVerification.State] {
    Dictionary(report.files.map { (name($0.path) ?? "", $0.state) }, uniquingKeysWith: { $1 })
  }

  private func cut(_ path: String, to bytes: Int) throws {
    try Data([UInt8](Data(contentsOf: URL(fileURLWithPath: path))).prefix(bytes)).write(to: URL(fileURLWithPath: path))
  }

  @Test(arguments: BackupLevel.allCases) func aSoundFolderIsSound(_ level: BackupLevel) throws {
    let report = try FolderVerification(scratch["b"], level: level).run()
    #expect(report.status == .success && report.files.count == 5)
    #expect(report.files.allSatisfy { $0.state == .sound && $0.before == nil && $0.after == nil })
    #expect(report.newest.map(\.backup.path) == [chain[4]] && report.findings.total == 0)
  }

  @Test(arguments: [BackupLevel.content, .restore]) func aCutFileTakesWhatNeedsItAlong(_ level: BackupLevel) throws {
    try cut(chain[1], to: 1500)
    let report = try FolderVerification(scratch["b"], level: level).run()
    #expect(report.status == .mismatch)
    let states = states(report)
    #expect(states[name(chain[1])!] == .cutOff)
    #expect(states[name(chain[2])!] == .unrestorable)
    for whole in [0, 3, 4] { #expect(states[name(chain[whole])!] == .sound) }
    let child = try #require(report.files.first { $0.path == chain[2] })
    #expect(name(child.culprit) == name(chain[1]))
    for file in report.files where file.state != .sound {
      #expect(name(file.before?.path) == name(chain[0]) && name(file.after?.path) == name(chain[3]))
    }
    #expect(report.findings.counts[.cutOffBackup] == 1 && report.findings.counts[.unrestorableBackup] == 1)
    #expect(report.findings.kept.map(\.place.file).sorted() == [chain[1], chain[2]].sorted())
  }

  @Test func missingDamagedAndEmptyOnesAreToldApart() throws {
    unlink(chain[0])
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: chain[4])))
    bytes[bytes.count * 3 / 4] ^= 4
    try Data(bytes).write(to: URL(fileURLWithPath: chain[4]))
    _ = try scratch.write("b/anyfleet-20991231T000000Z.fleetpack", "")
    _ = try scratch.write("b/photos.zip", "no archive")
    let report = try FolderVerification(scratch["b"]).run()
    let states = states(report)
    #expect(states[name(chain[1])!] == .unrestorable && states[name(chain[2])!] == .unrestorable)
    #expect(states[name(chain[3])!] == .sound && states[name(chain[4])!] == .damaged)
    #expect(states["anyfleet-20991231T000000Z.fleetpack"] == .cutOff && states["photos.zip"] == .other)
    #expect(report.findings.counts[.damagedBackup] == 1 && report.findings.counts[.cutOffBackup] == 1)
    // The empty file's name shows its library and its time.
    let empty = try #require(report.files.first { $0.state == .cutOff })
    #expect(name(empty.before?.path) == name(chain[3]) && empty.after == nil)
    #expect(report.newest.map(\.backup.path) == [chain[3]])
  }

  @Test func whatKilledRunsLeftIsFound() throws {
    _ = try scratch.write("b/.anyfleet-20261121T000000Z.fleetpack.fleetkit-99-7.tmp", "half")
    _ = try scratch.write("b/anyfleet-20261122T000000Z.fleetpack.unproved", "half")
    let lock = open(scratch["b/.anyfleet-20261121T000000Z.fleetpack.fleetkit-99-7.tmp"], O_RDONLY)
    defer { close(lock) }
    let report = try FolderVerification(scratch["b"]).run()
    #expect(report.status == .success && report.findings.counts[.unfinishedBackup] == 2)
    #expect(report.files.count { $0.state == .unfinished } == 2)
    let killed = report.files.first { $0.path.hasSuffix(".tmp") }?.reason
    flock(lock, LOCK_EX)
    let living = try FolderVerification(scratch["b"]).run().files.first { $0.path.hasSuffix(".tmp") }?.reason
    #expect(killed != nil && living != nil && killed != living)
  }

  @Test func theCommandsReportIt() throws {
    try cut(chain[4], to: 900)
    let verified = try Shell.fleetkit("verify", scratch["b"], "--json")
    let folders = try JSONDocument(parsing: Array(verified.output.utf8)).root["folders"]
    #expect(verified.status == 5 && folders?.elements.count == 1)
    #expect(folders?.elements.first?["findings"]?["codes"]?["BKP0207"]?.integer == 1)
    let listed = try Shell.fleetkit("backups", scratch["b/"], "--check", "--json")
    let root = try JSONDocument(parsing: Array(listed.output.utf8)).root
    #expect(listed.status == 5 && root["status"]?.integer == 5)
    #expect(root["check"]?["newest_restorable"]?.elements.first?["backup"]?["path"]?.string.map(name) == name(chain[3]))
    let text = try Shell.fleetkit("backups", scratch["b"], "--check")
    #expect(text.status == 5 && text.errors.contains(name(chain[4])!) && text.errors.contains(name(chain[3])!))
    #expect(try Shell.fleetkit("backups", scratch["b"]).status == 0)
    // A folder without backups is checked as a bag.
    try FileManager.default.createDirectory(atPath: scratch["empty"], withIntermediateDirectories: true)
    #expect(try Shell.fleetkit("verify", scratch["empty"]).errors.contains("BAG0101"))
  }

  /// A truncated file is distinguished from a changed one, wherever it was cut.
  @Test func everyCutIsACut() throws {
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: chain[0])))
    var random = SeededRandom(seed: 7)
    for kind in ["fleetpack", "zip"] {
      let path = scratch["x." + kind]
      if kind == "zip" {
        try Backups.make(library, to: path)
      } else {
        try Data(whole).write(to: URL(fileURLWithPath: path))
      }
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
      #expect(!CutOffFile.isCutOff(path))
      for _ in 0..<40 {
        try Data(bytes.prefix(random.below(bytes.count - 1))).write(to: URL(fileURLWithPath: path))
        let size = try FileManager.default.attributesOfItem(atPath: path)[.size]
        // A file that is shorter than a head does not reveal which kind of file it was.
        #expect(CutOffFile.isCutOff(path) || (size as? Int ?? 0) < 4, "\(kind), \(size ?? 0) bytes")
      }
    }
  }
}
