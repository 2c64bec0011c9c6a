import Diagnostics
import JSONText

/// The findings that a project has decided to live with: a run reports only what is not among them.
///
/// A finding is known by its fingerprint, which neither lines nor indices of arrays change, and by how often it occurs:
/// one more of the same is new. `Recorder` makes the file.
public struct Baseline: Sendable {
  /// What the file's `format` says.
  static let format = "fleetkit.baseline"
  /// The version that this FleetKit writes, and the newest that it reads.
  static let version = 1

  private let paths: ReportPath
  private var counts: [String: Int] = [:]

  /// Reads a baseline.
  /// - Parameter folder: the folder that file names are relative to, an absolute path; the one it was recorded with.
  /// - Throws: why it cannot be used.
  public init(reading bytes: [UInt8], folder: String) throws(BaselineError) {
    paths = ReportPath(relativeTo: folder)
    let document: JSONDocument
    do { document = try JSONDocument(parsing: bytes) } catch {
      throw .notJSON("\(error.message) (byte \(error.offset))")
    }
    let root = document.root
    guard root.kind == .object, root["format"]?.string == Self.format else { throw .notABaseline }
    guard root.duplicateName == nil else { throw .malformed("a member occurs twice") }
    guard let version = root["version"]?.integer else { throw .malformed("it has no version") }
    guard version == Int64(Self.version) else { throw .otherVersion(version) }
    guard let findings = root["findings"], findings.kind == .array else { throw .malformed("it has no findings") }
    for (index, entry) in findings.elements.enumerated() {
      guard entry.kind == .object, let fingerprint = entry["fingerprint"]?.string else {
        throw .malformed("finding \(index + 1) has no fingerprint")
      }
      let count = entry["count"].map { $0.integer ?? 0 } ?? 1
      guard count > 0, count <= Int64(Int32.max) else {
        throw .malformed("the count of finding \(index + 1) is no positive number")
      }
      // Two merged branches may both have added an entry.
      counts[fingerprint, default: 0] &+= Int(count)
    }
  }

  /// The fingerprint of a finding: the same in every run, wherever its line or element has moved to.
  public func fingerprint(of finding: Diagnostic) -> String {
    Fingerprint.of(finding, file: paths.name(finding.place.file))
  }

  /// Whether the baseline knows the finding. Each answer of yes uses up one of its count.
  public mutating func suppresses(_ finding: Diagnostic) -> Bool {
    let fingerprint = fingerprint(of: finding)
    guard let left = counts[fingerprint], left > 0 else { return false }
    counts[fingerprint] = left - 1
    return true
  }

  /// How many findings it knows that did not occur: the baseline can be recorded anew without them.
  public var unused: Int { counts.values.reduce(0, &+) }
}
