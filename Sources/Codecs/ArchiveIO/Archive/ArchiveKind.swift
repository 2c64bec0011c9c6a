import Foundation

/// The form in which files are packed into one file.
public enum ArchiveKind: String, Sendable, CaseIterable {
  /// A tar archive in zstd frames with checksums. This is the usual form of a pack.
  case fleetpack
  /// A ZIP archive.
  case zip
  /// A tar archive that is packed with gzip.
  case tarGzip = "tar.gz"
  /// A folder, which is not packed.
  case folder

  /// Returns the kind that a target's name indicates, or nil if the name indicates none.
  ///
  /// A name with a trailing slash, or the name of an existing folder, indicates a folder.
  public static func named(_ path: String) -> ArchiveKind? {
    let name = path.lowercased()
    if name.hasSuffix(".fleetpack") || name.hasSuffix(".tar.zst") { return .fleetpack }
    if name.hasSuffix(".zip") { return .zip }
    if name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz") { return .tarGzip }
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return name.hasSuffix("/") || isThere && isFolder.boolValue ? .folder : nil
  }

  /// Returns the kind that a file's first bytes indicate, or nil if they do not belong to an archive.
  public static func of(_ head: [UInt8]) -> ArchiveKind? {
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .fleetpack }
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) { return .zip }
    if head.starts(with: [0x1F, 0x8B]) { return .tarGzip }
    return nil
  }
}
