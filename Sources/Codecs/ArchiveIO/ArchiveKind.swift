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

/// An entry as the archive describes it, before any check.
struct RawEntry {
  /// The kind of an entry.
  enum Kind {
    case file
    case folder
    /// An entry of any other kind, which is rejected. The value describes the kind.
    case other(String)
  }

  /// The name as bytes.
  var name: [UInt8]
  /// The kind of the entry.
  var kind: Kind
  /// The size in bytes.
  var size: Int
}

/// Reads the entries of one kind of archive in order.
protocol ArchiveSource: AnyObject {
  /// Returns the next entry, or nil after a complete archive.
  /// - Throws: `RunFailure` with status 5 if the archive is damaged, 2 if it is rejected.
  func next() throws -> RawEntry?
  /// Passes the content of the current entry to `body`.
  func read(_ body: (Span<UInt8>) throws -> Void) throws
  /// The names of all entries if they are known from the start; otherwise empty.
  var knownNames: [[UInt8]] { get }
  /// The number of bytes that were read, and the total.
  var progress: (done: Int, total: Int?) { get }
}

extension ArchiveSource {
  var knownNames: [[UInt8]] { [] }
}

/// Packs files into one kind of archive.
///
/// For each file, call `begin`, then `add` for each piece of its content, then `end`. The head files are written last
/// but come first in the archive, before the files that were added earlier.
protocol ArchivePacking: AnyObject {
  /// Begins a file of a known size.
  func begin(_ name: String, size: Int) throws
  /// Adds bytes to the current file.
  func add(_ bytes: Span<UInt8>) throws
  /// Ends the current file.
  func end() throws
  /// Writes the head files, followed by all other files, under the temporary name.
  func complete(head: [(name: String, bytes: [UInt8])]) throws
  /// Renames the archive to the target's name and returns its size in bytes.
  func publish() throws -> Int
  /// Removes all files that were written.
  func discard()
}
