import ArchiveIO
import Content
import Foundation
import Interchange
import SQLiteIO

/// Assembles a backup: unpacks it, finds the backups that an incremental backup needs, and applies their changes.
///
/// Every file is checked against its checksum first. All output is written to one folder.
public struct SnapshotAssembly: Sendable {
  /// The parts that are written in addition to the library and the index.
  public struct Parts: OptionSet, Sendable {
    /// The set as bits.
    public let rawValue: UInt8
    /// Creates a set from bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The sidecar's database.
    public static let state = Parts(rawValue: 1)
    /// The attachment files.
    public static let media = Parts(rawValue: 2)
    /// All parts.
    public static let all: Parts = [.state, .media]
  }

  /// The backup's path as the user typed it.
  public let path: String
  /// The parts that are written.
  public var parts = Parts.all

  /// The maximum number of backups in a chain.
  static let longestChain = 10_000

  /// Prepares the assembly of a backup.
  public init(_ path: String, parts: Parts = .all) {
    self.path = path
    self.parts = parts
  }

  /// Assembles the backup.
  ///
  /// The folder gets `library.sqlite`, `index.jsonl`, `library.sqlite.fleetkit/state.sqlite` and
  /// `library.sqlite.fleetkit/media/…`, which is the usual layout of a library and its sidecar.
  /// - Parameters:
  ///   - folder: an empty folder that only its owner can read.
  ///   - onProgress: called at intervals with the current step, the bytes done and the total.
  /// - Throws: `RunFailure`: 2 if the backup, or a backup that it needs, is missing or cannot be read, 5 if a file does
  ///   not match its checksum, 6 if the backup requires a newer FleetKit.
  public func assemble(
    into folder: String, onProgress: (@Sendable (String, Int, Int) -> Void)? = nil
  ) throws -> AssembledSnapshot {
    let library = folder + "/library.sqlite"
    var links: [AssembledSnapshot.Link] = []
    var needs: SnapshotNeeds?
    var next: String? = path
    // Read the backups from the requested one back to the full one, one bag at a time.
    while let current = next {
      try Interruption.check()
      let number = links.count
      let changes = "\(folder)/changes-\(number).sqlite"
      let places = [BackupInfo.Path.library: library, BackupInfo.Path.changes: changes]
      let bag = try BagImage(current, places: places) { done, total in
        onProgress?("Checking the backup", done, total ?? done)
      }
      let info = try Self.info(of: bag, expecting: links.last?.info)
      if needs == nil { needs = try SnapshotNeeds(info, parts: parts, folder: folder, bag: bag) }
      try needs?.take(from: bag)
      links.append(AssembledSnapshot.Link(path: current, info: info))
      guard links.count <= Self.longestChain else {
        throw RunFailure(.failed, "assemble '\(path)': its chain has more than \(Self.longestChain) backups")
      }
      if let parent = info.parent {
        try bag.extract(try Self.member(BackupInfo.Path.changes, of: bag), to: changes)
        // An existing library would prevent the full backup's library from being unpacked.
        unlink(library)
        next = try ParentSearch(child: current, parent: parent).find(onProgress: onProgress)
      } else {
        let member = try Self.member(BackupInfo.Path.library, of: bag)
        try Self.expect(info.librarySHA256, bag.members[member], of: bag)
        try bag.extract(member, to: library)
        next = nil
      }
    }
    guard let needs else { throw RunFailure(.internalError, "a backup without a link") }
    try needs.finish(path)
    try apply(links, to: library, in: folder, onProgress: onProgress)
    return AssembledSnapshot(
      library: library, state: needs.state, media: needs.media, index: needs.index, chain: links.reversed())
  }

  /// Returns the backup's description, checked against its child if it has one.
  static func info(of bag: BagImage, expecting child: BackupInfo?) throws -> BackupInfo {
    let member = try member(BackupInfo.Path.info, of: bag)
    let info = try BackupInfo(parsing: bag.bytes(of: member), file: bag.path + "/" + BackupInfo.Path.info)
    if let child, info.depth != child.depth - 1 || info.takenAt != child.parent?.takenAt {
      throw RunFailure(.mismatch, "assemble '\(bag.path)': the following backup describes it differently")
    }
    return info
  }

  static func member(_ path: String, of bag: BagImage) throws -> Int {
    guard let index = bag.index(of: path) else {
      throw RunFailure(
        .failed, "read '\(bag.path)': it has no \(path), so it is not a backup",
        advice: "'fleetkit inspect' shows its format.")
    }
    return index
  }

  static func expect(_ sha256: String?, _ member: BagMember, of bag: BagImage) throws {
    guard sha256 == member.sha256 else {
      throw RunFailure(
        .mismatch,
        "read '\(bag.path)': \(member.path) is not the file that \(BackupInfo.Path.info) names: its SHA-256 "
          + "is \(member.sha256), not \(sha256 ?? "named")")
    }
  }

  /// Applies the changes of a chain. The links are ordered from newest to oldest.
  private func apply(
    _ links: [AssembledSnapshot.Link], to library: String, in folder: String,
    onProgress: (@Sendable (String, Int, Int) -> Void)?
  ) throws {
    guard links.count > 1 else { return }
    do {
      for number in stride(from: links.count - 2, through: 0, by: -1) {
        try Interruption.check()
        onProgress?("Applying changes", links.count - 1 - number, links.count - 1)
        let changes = "\(folder)/changes-\(number).sqlite"
        try ChangeReader(changes).apply(to: library, named: links[number].path + "/" + BackupInfo.Path.changes)
        unlink(changes)
      }
      let connection = try SQLiteConnection(library, .readImmutable, .foreign)
      if let complaint = try IntegrityCheck.complaint(connection, .full) {
        throw RunFailure(.mismatch, "assemble '\(path)': the library is damaged: \(complaint)")
      }
    } catch let error as SQLiteError {
      throw RunFailure(
        .failed, "assemble '\(path)': \(error.message)",
        advice: error.isFull ? "Assembling needs disk space for a copy; to use another folder, set TMPDIR." : nil)
    }
  }
}
