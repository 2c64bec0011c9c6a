import ArchiveIO
import Diagnostics
import Foundation
import Interchange
import JSONText
import Minisign

/// A pack's head: its `data/pack.json`, read without unpacking the rest.
///
/// The values are those that the pack claims. They were not checked against a checksum or a signature.
public struct PackHead: Sendable {
  /// The pack's path as the user typed it.
  public let path: String
  /// The kind of archive.
  public let kind: ArchiveKind
  /// The pack's description; nil for a backup.
  public let info: PackInfo?
  /// The backup's description; nil for packs with content.
  public let backup: BackupInfo?
  /// The size of the pack's file in bytes; nil for a folder.
  public let bytes: Int?
  /// Whether a signature file is next to the pack.
  public let hasSignature: Bool

  /// The maximum accepted size of `data/pack.json`. 100 000 items take a third of this size.
  static let longest = 128 << 20

  /// Reads the head of a pack.
  /// - Throws: `RunFailure`: 2 if the source is not a pack or cannot be read, 5 if it is damaged, 6 if it requires a
  ///   newer reader.
  public init(_ path: String) throws {
    self.path = path
    let (kind, text) = try Self.text(path)
    guard let text else { throw Self.missing(path) }
    self.kind = kind
    var status = stat()
    bytes = kind != .folder && stat(path, &status) == 0 ? Int(status.st_size) : nil
    let file = Self.file(of: path)
    let isBackup = Self.isBackup(text)
    backup = isBackup ? try BackupInfo(parsing: text.span, file: file) : nil
    info = isBackup ? nil : try PackInfo(parsing: text, file: file)
    var name = path
    while name.count > 1, name.hasSuffix("/") { name.removeLast() }
    hasSignature = access(name + ".minisig", F_OK) == 0
  }

  /// Whether a pack describes itself as a backup; false for a pack that cannot be read.
  static func isBackup(at path: String) -> Bool { (try? text(path).1).flatMap { $0 }.map(isBackup) ?? false }

  /// Whether a description belongs to a backup.
  static func isBackup(_ text: [UInt8]) -> Bool {
    guard let profile = (try? JSONDocument(parsing: text))?.root["profile"]?.string else { return false }
    return profile == PackProfile.backup.rawValue
  }

  /// Returns the name of a pack's `data/pack.json` in messages.
  static func file(of path: String) -> String { (path.hasSuffix("/") ? path : path + "/") + PackInfo.path }

  /// Finds the description in an archive. FleetKit writes it first. In an archive made by another program, all names
  /// are searched.
  private static func head(of reader: ArchiveReader) throws -> [UInt8]? {
    while let entry = try reader.next() {
      try Interruption.check()
      if entry.path.utf8.elementsEqual(PackInfo.path.utf8) { return try reader.bytes(limit: longest) }
    }
    return nil
  }

  /// Returns the kind of archive and the content of the description.
  private static func text(_ path: String) throws -> (ArchiveKind, [UInt8]?) {
    if PackFolder.isFolder(path) { return (.folder, try PackFolder.head(path, limit: longest)) }
    guard ArchiveKind.of(try SourceProbe.head(of: Source(path))) != nil else {
      throw RunFailure(
        .failed, "read '\(path)': it is not an archive, and therefore not a content pack",
        advice: "Specify its actual format with --from-format.")
    }
    let reader = try ArchiveReader(path)
    do {
      return (reader.kind, try head(of: reader))
    } catch let failure as RunFailure where failure.status == .mismatch && ArchiveKind.named(path) == nil {
      // A single compressed file does not count as a damaged archive, unless it has an archive's name.
      throw missing(path)
    }
  }

  /// Returns the error for a file or a folder that is not a pack.
  static func missing(_ path: String) -> RunFailure {
    let isFolder = PackFolder.isFolder(path)
    let what =
      "\(isFolder ? "it is a bag, but" : "it is compressed, and") not a content pack: "
      + "it has no \(PackInfo.path)"
    let finding = Diagnostic(
      .packInfo, what, at: Place(file: path),
      fix: isFolder ? "to read the files in it, give the path of its data folder" : "unpack it first")
    return RunFailure(.failed, finding, message: "read '\(path)': \(what)")
  }
}

/// Functions for packs that are folders.
public enum PackFolder {
  /// Whether a path names a folder that contains a BagIt declaration.
  public static func isBag(_ path: String) -> Bool {
    var status = stat()
    let mark = (path.hasSuffix("/") ? path : path + "/") + "bagit.txt"
    return stat(mark, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  /// Whether a path names a folder.
  static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// Returns the content of `data/pack.json`; nil if the file does not exist.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read or is longer than `limit` bytes.
  static func head(_ path: String, limit: Int) throws -> [UInt8]? {
    let file = (path.hasSuffix("/") ? path : path + "/") + PackInfo.path
    // A link could point anywhere, and reading a pipe would block.
    let descriptor = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(.failed, "read '\(file)': not a regular file")
    }
    guard status.st_size <= limit else { throw RunFailure(.failed, "read '\(file)': it is longer than \(limit) bytes") }
    var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
    var filled = 0
    while filled < bytes.count {
      let got = bytes.withUnsafeMutableBytes { FileRead.some(descriptor, into: .init(rebasing: $0[filled...])) }
      guard got >= 0 else { throw RunFailure(.failed, "read '\(file)': \(SystemError.last)") }
      if got == 0 { break }
      filled += got
    }
    return Array(bytes.prefix(filled))
  }
}

/// A pack file: its checksums and its description.
public struct PackFile: Sendable {
  /// The file's checksums.
  public let fingerprint: FileFingerprint
  /// The content of `data/pack.json`.
  public let info: PackInfo

  /// The file's path as the user typed it.
  public var path: String { fingerprint.path }

  /// The version and checksum by which other versions refer to it; nil for a pack without a version, such as a backup.
  public var identity: PackPrevious? {
    info.version.map { PackPrevious(version: $0, sha256: fingerprint.sha256) }
  }

  /// Reads the whole file once, and then again up to `data/pack.json`.
  /// - Throws: `RunFailure`: 64 if the path is not a file, 2 if the file cannot be read or has no description, 5 if it
  ///   is damaged or was changed while it was being read, 6 if it requires a newer reader.
  public init(_ path: String, onProgress: ((Int, Int?) -> Void)? = nil) throws {
    try self.init(FileFingerprint(path, onProgress: onProgress))
  }

  /// Reads the description of a file whose checksums are already known.
  /// - Throws: the errors of `init(_:onProgress:)`.
  public init(_ fingerprint: FileFingerprint) throws {
    guard let info = try Self.info(of: fingerprint.path) else {
      throw RunFailure(
        .failed, "read '\(fingerprint.path)': not a content pack: it is a backup or has no \(PackInfo.path)",
        advice: "Build packs with 'fleetkit pack build'; for other files, use minisign.")
    }
    try fingerprint.requireUnchanged()
    self.fingerprint = fingerprint
    self.info = info
  }

  /// The maximum accepted size of `data/pack.json`. 100 000 items take a quarter of this size.
  private static let longestInfo = 128 << 20

  /// Returns the content of `data/pack.json`; nil if the file does not exist, or if it describes a backup, which has no
  /// version.
  public static func info(of path: String) throws -> PackInfo? {
    let reader = try ArchiveReader(path)
    while let entry = try reader.next() {
      try Interruption.check()
      guard entry.path.utf8.elementsEqual(PackInfo.path.utf8) else { continue }
      let text = try reader.bytes(limit: longestInfo)
      return PackHead.isBackup(text) ? nil : try PackInfo(parsing: text, file: path + "/" + entry.path)
    }
    return nil
  }
}
