import Content
import Foundation
import Interchange

/// Writes a bag. The payload files are written as they arrive; the files that precede them in the finished archive are
/// written last.
///
/// The archive begins with the first payload file, `bagit.txt`, `bag-info.txt` and the manifests, followed by the other
/// files in the order in which they were added. With the same versions of libzstd and zlib, the same content gives the
/// same bytes, regardless of the clock, the time zone and the number of processors. The target's name does not exist
/// before `finish`.
public final class BagWriter {
  private let target: String
  private let packing: any ArchivePacking
  private let hash = StreamingDigest(.sha256)
  private var names = NameGuard(limit: ArchiveLimits.standard.entries)
  private var isPrepared = false
  private var isBroken = false
  private let room = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 19, alignment: 64)

  /// The files that were added so far, in order.
  public private(set) var members: [BagMember] = []

  /// 1980-01-01, the earliest time that every archive can represent.
  static let noTime: Int64 = 315_532_800

  /// Creates a writer for one bag.
  /// - Parameters:
  ///   - target: the file or folder to write.
  ///   - kind: the kind of archive.
  ///   - overwrites: whether an existing pack file, or a folder that is a bag, may be replaced.
  ///   - time: the time of all files in seconds since 1970; nil means 1980-01-01.
  ///   - mode: the permissions of the finished file. They are never wider while the file is being written.
  ///   - level: zstd's compression level, 1 to 19.
  ///   - threads: the number of threads that pack frames. The bytes do not depend on this number.
  /// - Throws: `RunFailure` with status 4 if the target exists and must not be replaced, 2 if it cannot be written.
  public init(
    _ target: String, kind: ArchiveKind, overwrites: Bool = false, time: Int64? = nil, mode: UInt32 = 0o644,
    level: Int = 3, threads: Int = 2
  ) throws {
    self.target = target
    let time = time ?? Self.noTime
    if kind == .folder {
      packing = try FolderPacking(target, overwrites: overwrites, time: time, mode: mode)
      return
    }
    try Self.requireFree(target, overwrites)
    let file = try AtomicFile(target, overwrites: overwrites)
    // The mode is set before the first byte is written, so that other users can never read a file that only its owner
    // may read.
    guard fchmod(file.descriptor, mode_t(mode)) == 0 else {
      throw RunFailure(.failed, "write '\(target)': \(SystemError.last)")
    }
    switch kind {
    case .zip: packing = try ZipPacking(file, time: time, level: level)
    case .tarGzip:
      packing = try TarPacking(file, time: time) { GzipOutput(descriptor: $0, name: target, level: level) }
    default:
      packing = try TarPacking(file, time: time) {
        ZstdOutput(descriptor: $0, name: target, level: level, threads: threads)
      }
    }
  }

  /// Checks that the target is free or is an older archive that may be replaced. A user who names a library or a key as
  /// the target has made a typing mistake.
  /// - Throws: `RunFailure` with status 4 if a file exists that may not be replaced or that is not an archive.
  private static func requireFree(_ target: String, _ overwrites: Bool) throws {
    var status = stat()
    // Links are followed. A link to a missing file has no content to lose.
    guard stat(target, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return }
    guard overwrites else {
      throw RunFailure(
        .refused, "write '\(target)': a file of that name already exists",
        advice: "Choose another name, or add --overwrite to replace a pack.")
    }
    if status.st_mode & S_IFMT == S_IFREG {
      if status.st_size == 0 { return }
      let handle = FileHandle(forReadingAtPath: target)
      defer { try? handle?.close() }
      if let head = try? handle?.read(upToCount: 4), ArchiveKind.of(Array(head)) != nil { return }
    }
    throw RunFailure(
      .refused, "write '\(target)': the existing file is not a pack, and --overwrite replaces only packs",
      advice: "Choose another name, or remove the file first.")
  }

  deinit {
    packing.discard()
    room.deallocate()
  }

  /// Adds a payload file with the given bytes.
  /// - Parameter path: the path in the bag, beginning with `data/`, as in `data/guides/anchoring.md`.
  /// - Throws: `RunFailure` with status 2 if a name cannot be used or the disk is full.
  @discardableResult
  public func add(_ path: String, _ bytes: Span<UInt8>) throws -> BagMember {
    hash.update(bytes)
    return try add(path, bytes, sha256: Digest.hex(hash.finish()))
  }

  /// Adds a payload file whose SHA-256 digest is known, for callers that render and hash files on many threads.
  /// - Parameter path: the path in the bag, beginning with `data/`, as in `data/guides/anchoring.md`.
  /// - Throws: `RunFailure` with status 2 if a name cannot be used or the disk is full.
  @discardableResult
  package func add(_ path: String, _ bytes: Span<UInt8>, sha256: String) throws -> BagMember {
    try check(path)
    isBroken = true
    try packing.begin(path, size: bytes.count)
    try packing.add(bytes)
    try packing.end()
    return remember(path, bytes.count, sha256)
  }

  /// Adds a file from the disk. The file must not change until this function returns.
  /// - Parameter path: the path in the bag, beginning with `data/`.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read, if it changes in the meantime, or if the disk is
  ///   full.
  @discardableResult
  public func add(_ path: String, file: String) throws -> BagMember {
    try check(path)
    let (descriptor, size) = try FileBytes.open(file)
    defer { close(descriptor) }
    isBroken = true
    try packing.begin(path, size: size)
    var rest = size
    while rest > 0 {
      try Interruption.check()
      let got = FileRead.some(descriptor, into: UnsafeMutableRawBufferPointer(rebasing: room[..<min(rest, room.count)]))
      guard got > 0 else {
        throw RunFailure(.failed, "read '\(file)': \(got < 0 ? SystemError.last : "it shrank while being read")")
      }
      let bytes = room.assumingMemoryBound(to: UInt8.self).span.extracting(first: got)
      hash.update(bytes)
      try packing.add(bytes)
      rest -= got
    }
    guard FileRead.some(descriptor, into: room) == 0 else {
      throw RunFailure(.failed, "read '\(file)': it grew while being read")
    }
    try packing.end()
    return remember(path, size, Digest.hex(hash.finish()))
  }

  /// Completes the bag under its temporary name.
  /// - Parameters:
  ///   - first: the payload file that comes first in the archive, with a path that begins with `data/`.
  ///   - info: the fields of `bag-info.txt` except Payload-Oxum.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  public func prepare(first: (path: String, bytes: [UInt8]), info: BagInfo) throws {
    try check(first.path)
    isPrepared = true
    let sum = digest(of: first.bytes)
    members.insert(BagMember(path: first.path, size: first.bytes.count, sha256: sum), at: 0)
    var head = [(name: first.path, bytes: first.bytes)]
    var tagManifest = ""
    func tag(_ name: String, _ text: String) {
      let bytes = Array(text.utf8)
      head.append((name, bytes))
      tagManifest += "\(self.digest(of: bytes))  \(name)\n"
    }
    tag("bagit.txt", "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n")
    var info = info
    info.fields.removeAll { $0.label.lowercased() == "payload-oxum" }
    info.fields.append(("Payload-Oxum", "\(members.reduce(0) { $0 + $1.size }).\(members.count)"))
    tag("bag-info.txt", info.text)
    tag("manifest-sha256.txt", ManifestRenderer.text(of: members))
    head.append(("tagmanifest-sha256.txt", Array(tagManifest.utf8)))
    try packing.complete(head: head)
  }

  /// Renames the bag to the target's name.
  /// - Returns: the size of the file, or of all files of the folder, in bytes.
  /// - Throws: `RunFailure` with status 2 if the bag cannot be renamed, 4 if the target was created in the meantime.
  public func finish() throws -> Int {
    guard isPrepared else { throw RunFailure(.internalError, "a bag was named before it was complete") }
    return try packing.publish()
  }

  /// Removes all files that were written.
  public func abort() { packing.discard() }

  private func remember(_ path: String, _ size: Int, _ sha256: String) -> BagMember {
    isBroken = false
    let member = BagMember(path: path, size: size, sha256: sha256)
    members.append(member)
    return member
  }

  private func digest(of bytes: [UInt8]) -> String {
    hash.update(bytes.span)
    return Digest.hex(hash.finish())
  }

  /// Checks that a file may be added now and that readers accept its name.
  private func check(_ path: String) throws {
    guard !isPrepared else { throw RunFailure(.internalError, "a file was added to a bag that is complete") }
    guard !isBroken else { throw RunFailure(.internalError, "a bag was continued after a file could not be added") }
    guard path.utf8.starts(with: "data/".utf8) else {
      throw RunFailure(.internalError, "a payload file of a bag is outside data/")
    }
    if let reason = MemberName.problem(Array(path.utf8), limits: .standard) {
      throw RunFailure(.failed, "write '\(target)': a file cannot be named \(MemberName.shown(path)): \(reason)")
    }
    if let reason = names.add(path, isFolder: false) {
      throw RunFailure(.failed, "write '\(target)': a file cannot be named \(MemberName.shown(path)): \(reason)")
    }
  }
}

/// A file in a bag.
public struct BagMember: Sendable, Hashable {
  /// The path in the bag, such as `data/guides/anchoring.md`.
  public let path: String
  /// The size in bytes.
  public let size: Int
  /// The SHA-256 digest of the content in lower-case hexadecimal digits.
  public let sha256: String

  /// Creates the description of a file.
  public init(path: String, size: Int, sha256: String) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}
