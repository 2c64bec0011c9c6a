import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import TestSupport
import Testing

/// Nightly backups with rotation on a disk that rots at random.
///
/// `FLEETKIT_ROT_NIGHTS` sets the number of nights. Each seed always produces the same nights.
@Suite struct RotNightsTests {
  private static let nights = Int(ProcessInfo.processInfo.environment["FLEETKIT_ROT_NIGHTS"] ?? "") ?? 15
  private static let seed = UInt64(ProcessInfo.processInfo.environment["FLEETKIT_ROT_SEED"] ?? "") ?? 20_261_127
  /// 2026-03-01, 03:30, in milliseconds since 1970.
  private static let start: Int64 = 1_772_335_800_000

  @Test func eachNightHasABackupAndWhatIsOfferedRestores() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    let folder = scratch["b"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var random = SeededRandom(seed: Self.seed)
    var states: [Timestamp: String] = [:]
    var rotten: Set<String> = []
    // Backups that were restored and have not been touched since.
    var known: Set<String> = []
    for night in 0..<Self.nights {
      try edit(library, night, &random)
      let time = Timestamp(milliseconds: Self.start + Int64(night) * 86_400_000)
      states[time] = try Self.content(library)
      var backup = LibraryBackup(library, to: folder + "/")
      // A full backup is made on Sundays, as docs/backups.md recommends.
      if night % 7 != 0 { backup.since = folder + "/" }
      backup.keep = try RetentionPolicy(parsing: "5d,3w,3m")
      let report = try backup.run(context: RunContext(now: time))
      let name = (report.path as NSString).lastPathComponent
      // Whatever has rotted, tonight's backup exists and equals the library.
      let snapshot = try Backups.assemble(report.path, in: scratch, as: "tonight")
      #expect(try Self.content(snapshot.library) == states[time], "night \(night), seed \(Self.seed)")
      try FileManager.default.removeItem(atPath: scratch["tonight"])
      #expect(report.status == .success || report.status == .mismatch)
      try check(folder, states, scratch, night, &known)
      // The disk may rot after a night, but does not do so after every one.
      if random.below(3) == 0 {
        known = []
        try rot(folder, sparing: random.below(2) == 0 ? name : nil, &rotten, &random)
      }
    }
    #expect(!rotten.isEmpty)
  }

  /// Checks that every backup that verification offers can be restored to the library's content at its time.
  private func check(
    _ folder: String, _ states: [Timestamp: String], _ scratch: Scratch, _ night: Int, _ known: inout Set<String>
  ) throws {
    let report = try FolderVerification(folder).run()
    var offered = 0
    for file in report.files where file.state == .sound {
      guard let info = file.report?.backup else { continue }
      offered += 1
      guard known.insert(file.path).inserted else { continue }
      let target = scratch["offered.sqlite"]
      let restored = try LibraryRestore(file.path, to: target).run()
      #expect(restored.info.takenAt == info.takenAt)
      #expect(try Self.content(target) == states[info.takenAt], "night \(night), seed \(Self.seed), \(file.path)")
      for name in [target, target + ".fleetkit"] { try? FileManager.default.removeItem(atPath: name) }
    }
    #expect(offered > 0)
    // Every backup that is offered in place of a rotten one must be sound.
    let sound = Set(report.files.filter { $0.state == .sound }.map(\.path))
    for file in report.files {
      for other in [file.before, file.after] { #expect(other.map { sound.contains($0.path) } ?? true) }
    }
    #expect(report.newest.first?.backup.takenAt == states.keys.max())
  }

  private func edit(_ library: String, _ night: Int, _ random: inout SeededRandom) throws {
    var sql = "UPDATE checklists SET title = 'night \(night)' WHERE rowid % 5 = \(random.below(5));"
    if random.below(4) == 0 { sql += "UPDATE charters SET name = name || ' \(random.below(100))';" }
    if random.below(6) == 0 {
      sql += "CREATE TABLE IF NOT EXISTS ballast (body BLOB); INSERT INTO ballast VALUES (randomblob(20000));"
    }
    try SQLiteShell.run(library, sql)
  }

  /// Damages one file of the folder.
  private func rot(
    _ folder: String, sparing spared: String?, _ rotten: inout Set<String>, _ random: inout SeededRandom
  ) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0 != spared }.sorted()
    guard !names.isEmpty else { return }
    let name = random.pick(names)
    let path = folder + "/" + name
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: path)))
    guard !bytes.isEmpty else { return }
    rotten.insert(name)
    switch random.below(6) {
    case 0: bytes[random.below(bytes.count)] ^= UInt8(1 << random.below(8))
    case 1: bytes.removeLast(1 + random.below(bytes.count))
    case 2:
      let start = random.below(bytes.count)
      for index in start..<min(bytes.count, start + 4096) { bytes[index] = 0 }
    case 3: bytes = []
    case 4:
      try FileManager.default.removeItem(atPath: path)
      return
    default:
      // Leave the remains of a killed copy.
      let half = Data(bytes.prefix(bytes.count / 2))
      try half.write(to: URL(fileURLWithPath: folder + "/.\(name).fleetkit-1-\(random.below(1000)).tmp"))
      return
    }
    try Data(bytes).write(to: URL(fileURLWithPath: path))
  }

  /// Returns every row of every table, as printed by the sqlite3 shell.
  private static func content(_ library: String) throws -> String {
    let tables = try SQLiteShell.tables(library).filter { !$0.hasPrefix("sqlite_") }
    let text = try SQLiteShell.run(
      library, tables.map { "SELECT '\($0)', * FROM \"\($0)\" ORDER BY rowid;" }.joined(separator: "\n"))
    return Digest.hex(Digest.sha256(text.utf8.span))
  }
}
