import Content
import Diagnostics
import Interchange

/// Holds a bag of any kind, of version 0.93 to 1.0, against its manifests.
///
/// A single folder around the bag, which many tools make, is taken away. Nothing is ever fetched.
/// - Source: RFC 8493
public struct BagCheck: Sendable {
  /// How much is looked at.
  public enum Level: String, Sendable, CaseIterable {
    /// Names, tag files, listings and sizes; no payload file is hashed.
    case structure
    /// Every checksum of every file.
    case content
  }

  /// What was found.
  public struct Report: Sendable {
    /// How many payload files there are.
    public var files = 0
    /// How many bytes they have.
    public var bytes = 0
    /// The version that `bagit.txt` says.
    public var version = ""
    /// What `bag-info.txt` says.
    public var info = BagInfo()
    /// SHA-256 of every payload file by its path, in lower-case hexadecimal digits; empty when no file was hashed.
    public var checksums: [String: String] = [:]
    /// What is wrong (errors) or remarkable (warnings), with the entry as the place's member.
    public var findings: [Diagnostic] = []
    /// Whether nothing is wrong.
    public var isValid: Bool { !findings.contains { $0.severity == .error } }
  }

  /// The bag.
  public let path: String
  /// How much is looked at.
  public let level: Level

  /// Plans a check.
  public init(_ path: String, level: Level) {
    self.path = path
    self.level = level
  }

  /// Checks the bag.
  /// - Parameter onProgress: called now and then with bytes read and bytes in all.
  /// - Throws: `RunFailure`: 2 when it cannot be read at all or is refused as hostile, 5 when the archive around it is
  ///   damaged.
  public func run(limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil) throws -> Report {
    var scan = try BagScan(
      path, limits: limits, always: level == .content ? [.sha256] : [], hashesPayload: level == .content,
      onProgress: onProgress)
    if level == .content, scan.lacksDigests {
      // A manifest stood behind files that had been hashed for another one.
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
