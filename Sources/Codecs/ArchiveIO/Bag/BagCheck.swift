import Diagnostics
import Interchange

/// Holds a bag of any kind, of version 0.97 or 1.0, against its manifests.
///
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
    /// What is wrong (errors) or remarkable (warnings), in the order of the archive, with the entry as the place.
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
  /// - Throws: `RunFailure` with status 2 when it cannot be read at all.
  public func run(limits: ArchiveLimits = .standard, onProgress: ((Int, Int?) -> Void)? = nil) throws -> Report {
    throw RunFailure(.internalError, "bags cannot be checked yet")
  }
}
