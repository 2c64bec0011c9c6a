import Content
import Diagnostics
import Foundation
import Interchange

/// A bag, opened so that every file in it can be read where it lies, whatever the order in the archive.
///
/// It is unpacked once, file by file behind each other, into one temporary file that only its owner can read and that
/// has no name. While that happens every file is held against the manifests: what is not listed, missing or different
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
  private let offsets: [Int]
  private let spool: Spool

  /// Opens and checks a bag.
  /// - Parameter onProgress: called now and then with bytes read and bytes in all.
  /// - Throws: `RunFailure`: 2 when it cannot be read or is refused as hostile, 5 when something does not match.
  public init(
    _ path: String, limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil
  ) throws {
    self.path = path
    let spool = try Spool()
    var starts: [Int: Int] = [:]
    let scan = try BagScan(path, limits: limits, always: [.sha256], onProgress: onProgress) { number, bytes in
      if starts[number] == nil { starts[number] = spool.count }
      try spool.write(bytes)
    }
    try spool.map()
    let hashed = scan.lacksDigests ? scan.hashing { spool.bytes(starts[$0] ?? 0, scan.files[$0].size) } : scan
    let rules = BagRules(path, hashed, comparesPayload: true)
    if let error = rules.findings.first(where: { $0.severity == .error }) { throw Self.failure(error, rules) }
    var members: [BagMember] = []
    var offsets: [Int] = []
    for (number, file) in scan.files.enumerated() where file.path.utf8.starts(with: "data/".utf8) {
      members.append(
        BagMember(path: file.path, size: file.size, sha256: Digest.hex(file.digests[.sha256] ?? [])))
      offsets.append(starts[number] ?? 0)
    }
    self.spool = spool
    self.members = members
    self.offsets = offsets
    info = rules.info
    warnings = rules.findings
    numbers = Dictionary(
      members.indices.map { (ByteName(members[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// The number of a file among `members`; nil when there is none of that name.
  public func index(of path: String) -> Int? { numbers[ByteName(path)] }

  /// The bytes of a file, valid while the image is.
  public func bytes(of index: Int) -> UnsafeBufferPointer<UInt8> {
    spool.bytes(offsets[index], members[index].size).assumingMemoryBound(to: UInt8.self)
  }

  /// Writes a file of the bag to the disk, with mode 0600, on the disk when this returns.
  /// - Throws: `RunFailure` with status 4 when something of that name is there, 2 when it cannot be written.
  public func extract(_ index: Int, to path: String) throws {
    let file = try AtomicFile(path, overwrites: false)
    fchmod(file.descriptor, 0o600)
    try FileBytes.write(UnsafeRawBufferPointer(bytes(of: index)), to: file.descriptor, name: path)
    try file.publish()
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
