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

  /// What the file says of one fingerprint.
  struct Entry: Sendable {
    var count: Int
    let code: String
    let file: String
    let example: String
  }

  private let paths: ReportPath
  /// What has not occurred yet.
  private(set) var entries: [String: Entry] = [:]
  /// Everything that the file says.
  private(set) var all: [String: Entry] = [:]

  /// Reads a baseline.
  /// - Parameter folder: the folder that file names in it are relative to, an absolute path; the one it was recorded
  ///   with.
  /// - Parameter origin: the folder that file names of findings count from; nil for the same one.
  /// - Throws: why it cannot be used.
  public init(reading bytes: [UInt8], folder: String, origin: String? = nil) throws(BaselineError) {
    paths = ReportPath(relativeTo: folder, from: origin)
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
      entries[
        fingerprint,
        default: Entry(
          count: 0, code: entry["code"]?.string ?? "", file: entry["file"]?.string ?? "",
          example: entry["example"]?.string ?? "")
      ].count &+= Int(count)
    }
    all = entries
  }

  /// Whether bytes look like a baseline, so that one may be written over them.
  public static func isBaseline(_ bytes: [UInt8]) -> Bool {
    (try? JSONDocument(parsing: bytes))?.root["format"]?.string == format
  }

  /// The fingerprint of a finding: the same in every run, wherever its line or element has moved to.
  public func fingerprint(of finding: Diagnostic) -> String {
    Fingerprint.of(finding, file: paths.name(finding.place.file))
  }

  /// Whether the baseline knows the finding. Each answer of yes uses up one of its count.
  public mutating func suppresses(_ finding: Diagnostic) -> Bool {
    let fingerprint = fingerprint(of: finding)
    guard let left = entries[fingerprint]?.count, left > 0 else { return false }
    entries[fingerprint]?.count = left - 1
    return true
  }

  /// How many findings of some files it knows that did not occur: it can be recorded anew without them.
  /// - Parameter files: the files that were checked, as findings name them.
  public func unused(in files: [String]) -> Int {
    let checked = Set(files.map(paths.name))
    return entries.values.reduce(0) { $0 &+ (checked.contains($1.file) ? $1.count : 0) }
  }
}
