import Diagnostics
import Foundation
import Interchange

/// Reads the files of an archive one by one, or the files of a folder in the order of their names.
///
/// Nothing in an archive is trusted until it has been checked: names, links, sizes, compression ratios and the number
/// of entries. The memory use is limited to a few frames.
public final class ArchiveReader {
  /// The path of the archive as the user specified it.
  public let path: String
  /// The kind of archive.
  public let kind: ArchiveKind

  private let limits: ArchiveLimits
  private let source: any ArchiveSource
  private var names: NameGuard
  private var entries = 0
  private var total = 0
  private var pathBytes = 0
  private var current: ArchiveEntry?

  /// The folders named `data` that were found at the top level or one level below.
  private(set) var dataFolders: Set<String> = []

  /// Opens an archive.
  /// - Throws: `RunFailure` with status 2 if the archive cannot be read, 5 if it is damaged.
  public init(_ path: String, limits: ArchiveLimits = .standard) throws {
    self.path = path
    self.limits = limits
    names = NameGuard(limit: limits.entries)
    var isFolder: ObjCBool = false
    if FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue {
      kind = .folder
      source = try FolderSource(path, limits: limits)
      return
    }
    let (descriptor, size) = try FileBytes.open(path)
    let head = UnsafeMutableRawBufferPointer.allocate(byteCount: 8, alignment: 8)
    defer { head.deallocate() }
    let got = max(0, pread(descriptor, head.baseAddress, 8, 0))
    guard let kind = ArchiveKind.of(Array(head[..<got])), kind != .folder else {
      close(descriptor)
      throw RunFailure(
        .failed, "read '\(path)': not an archive that FleetKit can read",
        advice: "A pack is a .fleetpack (tar in zstd), .zip or .tar.gz file, or a folder.")
    }
    self.kind = kind
    // From now on, the source is responsible for closing the file.
    switch kind {
    case .zip: source = try ZipSource(path, descriptor: descriptor, size: size, limits: limits)
    default: source = try TarSource(UnpackedStream(path, descriptor, size: size, kind: kind, limits: limits))
    }
  }

  /// Returns the next file, or nil at the end. Folders are checked but not returned. Content that was not read is
  /// skipped.
  /// - Throws: `RunFailure` with status 2 if the archive is rejected as hostile, 5 if it is damaged. The message names
  ///   the entry or the offset.
  public func next() throws -> ArchiveEntry? {
    current = nil
    while let raw = try source.next() {
      entries += 1
      if entries & 0xFF == 0 { try Interruption.check() }
      guard entries <= limits.entries else { throw refusal("it has more than \(limits.entries) entries") }
      pathBytes += raw.name.count
      guard pathBytes <= limits.allPathBytes else {
        throw refusal("its paths have more than \(limits.allPathBytes) bytes in total")
      }
      guard let name = try checked(raw) else { continue }
      guard raw.size >= 0, raw.size <= limits.bytes, total + raw.size <= limits.bytes else {
        throw refusal("its files have more than \(limits.bytes) bytes in total")
      }
      total += raw.size
      let entry = ArchiveEntry(path: name, size: raw.size)
      current = entry
      return entry
    }
    return nil
  }

  /// Passes the content of the current file to `body` in pieces.
  /// - Throws: the errors that `next` and `body` throw.
  public func read(_ body: (Span<UInt8>) throws -> Void) throws {
    guard let entry = current else { return }
    current = nil
    var count = 0
    try source.read { bytes in
      count += bytes.count
      // Sources already enforce the size that they declare; this is a second check.
      guard count <= entry.size ?? .max else {
        throw damage(entry.path, "it has more bytes than the archive declares")
      }
      try body(bytes)
    }
    if let size = entry.size, count != size { throw damage(entry.path, "it has fewer bytes than the archive declares") }
  }

  /// Returns the content of the current file.
  /// - Throws: `RunFailure` with status 2 if the file has more than `limit` bytes.
  public func bytes(limit: Int) throws -> [UInt8] {
    guard let entry = current else { return [] }
    func tooLarge() -> RunFailure {
      RunFailure(.failed, "read '\(path)!\(entry.path)': it has more than \(limit) bytes")
    }
    if let size = entry.size, size > limit { throw tooLarge() }
    var all: [UInt8] = []
    // The declared size may be hostile, so the array grows with the bytes that arrive.
    all.reserveCapacity(min(entry.size ?? 0, 1 << 20))
    try read { bytes in
      if all.count + bytes.count > limit { throw tooLarge() }
      bytes.withUnsafeBytes { all.append(contentsOf: $0) }
    }
    return all
  }

  /// The number of bytes that were read and the total, for the archive or for the files of a folder.
  public var progress: (done: Int, total: Int?) { source.progress }

  /// The names that are known before the archive is read; empty if they become known only by reading.
  var knownNames: [String] { source.knownNames.map { String(decoding: $0, as: UTF8.self) } }

  /// Returns the name of a file that may be read, or nil for a folder.
  private func checked(_ raw: RawEntry) throws -> String? {
    var name = raw.name
    var isFolder = false
    switch raw.kind {
    case .file: break
    case .folder: isFolder = true
    case .other(let what): throw refusal("\(MemberName.shown(name)) is \(what); only files and folders are read")
    }
    if isFolder {
      // tar archives of "." contain the entry './' and folder names such as './data/guides/'.
      if name.last == UInt8(ascii: "/") { name.removeLast() }
      if name == [UInt8(ascii: ".")] { return nil }
    }
    if name.starts(with: [UInt8(ascii: "."), UInt8(ascii: "/")]) { name.removeFirst(2) }
    if let problem = MemberName.problem(name, limits: limits, isOnDisk: kind == .folder) {
      throw refusal("a name in it is \(MemberName.shown(raw.name)): \(problem)")
    }
    let text = String(decoding: name, as: UTF8.self)
    // For a folder, the file system has already decided which names are equal.
    if kind != .folder, let problem = names.add(text, isFolder: isFolder) {
      throw refusal("a name in it is \(MemberName.shown(text)): \(problem)")
    }
    remember(folder: isFolder ? text + "/" : text)
    return isFolder ? nil : text
  }

  private func remember(folder path: String) {
    guard dataFolders.count < 2 else { return }
    let parts = path.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 2, omittingEmptySubsequences: false)
    for count in 1...2 where parts.count > count && parts[count - 1].elementsEqual("data".utf8) {
      dataFolders.insert(parts[..<count].map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/"))
    }
  }

  private func refusal(_ reason: String) -> RunFailure {
    RunFailure(.failed, "read '\(path)': refused: \(reason)", advice: "Nothing was written. Do not trust this archive.")
  }

  private func damage(_ entry: String, _ reason: String) -> RunFailure {
    RunFailure(.mismatch, "read '\(path)!\(TerminalEscaping.escape(entry))': damaged: \(reason)")
  }
}

/// A file in an archive.
public struct ArchiveEntry: Sendable, Hashable {
  /// The path of the file: relative and normalized, with `/` between folders, and checked by the rules for untrusted
  /// names.
  public let path: String
  /// The size in bytes; nil if the archive states the size only after the content.
  public let size: Int?

  /// Creates an entry.
  public init(path: String, size: Int?) {
    self.path = path
    self.size = size
  }
}

/// The limits beyond which an archive is rejected as hostile.
///
/// - Source: docs/DESIGN.md §7
public struct ArchiveLimits: Sendable, Hashable {
  /// The largest number of entries, including folders.
  public var entries = 250_000
  /// The largest number of bytes in all files together.
  public var bytes = 1 << 40
  /// The number of bytes to which each byte of the archive may unpack, beyond the first `freeBytes`.
  public var ratio = 500
  /// The number of bytes to which an archive may unpack regardless of its size.
  public var freeBytes = 64 << 20
  /// The largest number of folders above a file.
  public var depth = 16
  /// The largest length of a path in bytes.
  public var pathBytes = 1000

  /// The largest length of all paths together in bytes.
  public var allPathBytes = 32 << 20

  /// The limits that FleetKit uses.
  public static let standard = ArchiveLimits()

  /// Creates the standard limits, which can be changed afterwards.
  public init() {}
}
