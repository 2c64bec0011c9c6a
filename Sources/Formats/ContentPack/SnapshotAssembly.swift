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
      try needs?.extractMissing(from: bag)
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
    let info = try BackupInfo(parsing: bag.bytes(of: member).span, file: bag.path + "/" + BackupInfo.Path.info)
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

/// A backup that was assembled from its chain. All its files are in one folder.
public struct AssembledSnapshot: Sendable {
  /// One backup of a chain.
  public struct Link: Sendable, Hashable {
    /// The path of the backup's file.
    public let path: String
    /// The backup's description.
    public let info: BackupInfo

    /// Creates a link.
    public init(path: String, info: BackupInfo) {
      self.path = path
      self.info = info
    }
  }

  /// The path of the library's SQLite file, `library.sqlite`, whose pages were checked.
  public let library: String
  /// The path of the sidecar's database, `state.sqlite`; nil if the backup has none or it was not requested.
  public let state: String?
  /// The paths of the attachment files, by SHA-256; empty if attachments were not requested.
  public let media: [String: String]
  /// The path of the requested backup's index, `index.jsonl`, with one line for each record: its kind, id and SHA-256.
  public let index: String
  /// The requested backup's description.
  public var info: BackupInfo { chain[chain.count - 1].info }
  /// The backups that were needed, from the full backup to the requested one. Never empty.
  public let chain: [Link]
}

/// The files that belong to a backup in addition to the library. Each is taken from the newest backup in the chain that
/// contains it.
struct SnapshotNeeds {
  /// The path of the index.
  let index: String
  /// The path of the sidecar's database; nil if the file is not needed or has not been found yet.
  private(set) var state: String?
  /// The paths of the attachment files found so far.
  private(set) var media: [String: String] = [:]

  private let folder: String
  private var wantedState: String?
  private var wantedMedia: Set<String> = []

  /// Begins with the requested backup and extracts its index.
  init(_ info: BackupInfo, parts: SnapshotAssembly.Parts, folder: String, bag: BagImage) throws {
    self.folder = folder + "/library.sqlite.fleetkit"
    index = folder + "/index.jsonl"
    let member = try SnapshotAssembly.member(BackupInfo.Path.index, of: bag)
    try SnapshotAssembly.expect(info.indexSHA256, bag.members[member], of: bag)
    try bag.extract(member, to: index)
    if parts.contains(.state) { wantedState = info.stateSHA256 }
    if parts.contains(.media) { wantedMedia = Set(info.media.map(\.sha256)) }
  }

  /// Extracts the files that are still missing from a backup.
  mutating func extractMissing(from bag: BagImage) throws {
    // The hash must match, because an older backup contains an older database.
    if let wanted = wantedState, let member = bag.index(of: BackupInfo.Path.state),
      bag.members[member].sha256 == wanted
    {
      try makeFolder("")
      let path = folder + "/state.sqlite"
      try bag.extract(member, to: path)
      state = path
      wantedState = nil
    }
    guard !wantedMedia.isEmpty else { return }
    for (number, member) in bag.members.enumerated() where member.path.hasPrefix(BackupInfo.Path.media) {
      let name = String(member.path.dropFirst(BackupInfo.Path.media.count))
      guard wantedMedia.remove(name) != nil else { continue }
      try makeFolder("/media")
      let path = folder + "/media/" + name
      try bag.extract(number, to: path)
      media[name] = path
    }
  }

  /// Checks that no file is missing.
  /// - Throws: `RunFailure` with status 5 if a file is missing.
  func finish(_ path: String) throws {
    let missing =
      wantedState.map { "\(BackupInfo.Path.state) with SHA-256 \($0)" }
      ?? wantedMedia.min().map { BackupInfo.Path.media + $0 }
    guard let missing else { return }
    throw RunFailure(.mismatch, "assemble '\(path)': no backup in its chain contains \(missing)")
  }

  private func makeFolder(_ name: String) throws {
    do {
      try FileManager.default.createDirectory(
        atPath: folder + name, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(.failed, "create the folder '\(folder)\(name)': \(error.localizedDescription)")
    }
  }
}

/// Finds the parent of an incremental backup by the SHA-256 of the parent's file.
struct ParentSearch {
  /// The incremental backup.
  let child: String
  /// The parent as the child names it.
  let parent: BackupInfo.Parent

  /// Returns the path of the parent. It must be in the same folder, under its old name or any other name.
  /// - Throws: `RunFailure` with status 2 if the parent is missing, 5 if a different file has its name.
  func find(onProgress: (@Sendable (String, Int, Int) -> Void)?) throws -> String {
    let folder = Self.folder(of: child)
    var wrong: String?
    // The name is untrusted, so it must not be a path.
    if !parent.file.utf8.contains(UInt8(ascii: "/")), ArchiveKind.named(parent.file) != nil {
      let path = folder + "/" + parent.file
      if Self.isFile(path) {
        let hash = try Self.sha256(of: path, onProgress: onProgress)
        if hash == parent.sha256 { return path }
        wrong = hash
      }
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    for name in names.sorted() where !name.utf8.elementsEqual(parent.file.utf8) && !name.hasPrefix(".") {
      let path = folder + "/" + name
      guard ArchiveKind.named(name) != nil, Self.isFile(path) else { continue }
      if try Self.sha256(of: path, onProgress: onProgress) == parent.sha256 { return path }
    }
    if let wrong {
      throw RunFailure(
        .mismatch,
        "assemble '\(child)': '\(parent.file)' is not the backup that it is based on: its SHA-256 is \(wrong), "
          + "not \(parent.sha256)",
        advice: "Put back the original of that backup; without it, only older backups can be restored.")
    }
    throw RunFailure(
      .failed,
      "assemble '\(child)': it needs '\(parent.file)' (SHA-256 \(parent.sha256)), which is not in '\(folder)'",
      advice: "Put that backup in the same folder, under any name.")
  }

  /// Returns the folder that contains a path.
  static func folder(of path: String) -> String {
    let trimmed = path.utf8.last == UInt8(ascii: "/") ? String(path.utf8.dropLast()) ?? path : path
    guard let slash = trimmed.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
    return slash == trimmed.utf8.startIndex ? "/" : String(trimmed.utf8[..<slash]) ?? "."
  }

  private static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Returns a file's SHA-256.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  static func sha256(of path: String, onProgress: (@Sendable (String, Int, Int) -> Void)? = nil) throws -> String {
    try FileDigest.sha256(of: path) { onProgress?("Checking the preceding backup", $0, $1) }
  }
}

extension BackupInfo {
  /// Returns the SHA-256 of a backup file, by which an incremental backup identifies its parent.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
  public static func sha256(ofFile path: String) throws -> String { try ParentSearch.sha256(of: path) }
}

/// Reads the records in a backup's library. The backup's folder is never written to.
///
/// The backup is first assembled in a temporary folder, where the library format reads the library. Places and messages
/// name the backup, as in `nightly.fleetpack/data/library.sqlite#checklists/…`.
public final class SnapshotReader: ContentReader {
  private let folder: TemporaryFolder
  private let reader: any ContentReader
  /// The backup's description.
  public let info: BackupInfo

  /// Opens a backup.
  /// - Parameter library: the format of libraries.
  /// - Throws: the errors of `SnapshotAssembly.assemble`, and `RunFailure` if the backup's library cannot be read.
  public init(_ source: Source, library: any Format, context: RunContext) throws {
    folder = try TemporaryFolder()
    let snapshot = try SnapshotAssembly(source.path).assemble(into: folder.path)
    info = snapshot.info
    reader = try library.reader(
      of: Source(snapshot.library, name: source.path + "/" + BackupInfo.Path.library), context: context)
  }

  /// Returns the next batch of records.
  public func next() throws -> RecordBatch? { try reader.next() }

  /// The progress of reading the library.
  public var progress: (done: Int, total: Int?) { reader.progress }
}
