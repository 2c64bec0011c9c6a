import ArchiveIO
import ContentPack
import Foundation
import Interchange

/// The backups in a folder, by library and time, with their dependencies. Only heads are read.
public struct BackupFolder: Sendable {
  /// A file that has the name of a backup but cannot be used as one.
  public struct Other: Sendable, Hashable {
    /// The path of the file.
    public let path: String
    /// The reason why the file cannot be used.
    public let reason: String
    /// The status of the failed attempt to read the file.
    public let status: ExitStatus
  }

  /// One backup in the folder.
  public struct Entry: Sendable, Hashable {
    /// The backup.
    public let file: BackupFile
    /// The number of backups needed to restore this one, including itself; 0 if one of them is missing.
    public let chain: Int
    /// The name of the backup's parent in this folder; nil for a full backup, or if the parent is missing.
    public let parent: String?

    /// The name of the missing file, which is the parent or an earlier ancestor; nil if none is missing.
    public let missing: String?
    /// The identity of the backup's parent; nil for a full backup.
    let parentIdentity: String?

    /// Whether a backup that this one needs is missing from the folder.
    public var isBroken: Bool { chain == 0 }
  }

  /// The folder.
  public let path: String
  /// The backups, by library, oldest first.
  public let entries: [Entry]
  /// Files that have the names of backups but cannot be used as such, by name.
  public let others: [Other]

  /// Reads the heads of the backups in a folder.
  /// - Parameter library: the library of the requested backups; nil for all.
  /// - Throws: `RunFailure` with status 2 if the folder cannot be read.
  public init(_ path: String, library: String? = nil) throws {
    self.path = path
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw RunFailure(.failed, "read '\(path)': the folder does not exist")
    }
    guard isFolder.boolValue else {
      throw RunFailure(
        .failed, "read '\(path)': this is a file, not a folder", advice: "To check one backup, use 'fleetkit verify'.")
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
      // Cycles, which occur only in forged backups, have no end, so the parent's name is used.
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

  /// Returns the reason why a link or file with the name of an archive cannot be read; nil if it can be read, or has
  /// another name.
  private static func unfollowable(_ path: String) -> String? {
    var status = stat()
    guard let kind = ArchiveKind.named(path), kind != .folder, stat(path, &status) != 0 else { return nil }
    return SystemError.last
  }

  /// Whether a path has the name of an archive, or is a folder that is a bag. Everything else is ignored.
  private static func mayBeBackup(_ path: String) -> Bool {
    var status = stat()
    guard stat(path, &status) == 0 else { return false }
    if status.st_mode & S_IFMT == S_IFDIR { return access(path + "/bagit.txt", F_OK) == 0 }
    guard status.st_mode & S_IFMT == S_IFREG, let kind = ArchiveKind.named(path) else { return false }
    return kind != .folder
  }
}
