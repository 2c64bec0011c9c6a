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
    var example: String
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
    let file = paths.name(finding.place.file)
    // Older versions wrote fingerprints of messages with their counts.
    for fingerprint in [Fingerprint.of(finding, file: file), Fingerprint.withCounts(of: finding, file: file)] {
      guard let left = entries[fingerprint]?.count, left > 0 else { continue }
      entries[fingerprint]?.count = left - 1
      return true
    }
    return false
  }

  /// How many findings of some files it knows that did not occur: it can be recorded again without them.
  /// - Parameter files: the files that were checked, as findings name them.
  public func unused(in files: [String]) -> Int {
    let checked = Set(files.map(paths.name))
    return entries.values.reduce(0) { $0 &+ (checked.contains($1.file) ? $1.count : 0) }
  }

  // MARK: .

  /// Collects the findings of a run and makes a baseline of them.
  ///
  /// The same findings give the same bytes, in whatever order they came. One finding is one line, so that a version
  /// control system shows what was added. Memory grows with the number of different findings.
  public struct Recorder: Sendable {
    private let paths: ReportPath
    private var entries: [String: Entry] = [:]

    /// Starts an empty baseline.
    /// - Parameter folder: the folder that file names are relative to, an absolute path.
    /// - Parameter origin: the folder that file names of findings count from; nil for the same one.
    public init(folder: String, origin: String? = nil) { paths = ReportPath(relativeTo: folder, from: origin) }

    /// Takes over what an older baseline says of files that were not checked this time.
    public mutating func keep(_ baseline: Baseline, exceptOf files: [String]) {
      let checked = Set(files.map(paths.name))
      for (fingerprint, entry) in baseline.all where !checked.contains(entry.file) {
        if entries[fingerprint] == nil { entries[fingerprint] = entry }
      }
    }

    /// Adds a finding.
    public mutating func add(_ finding: Diagnostic) {
      let file = paths.name(finding.place.file)
      let fingerprint = Fingerprint.of(finding, file: file)
      let example = ReportText.line(finding.message, limit: ReportText.word)
      var entry = entries[fingerprint] ?? Entry(count: 0, code: finding.code.id, file: file, example: example)
      entry.count += 1
      // Messages of one entry differ in counts: the example is the same in whatever order they come.
      entry.example = min(entry.example, example)
      entries[fingerprint] = entry
    }

    /// The file, ready to be written.
    public var bytes: [UInt8] {
      let sorted = entries.sorted { left, right in
        (left.value.file, left.value.code, left.key) < (right.value.file, right.value.code, right.key)
      }
      var lines: [String] = []
      for (fingerprint, entry) in sorted {
        var json = JSONBuilder()
        json.object { json in
          json.string("fingerprint", fingerprint)
          json.number("count", entry.count)
          json.string("code", entry.code)
          json.string("file", entry.file)
          json.string("example", entry.example)
        }
        lines.append(json.result)
      }
      let head = "{\"format\":\"\(Baseline.format)\",\"version\":\(Baseline.version),\"findings\":["
      return Array((head + (lines.isEmpty ? "" : "\n" + lines.joined(separator: ",\n") + "\n") + "]}\n").utf8)
    }
  }
}

/// Why a file cannot serve as a baseline.
public enum BaselineError: Error, Equatable, CustomStringConvertible {
  /// The text is not JSON; with the parser's reason.
  case notJSON(String)
  /// It is JSON, but no baseline.
  case notABaseline
  /// Another version of the format.
  case otherVersion(Int64)
  /// Something in it is wrong; with what.
  case malformed(String)

  /// The reason in words.
  public var description: String {
    switch self {
    case .notJSON(let reason): "the baseline is not JSON: \(reason)"
    case .notABaseline: "this is no baseline; its \"format\" would be \"\(Baseline.format)\""
    case .otherVersion(let version):
      "the baseline has version \(version); this FleetKit reads version \(Baseline.version)"
    case .malformed(let reason): "the baseline is damaged: \(reason)"
    }
  }
}
