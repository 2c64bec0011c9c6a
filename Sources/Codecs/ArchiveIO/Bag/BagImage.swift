import Content
import Diagnostics
import Foundation
import Interchange

/// A bag, opened so that every file in it can be read where it lies, whatever the order in the archive.
///
/// It is unpacked once, file by file behind each other, into one temporary file that only its owner can read and that
/// has no name; files that are wanted somewhere go there at once. While that happens every file is held against the manifests: what is not listed, missing or different
/// stops with status 5 before anybody sees a byte of it. A folder is copied in the same way: what was checked is what
/// is handed out, whatever happens to the folder meanwhile.
public final class BagImage: @unchecked Sendable {
  /// The bag as the user named it.
  public let path: String
  /// What `bag-info.txt` says.
  public let info: BagInfo
  /// The files below `data/`, in the order of the archive.
  public let members: [BagMember]
  /// What is remarkable about the bag, and no error.
  public let warnings: [Diagnostic]

  private let numbers: [ByteName: Int]
  private let extents: [Extent]

  /// Where the bytes of a file are.
  private struct Extent {
    let spool: Spool
    let start, size: Int

    var bytes: UnsafeRawBufferPointer { spool.bytes(start, size) }
  }

  /// Opens and checks a bag.
  /// - Parameters:
  ///   - places: paths in the bag, and where these files are unpacked to, with mode 0600, instead of into the temporary
  ///     file. `extract` to there then costs nothing. They are removed when the bag is not what it should be.
  ///   - onProgress: called now and then with bytes read and bytes in all.
  /// - Throws: `RunFailure`: 2 when it cannot be read or is refused as hostile, 4 when something is at one of the
  ///   places, 5 when something does not match.
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

  /// The number of a file among `members`; nil when there is none of that name.
  public func index(of path: String) -> Int? { numbers[ByteName(path)] }

  /// The bytes of a file, valid while the image is.
  public func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    extents[index].bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// Writes a file of the bag, with mode 0600. It is not synced.
  /// - Throws: `RunFailure` with status 4 when something of that name is there, 2 when it cannot be written.
  public func extract(_ index: Int, to path: String) throws {
    if extents[index].spool.path == path { return }
    let descriptor = try FileBytes.create(path)
    defer { close(descriptor) }
    do {
      try FileBytes.write(extents[index].bytes, to: descriptor, name: path)
    } catch {
      unlink(path)
      throw error
    }
  }

  /// What is wrong with a bag, as the reason for stopping.
  private static func failure(_ error: Diagnostic, _ rules: BagRules) -> RunFailure {
    let others = rules.findings.count { $0.severity == .error } - 1
    let more = others > 0 ? " (and \(others) more)" : ""
    let isNoBag = error.code == .notABag || error.code == .bagVersion
    return RunFailure(
      isNoBag ? .failed : .mismatch, "read '\(error.place)': \(error.message)\(more)",
      advice: "\(error.fix.prefix(1).uppercased())\(error.fix.dropFirst()).")
  }
}
