import Content
import Diagnostics
import Foundation
import Interchange

/// A bag that is opened so that every file in it can be read in place, regardless of the order in the archive.
///
/// The bag is unpacked once, file by file, to an unnamed temporary file that only its owner can read. Files that are
/// needed at other paths are unpacked directly to these paths. At the same time, every file is compared with the
/// manifests. An unlisted, missing or different file stops the run with status 5 before the caller gets any byte of it.
/// A folder is copied in the same way, so that the caller gets the checked content even if the folder
/// changes in the meantime.
public final class BagImage: @unchecked Sendable {
  /// The path of the bag as the user specified it.
  public let path: String
  /// The fields of `bag-info.txt`.
  public let info: BagInfo
  /// The files below `data/`, in the order of the archive.
  public let members: [BagMember]
  /// Warnings about the bag.
  public let warnings: [Diagnostic]

  private let numbers: [ByteName: Int]
  private let extents: [Extent]

  /// The location of a file's bytes.
  private struct Extent {
    let spool: Spool
    let start, size: Int

    var bytes: UnsafeRawBufferPointer { spool.bytes(start, size) }
  }

  /// Opens and checks a bag.
  /// - Parameters:
  ///   - places: paths in the bag, each with the path to which the file is unpacked, with mode 0600, instead of to the
  ///     temporary file. Calling `extract` with this path then costs nothing. The unpacked files are removed if the bag
  ///     fails its check.
  ///   - onProgress: called from time to time with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if the bag cannot be read or is rejected as hostile, 4 if one of the paths in
  ///   `places` exists, 5 if a file does not match.
  public init(
    _ path: String, limits: ArchiveLimits = .standard, places: [String: String] = [:],
    onProgress: ((Int, Int?) -> Void)? = nil
  ) throws {
    self.path = path
    let shared = try Spool()
    var spools: [Int: Spool] = [:]
    var starts: [Int: Int] = [:]
    do {
      let scan = try BagScan(path, limits: limits, always: [.sha256], onProgress: onProgress) { number, member, bytes in
        if starts[number] == nil {
          let own = try places[member].map { try Spool(at: $0) }
          spools[number] = own
          starts[number] = own == nil ? shared.count : 0
        }
        try (spools[number] ?? shared).write(bytes)
      }
      for spool in [shared] + spools.values { try spool.map() }
      let extents = scan.files.enumerated().map { number, file in
        Extent(spool: spools[number] ?? shared, start: starts[number] ?? 0, size: file.size)
      }
      let hashed = scan.lacksDigests ? scan.hashing { extents[$0].bytes } : scan
      let rules = BagRules(path, hashed)
      if let error = rules.findings.first(where: { $0.severity == .error }) { throw Self.failure(error, rules) }
      let payload = scan.files.indices.filter { scan.files[$0].path.utf8.starts(with: "data/".utf8) }
      let members = payload.map { number in
        let file = scan.files[number]
        return BagMember(path: file.path, size: file.size, sha256: Digest.hex(file.digests[.sha256] ?? []))
      }
      self.members = members
      self.extents = payload.map { extents[$0] }
      info = rules.info
      warnings = rules.findings
      numbers = Dictionary(
        members.indices.map { (ByteName(members[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
    } catch {
      for spool in spools.values { if let made = spool.path { unlink(made) } }
      throw error
    }
  }

  /// Returns the index of a file in `members`, or nil if no file has that path.
  public func index(of path: String) -> Int? { numbers[ByteName(path)] }

  /// Returns the bytes of a file, which are valid as long as the image exists.
  public func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    extents[index].bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// Writes a file of the bag with mode 0600. It is not synced.
  /// - Throws: `RunFailure` with status 4 if the path already exists, 2 if the file cannot be written.
  public func extract(_ index: Int, to path: String) throws {
    if extents[index].spool.path == path { return }
    let descriptor = try FileBytes.create(path)
    defer { close(descriptor) }
    do {
      try FileBytes.write(extents[index].bytes.bytes, to: descriptor, name: path)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// Converts an error in the bag to the failure that stops the run.
  private static func failure(_ error: Diagnostic, _ rules: BagRules) -> RunFailure {
    let others = rules.findings.count { $0.severity == .error } - 1
    let more = others > 0 ? " (and \(others) more)" : ""
    let isNoBag = error.code == .notABag || error.code == .bagVersion
    return RunFailure(
      isNoBag ? .failed : .mismatch, "read '\(error.place)': \(error.message)\(more)",
      advice: "\(error.fix.prefix(1).uppercased())\(error.fix.dropFirst()).")
  }
}

/// Bytes in a file that only its owner can read. The file is mapped into memory when it is complete.
final class Spool: @unchecked Sendable {
  /// The path of the file; nil if it is unnamed.
  let path: String?
  private let descriptor: Int32
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
  private var buffered = 0
  private var pages: UnsafeMutableRawPointer?
  private var name: String { path ?? TemporaryFolder.root }
  /// The number of bytes.
  private(set) var count = 0

  /// Creates an empty unnamed file under `TMPDIR`.
  init() throws {
    path = nil
    descriptor = try FileBytes.unnamed(in: TemporaryFolder.root)
  }

  /// Creates an empty file at a path that does not exist yet.
  init(at path: String) throws {
    self.path = path
    descriptor = try FileBytes.create(path)
  }

  deinit {
    if let pages { munmap(pages, count) }
    buffer.deallocate()
    close(descriptor)
  }

  /// Appends bytes.
  func write(_ bytes: Span<UInt8>) throws {
    if buffered + bytes.count > buffer.count { try flush() }
    if bytes.count >= buffer.count {
      try FileBytes.write(bytes.bytes, to: descriptor, name: name)
    } else {
      bytes.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: buffer[buffered...]).copyMemory(from: $0) }
      buffered += bytes.count
    }
    count += bytes.count
  }

  /// Maps the file. No bytes may be appended afterwards.
  func map() throws {
    try flush()
    guard count > 0 else { return }
    guard let mapped = mmap(nil, count, PROT_READ, MAP_SHARED, descriptor, 0), mapped != MAP_FAILED else {
      throw RunFailure(.failed, "map a temporary file: \(SystemError.last)")
    }
    pages = mapped
  }

  /// Returns a range of the bytes.
  func bytes(_ start: Int, _ size: Int) -> UnsafeRawBufferPointer {
    guard let pages, size > 0, start + size <= count else { return UnsafeRawBufferPointer(start: nil, count: 0) }
    return UnsafeRawBufferPointer(start: pages + start, count: size)
  }

  private func flush() throws {
    try FileBytes.write(buffer.bytes.extracting(first: buffered), to: descriptor, name: name)
    buffered = 0
  }
}
