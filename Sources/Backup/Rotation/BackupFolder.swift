import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// The backups that lie in a folder, by library and time, and how they hang together. Only heads are read.
public struct BackupFolder: Sendable {
  /// A file that is named like a backup and is none that can be used.
  public struct Other: Sendable, Hashable {
    /// Where it is.
    public let path: String
    /// Why it is none.
    public let reason: String
    /// The status that reading it ended with.
    public let status: ExitStatus
  }

  /// One backup of the folder.
  public struct Entry: Sendable, Hashable {
    /// The backup.
    public let file: BackupFile
    /// How many backups are needed to restore it, itself included; 0 when one of them is missing.
    public let chain: Int
    /// The name that its parent has in this folder; nil for a full backup, or when it is missing.
    public let parent: String?

    /// The name of the file that is missing: its parent's, or that of one further back; nil when nothing is.
    public let missing: String?
    /// What tells its parent from all others; nil for a full backup.
    let parentIdentity: String?

    /// Whether a backup that it needs is missing from the folder.
    public var isBroken: Bool { chain == 0 }
  }

  /// The folder.
  public let path: String
  /// The backups, by library, oldest first.
  public let entries: [Entry]
  /// What is named like a backup and is none that can be used, by name.
  public let others: [Other]

  /// Looks into a folder.
  /// - Parameter library: the library whose backups are wanted; nil for all.
  /// - Throws: `RunFailure` with status 2 when the folder cannot be read.
  public init(_ path: String, library: String? = nil) throws {
    self.path = path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RunFailure(.failed, "read '\(path)': there is no such folder")
    }
    guard isFolder.boolValue else {
      throw RunFailure(
        .failed, "read '\(path)': this is a file, not a folder", advice: "'fleetkit verify' checks one backup.")
    }
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      throw RunFailure(.failed, "read '\(path)': \(error.localizedDescription)")
    }
    var files: [BackupFile] = []
    var others: [Other] = []
    let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    for name in sorted where !name.utf8.starts(with: ".".utf8) {
      try Interruption.check()
      let file = path.hasSuffix("/") ? path + name : path + "/" + name
      if let reason = Self.unfollowable(file) {
        others.append(Other(path: file, reason: "read '\(file)': \(reason)", status: .failed))
        continue
      }
      guard Self.mayBeBackup(file) else { continue }
      do {
        files.append(try BackupFile(reading: file))
      } catch let failure as RunFailure where failure.status != .interrupted {
        others.append(Other(path: file, reason: failure.message, status: failure.status))
      }
    }
    let parents = ParentIdentities(files)
    let chains = BackupChains(files.map { ($0.path, $0.identity, parents.of($0)) })
    let byPath = Dictionary(files.map { ($0.path, $0) }, uniquingKeysWith: { $1 })
    entries = files.map { file in
      let chain = chains.length(of: file.path)
      // Circles, which only forgers make, have no end; the parent's name must do.
      let last = chains.ancestors(of: file.path).last.flatMap { byPath[$0] } ?? file
      return Entry(
        file: file, chain: chain, parent: chains.parent(of: file.path).map(Self.name),
        missing: chain == 0 ? last.info.parent?.file : nil, parentIdentity: parents.of(file))
    }.filter { entry in library.map { $0.utf8.elementsEqual(entry.file.info.name.utf8) } ?? true }
      .sorted(by: Self.precedes)
    self.others = others
  }

  private static func name(_ path: String) -> String { (path as NSString).lastPathComponent }

  private static func precedes(_ left: Entry, _ right: Entry) -> Bool {
    let (mine, theirs) = (left.file.info, right.file.info)
    if !mine.name.utf8.elementsEqual(theirs.name.utf8) {
      return mine.name.utf8.lexicographicallyPrecedes(theirs.name.utf8)
    }
    if mine.origin != theirs.origin {
      return (mine.origin ?? "").utf8.lexicographicallyPrecedes((theirs.origin ?? "").utf8)
    }
    if mine.takenAt != theirs.takenAt { return mine.takenAt < theirs.takenAt }
    return left.file.path.utf8.lexicographicallyPrecedes(right.file.path.utf8)
  }

  /// Why a link or a file that is named like an archive cannot be looked at; nil when it can, or has another name.
  private static func unfollowable(_ path: String) -> String? {
    var status = stat()
    guard let kind = ArchiveKind.named(path), kind != .folder, stat(path, &status) != 0 else { return nil }
    return SystemError.last
  }

  /// Names of archives, and folders that are bags; whatever else lies there is nobody's business.
  private static func mayBeBackup(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFDIR { return access(path + "/bagit.txt", F_OK) == 0 }
    guard status.st_mode & S_IFMT == S_IFREG, let kind = ArchiveKind.named(path) else { return false }
    return kind != .folder
  }
}
