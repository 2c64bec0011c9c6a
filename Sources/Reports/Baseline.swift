import Diagnostics
import JSONText

/// The findings that a project has accepted. A run reports only other findings.
///
/// A finding is identified by its fingerprint and the number of its occurrences, so an additional occurrence is new. A
/// fingerprint does not change if lines and elements move or a message is reworded. Entries of version 1, whose
/// fingerprints depended on the wording of messages, are matched by file and code. `Recorder` makes the file.
public struct Baseline: Sendable {
  /// The value of the file's `format` member.
  static let format = "fleetkit.baseline"
  /// The version that this FleetKit writes, and the newest version that it reads.
  static let version = 2

  /// The findings that an entry matches.
  enum Key: Hashable {
    case fingerprint(String)
    /// Any finding of a given code in a file.
    case code(String, file: String)

    /// The fingerprint; nil if any finding of the code matches.
    var fingerprint: String? {
      if case .fingerprint(let fingerprint) = self { return fingerprint }
      return nil
    }
  }

  /// An entry of the file.
  struct Entry: Sendable {
    var count: Int
    let code: String
    let file: String
    var example: String
  }

  private let paths: ReportPath
  /// The entries that have not occurred yet.
  private(set) var entries: [Key: Entry] = [:]
  /// All entries of the file.
  private(set) var all: [Key: Entry] = [:]

  /// Reads a baseline.
  /// - Parameter folder: the folder that the file names in the baseline are relative to, as an absolute path. It must
  ///   be the folder with which the baseline was recorded.
  /// - Parameter origin: the folder that the file names of findings are relative to; nil for the same folder.
  /// - Throws: `BaselineError` with the reason if the file cannot be used.
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
    guard version == 1 || version == Int64(Self.version) else { throw .otherVersion(version) }
    guard let findings = root["findings"], findings.kind == .array else { throw .malformed("it has no findings") }
    for (index, entry) in findings.elements.enumerated() {
      let fingerprint = version == 1 ? nil : entry["fingerprint"]?.string
      let (code, file) = (entry["code"]?.string ?? "", entry["file"]?.string ?? "")
      guard entry.kind == .object, fingerprint != nil || !code.isEmpty else {
        throw .malformed("finding \(index + 1) has neither a fingerprint nor a code")
      }
      let count = entry["count"].map { $0.integer ?? 0 } ?? 1
      guard count > 0, count <= Int64(Int32.max) else {
        throw .malformed("the count of finding \(index + 1) is not a positive number")
      }
      // Two merged branches may both have added the entry.
      entries[
        fingerprint.map { .fingerprint($0) } ?? .code(code, file: file),
        default: Entry(count: 0, code: code, file: file, example: entry["example"]?.string ?? "")
      ].count &+= Int(count)
    }
    all = entries
  }

  /// Whether the file looks like a baseline, so that a new baseline may overwrite it.
  public static func isBaseline(_ bytes: [UInt8]) -> Bool {
    (try? JSONDocument(parsing: bytes))?.root["format"]?.string == format
  }

  /// Returns a finding's fingerprint. It is the same in every run, even if the line or element has moved.
  public func fingerprint(of finding: Diagnostic) -> String {
    Fingerprint.of(finding, file: paths.name(finding.place.file))
  }

  /// Whether the finding is in the baseline. Each match decrements the entry's count.
  public mutating func suppresses(_ finding: Diagnostic) -> Bool {
    let file = paths.name(finding.place.file)
    for key in [Key.fingerprint(Fingerprint.of(finding, file: file)), .code(finding.code.id, file: file)] {
      guard let left = entries[key]?.count, left > 0 else { continue }
      entries[key]?.count = left - 1
      return true
    }
    return false
  }

  /// Returns the number of findings in some files that did not occur and can be removed from the baseline.
  /// - Parameter files: the files that were checked, by their names in findings.
  public func unused(in files: [String]) -> Int {
    let checked = Set(files.map(paths.name))
    return entries.values.reduce(0) { $0 &+ (checked.contains($1.file) ? $1.count : 0) }
  }

  // MARK: .

  /// Collects a run's findings and makes a baseline from them.
  ///
  /// The same findings give the same bytes, regardless of their order. Each finding is on its own line, so that a version
  /// control system shows additions. Memory grows with the number of different findings.
  public struct Recorder: Sendable {
    private let paths: ReportPath
    private var entries: [Key: Entry] = [:]

    /// Starts an empty baseline.
    /// - Parameter folder: the folder that file names are relative to, as an absolute path.
    /// - Parameter origin: the folder that the file names of findings are relative to; nil for the same folder.
    public init(folder: String, origin: String? = nil) { paths = ReportPath(relativeTo: folder, from: origin) }

    /// Copies an older baseline's entries for files that were not checked this time.
    public mutating func keep(_ baseline: Baseline, exceptOf files: [String]) {
      let checked = Set(files.map(paths.name))
      for (key, entry) in baseline.all where !checked.contains(entry.file) {
        if entries[key] == nil { entries[key] = entry }
      }
    }

    /// Adds a finding.
    public mutating func add(_ finding: Diagnostic) {
      let file = paths.name(finding.place.file)
      let key = Key.fingerprint(Fingerprint.of(finding, file: file))
      let example = ReportEscaping.line(finding.message, limit: ReportEscaping.word)
      var entry = entries[key] ?? Entry(count: 0, code: finding.code.id, file: file, example: example)
      entry.count += 1
      // Messages in one entry may contain different counts. The minimum makes the example independent of the messages'
      // order.
      entry.example = min(entry.example, example)
      entries[key] = entry
    }

    /// The content of the file.
    public var bytes: [UInt8] {
      let sorted = entries.sorted { left, right in
        (left.value.file, left.value.code, left.key.fingerprint ?? "")
          < (right.value.file, right.value.code, right.key.fingerprint ?? "")
      }
      var lines: [String] = []
      for (key, entry) in sorted {
        var json = JSONBuilder()
        json.object { json in
          if let fingerprint = key.fingerprint { json.string("fingerprint", fingerprint) }
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

/// The reason why a file cannot be used as a baseline.
public enum BaselineError: Error, Equatable, CustomStringConvertible {
  /// The text is not JSON. Contains the parser's reason.
  case notJSON(String)
  /// The text is JSON, but not a baseline.
  case notABaseline
  /// The file has an unsupported version.
  case otherVersion(Int64)
  /// The content is invalid. Contains the reason.
  case malformed(String)

  /// The reason, for a message.
  public var description: String {
    switch self {
    case .notJSON(let reason): "the baseline is not JSON: \(reason)"
    case .notABaseline: "the file is not a baseline: the member \"format\" is not \"\(Baseline.format)\""
    case .otherVersion(let version):
      "the baseline has version \(version); this FleetKit reads versions 1 to \(Baseline.version)"
    case .malformed(let reason): "the baseline is damaged: \(reason)"
    }
  }
}

/// Identifies a finding by properties that do not change when lines and elements move or messages are reworded.
///
/// The fingerprint is a hash of 128 bits (FNV-1a), written as 32 digits. The hashed values are the code, the file's
/// name, the record, the row, the pointer with `*` for every index, and the message's quotations. Lines, columns and
/// the message's other words are not hashed. A collision would only hide a finding in the author's own baseline, so a
/// cryptographic hash is not needed.
package struct Fingerprint {
  private var hash: UInt128 = 0x6C62_272E_07BB_0142_62B8_2175_6295_C58D

  /// Makes an empty fingerprint.
  package init() {}

  /// Returns a finding's fingerprint. `file` is the name of the finding's file in reports.
  package static func of(_ finding: Diagnostic, file: String) -> String {
    var print = Fingerprint()
    print.add(finding.code.id)
    print.add(file)
    print.add(finding.place.member)
    print.add(finding.record)
    print.add(finding.place.row?.table)
    print.add(finding.place.row?.id)
    print.add(finding.place.row?.column)
    print.add(withoutIndices(finding.place.pointer))
    for quotation in quotations(finding.message) { print.add(quotation) }
    return print.digits
  }

  /// The hash so far, as 32 digits.
  package var digits: String {
    let digits = String(hash, radix: 16)
    return String(repeating: "0", count: 32 - digits.count) + digits
  }

  /// Adds a value. Its length comes first, so that different lists of values never give the same bytes.
  mutating func add(_ part: String?) {
    guard let part else { return add(bytes: "-".utf8) }
    add(bytes: "\(part.utf8.count):".utf8)
    add(bytes: part.utf8)
  }

  /// Adds bytes.
  package mutating func add(bytes: some Sequence<UInt8>) {
    // The prime of 128-bit FNV, 2^88 + 0x13B.
    for byte in bytes { hash = (hash ^ UInt128(byte)) &* 0x0000_0000_0100_0000_0000_0000_0000_013B }
  }

  /// Returns the strings that a message quotes in “ ”, " ", ` ` or ' ', in order. These are the values from the
  /// content.
  private static func quotations(_ message: String) -> [String] {
    var found: [String] = []
    var current = ""
    var end: Unicode.Scalar?
    var previous: Unicode.Scalar = " "
    for scalar in message.unicodeScalars {
      if let close = end {
        if scalar == close {
          found.append(current)
          (current, end) = ("", nil)
        } else {
          current.unicodeScalars.append(scalar)
        }
      } else {
        switch scalar {
        case "“": end = "”"
        case "\"", "`": end = scalar
        // Inside a word, the character is an apostrophe.
        case "'" where !previous.properties.isAlphabetic && previous.properties.numericType == nil: end = scalar
        default: break
        }
      }
      previous = scalar
    }
    return found
  }

  /// Returns a pointer without its indices: `/*/items/*/title` for `/0/items/3/title`.
  package static func withoutIndices(_ pointer: String) -> String {
    pointer.split(separator: "/", omittingEmptySubsequences: false).map { step in
      !step.isEmpty && step.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? "*" : step
    }.joined(separator: "/")
  }
}
