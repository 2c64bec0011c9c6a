import Content
import Diagnostics
import Interchange

/// Checks a bag of any kind, of version 0.93 to 1.0, against its manifests.
///
/// A single folder around the bag, which many tools make, is ignored. Nothing is ever fetched.
/// - Source: RFC 8493
public struct BagCheck: Sendable {
  /// How much is checked.
  public enum Level: String, Sendable, CaseIterable {
    /// Names, tag files, listings and sizes; no payload file is hashed.
    case structure
    /// Every checksum of every file.
    case content
  }

  /// The result of a check.
  public struct Report: Sendable {
    /// The number of payload files.
    public var files = 0
    /// Their size in bytes.
    public var bytes = 0
    /// The version in `bagit.txt`.
    public var version = ""
    /// The fields of `bag-info.txt`.
    public var info = BagInfo()
    /// SHA-256 of every payload file by its path, in lower-case hexadecimal digits; empty if no file was hashed.
    public var checksums: [String: String] = [:]
    /// Errors, and warnings about unusual things; a finding's place has the entry as its member.
    public var findings: [Diagnostic] = []
    /// Whether there is no error.
    public var isValid: Bool { !findings.contains { $0.severity == .error } }
  }

  /// The bag.
  public let path: String
  /// How much is checked.
  public let level: Level

  /// Prepares a check.
  public init(_ path: String, level: Level) {
    self.path = path
    self.level = level
  }

  /// Checks the bag.
  /// - Parameter onProgress: called from time to time with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if it cannot be read at all or is refused as hostile, 5 if the archive
  ///   around it is damaged.
  public func run(limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil) throws -> Report {
    var scan = try BagScan(
      path, limits: limits, always: level == .content ? [.sha256] : [], hashesPayload: level == .content,
      onProgress: onProgress)
    if level == .content, scan.lacksDigests {
      // A manifest came after files that had been hashed for another one.
      scan = try BagScan(
        path, limits: limits, always: scan.needed.union([.sha256]), hashesPayload: true, onProgress: onProgress)
    }
    let rules = BagRules(path, scan)
    var report = Report()
    for file in scan.files where file.path.utf8.starts(with: "data/".utf8) {
      report.files += 1
      report.bytes += file.size
      if let sha256 = file.digests[.sha256] { report.checksums[file.path] = Digest.hex(sha256) }
    }
    report.version = rules.version
    report.info = rules.info
    report.findings = rules.findings
    return report
  }
}
