import Content
import Diagnostics
import Foundation
import Interchange

/// A bag, opened so that every file in it can be read in place, whatever the order in the archive.
///
/// It is unpacked once, one file after the other, into one temporary file that only its owner can read and that has no
/// name. Files that are needed elsewhere are unpacked directly to there. Meanwhile every file is compared with the
/// manifests: a file that is not listed, missing or different stops the run with status 5 before any of its bytes is
/// handed out. A folder is copied in the same way, so that the caller gets what was checked, whatever happens to the
/// folder meanwhile.
public final class BagImage: @unchecked Sendable {
  /// The bag as the user named it.
  public let path: String
  /// The fields of `bag-info.txt`.
  public let info: BagInfo
  /// The files below `data/`, in the order of the archive.
  public let members: [BagMember]
  /// Warnings about the bag.
  public let warnings: [Diagnostic]

  private let numbers: [ByteName: Int]
  private let extents: [Extent]

  /// The place of a file's bytes.
  private struct Extent {
    let spool: Spool
    let start, size: Int

    var bytes: UnsafeRawBufferPointer { spool.bytes(start, size) }
  }

  /// Opens and checks a bag.
  /// - Parameters:
  ///   - places: paths in the bag, and where these files are unpacked to, with mode 0600, instead of into the
  ///     temporary file. `extract` to these places then costs nothing. They are removed if the bag fails its check.
  ///   - onProgress: called from time to time with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if it cannot be read or is refused as hostile, 4 if something exists at one
  ///   of the places, 5 if something does not match.
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

  /// Returns the index of a file in `members`; nil if no file has that name.
  public func index(of path: String) -> Int? { numbers[ByteName(path)] }

  /// Returns the bytes of a file, valid as long as the image.
  public func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    extents[index].bytes.assumingMemoryBound(to: UInt8.self)
  }

  /// Writes a file of the bag with mode 0600. It is not synced.
  /// - Throws: `RunFailure` with status 4 if something of that name exists, 2 if it cannot be written.
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

  /// Turns an error of the bag into the reason for stopping.
  private static func failure(_ error: Diagnostic, _ rules: BagRules) -> RunFailure {
    let others = rules.findings.count { $0.severity == .error } - 1
    let more = others > 0 ? " (and \(others) more)" : ""
    let isNoBag = error.code == .notABag || error.code == .bagVersion
    return RunFailure(
      isNoBag ? .failed : .mismatch, "read '\(error.place)': \(error.message)\(more)",
      advice: "\(error.fix.prefix(1).uppercased())\(error.fix.dropFirst()).")
  }
}
