import Diagnostics
import Foundation
import Interchange

/// Reads the files of an archive one after the other, or of a folder in the order of their names.
///
/// Everything about an archive is hostile until it is shown to be harmless: names, links, sizes, ratios, numbers of
/// entries. Memory is bounded by a few frames.
public final class ArchiveReader {
  /// The archive as the user named it.
  public let path: String
  /// How it is packed.
  public let kind: ArchiveKind

  private let limits: ArchiveLimits
  private let source: any ArchiveSource
  private var names: NameGuard
  private var entries = 0
  private var total = 0
  private var pathBytes = 0
  private var current: ArchiveEntry?

  /// Folders called `data`, at the top or one folder below, that were met.
  private(set) var dataFolders: Set<String> = []

  /// Opens an archive.
  /// - Throws: `RunFailure` with status 2 when it cannot be read, 5 when it is damaged.
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
        .failed, "read '\(path)': it is no archive that FleetKit reads",
        advice: "Packs are .fleetpack (tar in zstd), .zip, .tar.gz or a folder.")
    }
    self.kind = kind
    // From here on, the source closes the file.
    switch kind {
    case .zip: source = try ZipSource(path, descriptor: descriptor, size: size, limits: limits)
    default: source = try TarSource(UnpackedStream(path, descriptor, size: size, kind: kind, limits: limits))
    }
  }

  /// The next file; nil at the end. Folders are checked and passed over, content that nobody took is skipped.
  /// - Throws: `RunFailure`: 2 when the archive is refused as hostile, 5 when it is damaged; the message names the
  ///   entry or the offset.
  public func next() throws -> ArchiveEntry? {
    current = nil
    while let raw = try source.next() {
      entries += 1
      if entries & 0xFF == 0 { try Interruption.check() }
      guard entries <= limits.entries else { throw refusal("it has more than \(limits.entries) entries") }
      pathBytes += raw.name.count
      guard pathBytes <= limits.allPathBytes else {
        throw refusal("its paths have more than \(limits.allPathBytes) bytes")
      }
      guard let name = try checked(raw) else { continue }
      guard raw.size >= 0, raw.size <= limits.bytes, total + raw.size <= limits.bytes else {
        throw refusal("its files have more than \(limits.bytes) bytes")
      }
      total += raw.size
      let entry = ArchiveEntry(path: name, size: raw.size)
      current = entry
      return entry
    }
    return nil
  }

  /// Hands out the content of the current file, piece by piece.
  /// - Throws: as `next`, and what `take` throws.
  public func read(_ take: (UnsafeBufferPointer<UInt8>) throws -> Void) throws {
    guard let entry = current else { return }
    current = nil
    var count = 0
    try source.read { bytes in
      count += bytes.count
      // Sources hold themselves to what they declared; this is the second lock on the door.
      guard count <= entry.size ?? .max else {
        throw damage(entry.path, "it has more bytes than the archive says")
      }
      try take(bytes.assumingMemoryBound(to: UInt8.self))
    }
    if let size = entry.size, count != size { throw damage(entry.path, "it has fewer bytes than the archive says") }
  }

  /// The content of the current file.
  /// - Throws: `RunFailure` with status 2 when it has more than `limit` bytes.
  public func bytes(limit: Int) throws -> [UInt8] {
    guard let entry = current else { return [] }
    func tooLarge() -> RunFailure {
      RunFailure(.failed, "read '\(path)!\(entry.path)': it has more than \(limit) bytes")
    }
    if let size = entry.size, size > limit { throw tooLarge() }
    var all: [UInt8] = []
    // What a hostile archive says is not taken on trust: the array grows with what comes.
    all.reserveCapacity(min(entry.size ?? 0, 1 << 20))
    try read { bytes in
      if all.count + bytes.count > limit { throw tooLarge() }
      all.append(contentsOf: bytes)
    }
    return all
  }

  /// How many bytes of the archive were read, and how many it has; of a folder, of its files.
  public var progress: (done: Int, total: Int?) { source.progress }

  /// The names that the archive is known to have before it is read; none where only reading tells.
  var knownNames: [String] { source.knownNames.map { String(decoding: $0, as: UTF8.self) } }

  /// The name of a file that may be read; nil for a folder.
  private func checked(_ raw: RawEntry) throws -> String? {
    var name = raw.name
    var isFolder = false
    switch raw.kind {
    case .file: break
    case .folder: isFolder = true
    case .other(let what): throw refusal("\(MemberName.shown(name)) is \(what); only files and folders are read")
    }
    if isFolder {
      // What tar makes of ".": './' and './data/guides/' for folders.
      if name.last == UInt8(ascii: "/") { name.removeLast() }
      if name == [UInt8(ascii: ".")] { return nil }
    }
    if name.starts(with: [UInt8(ascii: "."), UInt8(ascii: "/")]) { name.removeFirst(2) }
    if let problem = MemberName.problem(name, limits: limits, isOnDisk: kind == .folder) {
      throw refusal("a name in it is \(MemberName.shown(raw.name)): \(problem)")
    }
    let text = String(decoding: name, as: UTF8.self)
    // The file system of a folder has decided already what is the same.
    if kind != .folder, let problem = names.take(text, isFolder: isFolder) {
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
    RunFailure(.mismatch, "read '\(path)!\(TerminalText.escape(entry))': damaged: \(reason)")
  }
}
