import Content
import Diagnostics
import Interchange

/// Checks a bag of any archive kind and of any version from 0.93 to 1.0 against its manifests.
///
/// A single folder around the bag, which many tools create, is ignored. The check never fetches files.
/// - Source: RFC 8493
public struct BagCheck: Sendable {
  /// The extent of the check.
  public enum Level: String, Sendable, CaseIterable {
    /// Checks names, tag files, file lists and sizes, without hashing payload files.
    case structure
    /// Also checks every checksum of every file.
    case content
  }

  /// The result of a check.
  public struct Report: Sendable {
    /// The number of payload files.
    public var files = 0
    /// The total size of the payload files in bytes.
    public var bytes = 0
    /// The version in `bagit.txt`.
    public var version = ""
    /// The fields of `bag-info.txt`.
    public var info = BagInfo()
    /// The SHA-256 digest of every payload file in lower-case hexadecimal digits, keyed by path; empty if no file was
    /// hashed.
    public var checksums: [String: String] = [:]
    /// Errors and warnings. The `member` of a finding's place is the entry.
    public var findings: [Diagnostic] = []
    /// Whether the bag has no errors.
    public var isValid: Bool { !findings.contains { $0.severity == .error } }
  }

  /// The path of the bag.
  public let path: String
  /// The extent of the check.
  public let level: Level

  /// Prepares a check.
  public init(_ path: String, level: Level) {
    self.path = path
    self.level = level
  }

  /// Checks the bag.
  /// - Parameter onProgress: called from time to time with the bytes read and the total.
  /// - Throws: `RunFailure` with status 2 if the bag cannot be read or is rejected as hostile, 5 if its archive is
  ///   damaged.
  public func run(limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil) throws -> Report {
    var scan = try BagScan(
      path, limits: limits, always: level == .content ? [.sha256] : [], hashesPayload: level == .content,
      onProgress: onProgress)
    if level == .content, scan.lacksDigests {
      // A manifest with another algorithm came after files that had already been hashed.
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

/// The fields of `bag-info.txt`: labels and values in the order of the file. Labels may repeat.
public struct BagInfo: Sendable, Hashable {
  /// The labels and values.
  public var fields: [(label: String, value: String)]

  /// Creates the fields of a bag.
  public init(_ fields: [(label: String, value: String)] = []) { self.fields = fields }

  /// The first value of a label, ignoring case.
  public subscript(label: String) -> String? {
    fields.first { $0.label.lowercased() == label.lowercased() }?.value
  }

  /// Returns whether both have the same fields in the same order.
  public static func == (left: Self, right: Self) -> Bool {
    left.fields.elementsEqual(right.fields) { $0.label == $1.label && $0.value == $1.value }
  }

  /// Hashes the labels and values.
  public func hash(into hasher: inout Hasher) {
    for field in fields {
      hasher.combine(field.label)
      hasher.combine(field.value)
    }
  }
}

extension BagInfo {
  /// The text of `bag-info.txt`. Line ends in values become spaces, and long values are not wrapped.
  var text: String {
    var text = ""
    for field in fields {
      let value = field.value.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }
      text += "\(field.label): \(value.joined())\n"
    }
    return text
  }
}
