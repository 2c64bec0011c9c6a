import Foundation

/// How files are packed into one file.
public enum ArchiveKind: String, Sendable, CaseIterable {
  /// A tar archive in zstd frames with checksums, the usual form of a pack.
  case fleetpack
  /// A ZIP archive.
  case zip
  /// A tar archive in gzip.
  case tarGzip = "tar.gz"
  /// Not packed: a folder.
  case folder

  /// The kind that a target's name asks for; nil if the name does not tell.
  ///
  /// A name with a slash at the end, or the name of an existing folder, asks for a folder.
  public static func named(_ path: String) -> ArchiveKind? {
    let name = path.lowercased()
    if name.hasSuffix(".fleetpack") || name.hasSuffix(".tar.zst") { return .fleetpack }
    if name.hasSuffix(".zip") { return .zip }
    if name.hasSuffix(".tar.gz") || name.hasSuffix(".tgz") { return .tarGzip }
    var isFolder: ObjCBool = false
    let isThere = FileManager.default.fileExists(atPath: path, isDirectory: &isFolder)
    return name.hasSuffix("/") || isThere && isFolder.boolValue ? .folder : nil
  }

  /// The kind that a file's first bytes indicate; nil if they belong to something else.
  public static func of(_ head: [UInt8]) -> ArchiveKind? {
    if head.starts(with: [0x28, 0xB5, 0x2F, 0xFD]) { return .fleetpack }
    if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) { return .zip }
    if head.starts(with: [0x1F, 0x8B]) { return .tarGzip }
    return nil
  }
}
