import Backup
import Content
import ContentPack
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// A damaged backup never prevents tonight's backup: a full backup is made, and the damaged file is named.
@Suite struct BrokenChainTests {
  private let scratch = Scratch()
  private let library: String
  private let chain: [String]

  init() throws {
    library = try scratch.writable("library-v2.2.0.sqlite", as: "anyfleet.sqlite")
    try FileManager.default.createDirectory(atPath: scratch["b"], withIntermediateDirectories: true)
    var chain: [String] = []
    for number in 0..<3 {
      try SQLiteShell.run(library, "UPDATE checklists SET title = title || '.';")
      chain.append(
        try Backups.make(library, to: scratch["b/"], since: number == 0 ? nil : scratch["b/"], number: number).path)
    }
    self.chain = chain
  }

  /// Kinds of damage to a file.
  enum Rot: String, CaseIterable {
    case bit, head, cut, zeros, empty, missing, link, folder, text

    func harm(_ path: String) throws {
      let url = URL(fileURLWithPath: path)
      var bytes = [UInt8](try Data(contentsOf: url))
      switch self {
      case .bit: bytes[bytes.count * 3 / 4] ^= 0x10
      case .head: bytes[40] ^= 0x10
      case .cut: bytes.removeLast(bytes.count / 2)
      case .zeros: for index in (bytes.count / 3)..<bytes.count { bytes[index] = 0 }
      case .empty: bytes = []
      case .text: bytes = Array("no archive".utf8)
      case .missing, .link, .folder:
        try FileManager.default.removeItem(atPath: path)
        if self == .link {
          try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "gone.fleetpack")
        } else if self == .folder {
          try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
        }
        return
      }
      try Data(bytes).write(to: url)
    }
  }

  /// Makes tonight's backup after the earlier ones were damaged, and checks that it restores to the library.
  private func tonight(_ since: String) throws -> LibraryBackup.Report {
    try SQLiteShell.run(library, "UPDATE checklists SET title = title || '!';")
    let context = Backups.context(9)
    var backup = LibraryBackup(library, to: scratch["b/"])
    backup.since = since
    let report = try backup.run(context: context)
    #expect((report.broken != nil) == (context.findings.counts[.brokenChain] == 1))
    let snapshot = try Backups.assemble(report.path, in: scratch, as: "back-\(UUID().uuidString)")
    #expect(try Backups.difference(library, snapshot.library) == "")
    return report
  }

  @Test(arguments: Rot.allCases, 0..<3) func aFullOneIsMadeAndTheFileIsNamed(_ rot: Rot, _ link: Int) throws {
    try rot.harm(chain[link])
    let report = try tonight(scratch["b/"])
    if link == 2, rot == .missing || rot == .folder {
      // No other file reveals that the newest backup is missing. The chain before it is complete.
      #expect(report.status == .success && report.info.depth == 2)
      return
    }
    #expect(report.status == .mismatch && !report.info.isIncremental)
    let named = try #require(report.broken)
    #expect(
      (named.path as NSString).lastPathComponent == (chain[link] as NSString).lastPathComponent, "\(named.reason)")
    #expect(named.reason.contains((chain[link] as NSString).lastPathComponent), "\(named.reason)")
    // The next night's backup builds on the full one.
    var next = LibraryBackup(library, to: scratch["b/"])
    next.since = scratch["b/"]
    let after = try next.run(context: Backups.context(10))
    #expect(after.status == .success && after.info.depth == 1)
  }

  /// When two backups are made within one second, the second one is named `…_2`.
  @Test func anUnreadableOneOfTheSameSecondCounts() throws {
    let twin = try Backups.make(library, to: scratch["b/"], number: 2).path
    #expect(twin != chain[2])
    try Rot.cut.harm(twin)
    #expect(try tonight(scratch["b/"]).broken?.path == twin)
    // An unreadable backup that is older than the newest one does not count.
    let next = try Backups.make(library, to: scratch["b/"], number: 11).path
    let last = try Backups.make(library, to: scratch["b/"], number: 11).path
    try Rot.empty.harm(next)
    var backup = LibraryBackup(library, to: scratch["b/"])
    backup.since = scratch["b/"]
    let report = try backup.run(context: Backups.context(12))
    #expect(report.status == .success && report.info.parent?.file == (last as NSString).lastPathComponent)
  }

  @Test func aNamedParentThatIsDamagedStopsNothingEither() throws {
    try Rot.bit.harm(chain[1])
    let report = try tonight(chain[2])
    #expect(report.status == .mismatch && !report.info.isIncremental && report.broken?.path == chain[1])
    // A mistyped name is still an error.
    let wrong = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--since", scratch["b/none.fleetpack"])
    #expect(wrong.status == 2)
  }

  @Test func theCommandEndsWith5HoweverQuietItIs() throws {
    try Rot.cut.harm(chain[0])
    let quiet = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--since", scratch["b/"], "-q")
    #expect(quiet.status == 5 && quiet.errors.contains((chain[0] as NSString).lastPathComponent))
    try Rot.cut.harm(chain[0])
    let newest = try #require(try BackupFolder(scratch["b"]).entries.last).file.path
    try Rot.bit.harm(newest)
    let json = try Shell.fleetkit("backup", library, "--to", scratch["b/"], "--since", scratch["b/"], "--json")
    let root = try JSONDocument(parsing: Array(json.output.utf8)).root
    #expect(json.status == 5 && root["status"]?.integer == 5 && root["depth"]?.integer == 0)
    #expect(root["broken_chain"]?["path"]?.string == newest)
    #expect(root["findings"]?["codes"]?["BKP0205"]?.integer == 1)
  }

  /// An unreadable file with an unrelated name is not taken for a newer backup.
  @Test func aFileThatNamesNothingOfThisLibraryIsLeftAlone() throws {
    _ = try scratch.write("b/dinghy-20991231T000000Z.fleetpack", "no archive")
    _ = try scratch.write("b/photos.zip", "no archive")
    let report = try tonight(scratch["b/"])
    #expect(report.status == .success && report.info.depth == 3)
  }
}
