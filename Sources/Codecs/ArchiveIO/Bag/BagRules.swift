import Content
import Diagnostics

/// Compares the files that were found in a bag with the bag's own metadata.
///
/// - Source: RFC 8493; for versions before 1.0, draft-kunze-bagit-05 to -14
struct BagRules {
  /// The path of the bag as the user specified it.
  let path: String
  /// The files that were found.
  let scan: BagScan

  /// The largest number of findings to keep.
  static let findingsKept = 10_000
  /// The largest number of lines to read from a tag file.
  static let linesRead = ArchiveLimits.standard.entries

  private var unlisted = 0
  private var unlistedErrors = 0

  /// The errors and warnings.
  var findings: [Diagnostic] = []
  /// The fields of `bag-info.txt`.
  var info = BagInfo()
  /// The version in `bagit.txt`.
  var version = ""
  /// The encoding of tag files.
  var encoding = "UTF-8"
  /// Whether the version is older than 1.0. In older versions, faults that some version allows are only warnings.
  var isOld: Bool { version != "1.0" }

  /// The index of each file, keyed by its path.
  let numbers: [ByteName: Int]
  /// The index of each file, keyed by the form that its name shares with similar names. It is built when a name is not
  /// found.
  lazy var similar: [String: Int] = Dictionary(
    scan.files.indices.map { (MemberName.key(scan.files[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
  /// The number of listed files that an operating system had created and that are missing.
  var missingSystemFiles = 0

  /// Checks the whole bag.
  init(_ path: String, _ scan: BagScan) {
    self.path = path
    self.scan = scan
    numbers = Dictionary(
      scan.files.indices.map { (ByteName(scan.files[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
    guard checkDeclaration() else { return }
    checkInfo()
    if !scan.hasPayloadFolder { report(.noPayload, "the bag has no folder data", nil) }
    let fetched = checkFetch()
    checkManifests(fetched)
    checkOxum()
    checkSystemFiles()
    guard unlisted > 0 else { return }
    findings.append(
      Diagnostic(
        .moreFindings, "there are \(unlisted) more findings, \(unlistedErrors) of them errors",
        at: Place(file: path), severity: unlistedErrors > 0 ? .error : .warning))
  }

  /// Adds a finding.
  mutating func report(
    _ code: DiagnosticCode, _ message: String, _ member: String?, line: Int? = nil, severity: Severity? = nil
  ) {
    let folder = path.hasSuffix("/") ? path : path + "/"
    let place = Place(file: member.map { folder + $0 } ?? path, line: line)
    let finding = Diagnostic(code, message, at: place, severity: severity)
    // A hostile bag may have millions of faults. All are counted, but only as many are kept as fit in memory.
    if findings.count < Self.findingsKept {
      findings.append(finding)
    } else {
      unlisted += 1
      if finding.severity == .error { unlistedErrors += 1 }
    }
  }

  /// Returns the lines of a tag file, or nil if it is missing or cannot be read, which is reported.
  mutating func lines(_ name: String) -> TagFileLines? {
    guard let bytes = scan.tagFiles[name] else { return nil }
    guard let text = TagFileLines(bytes, encoding: encoding) else {
      report(.tagEncoding, "it is not text in \(TerminalEscaping.escape(encoding))", name)
      return nil
    }
    if text.hasMark { report(.loosely, "it begins with a byte order mark", name, line: 1) }
    return text
  }

  /// Checks the payload's size and number of files against `bag-info.txt`.
  private mutating func checkOxum() {
    let values = info.fields.filter { $0.label.lowercased() == "payload-oxum" }.map(\.value)
    if values.count > 1 { report(.loosely, "Payload-Oxum occurs more than once", "bag-info.txt") }
    let payload = scan.files.filter { $0.path.utf8.starts(with: "data/".utf8) }
    let actual = "\(payload.reduce(0) { $0 + $1.size }).\(payload.count)"
    // Files that an operating system had created may be missing without any loss to the bag.
    let severity: Severity = missingSystemFiles > 0 ? .warning : .error
    for value in values where value != actual {
      report(
        .oxumDiffers, "Payload-Oxum is \(TerminalEscaping.escape(value)); the payload has \(actual)", "bag-info.txt",
        severity: severity)
    }
  }

  /// Reports files that an operating system leaves in folders.
  private mutating func checkSystemFiles() {
    for file in scan.files where Self.isSystemFile(file.path) {
      report(.systemFile, "an operating system created this file", file.path)
    }
  }

  /// Returns whether a path names a file that an operating system leaves in folders.
  static func isSystemFile(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    return name.hasPrefix("._") || ["thumbs.db", ".ds_store", "desktop.ini", "icon\r"].contains(name.lowercased())
  }
}
