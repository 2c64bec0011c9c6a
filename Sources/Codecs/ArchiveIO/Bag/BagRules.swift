import Content
import Diagnostics

/// Holds what was found in a bag against what the bag says.
///
/// - Source: RFC 8493; for versions before 1.0, draft-kunze-bagit-05 to -14
struct BagRules {
  /// The bag as the user named it.
  let path: String
  /// What was found.
  let scan: BagScan

  /// How many findings are kept.
  static let findingsKept = 10_000
  /// How many lines of a tag file are read.
  static let linesRead = ArchiveLimits.standard.entries

  private var unlisted = 0
  private var unlistedErrors = 0

  /// What is wrong or remarkable.
  var findings: [Diagnostic] = []
  /// What `bag-info.txt` says.
  var info = BagInfo()
  /// The version that `bagit.txt` says.
  var version = ""
  /// The encoding of tag files.
  var encoding = "UTF-8"
  /// Whether only what is wrong in every version is an error.
  var isOld: Bool { version != "1.0" }

  /// Each file's number by its path.
  let numbers: [ByteName: Int]
  /// A file's number by what its name has in common with others; made when a name is not found.
  lazy var similar: [String: Int] = Dictionary(
    scan.files.indices.map { (MemberName.key(scan.files[$0].path), $0) }, uniquingKeysWith: { first, _ in first })
  /// Listed files that an operating system left and another removed.
  var missingSystemFiles = 0

  /// Checks everything.
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
    // A hostile bag may have millions of faults; all count, and those that are kept fit into memory.
    if findings.count < Self.findingsKept {
      findings.append(finding)
    } else {
      unlisted += 1
      if finding.severity == .error { unlistedErrors += 1 }
    }
  }

  /// The lines of a tag file; nil when there is none or it cannot be read, which is reported.
  mutating func lines(_ name: String) -> TagText? {
    guard let bytes = scan.tagFiles[name] else { return nil }
    guard let text = TagText(bytes, encoding: encoding) else {
      report(.tagEncoding, "it is no text in \(TerminalText.escape(encoding))", name)
      return nil
    }
    if text.hasMark { report(.loosely, "it begins with a byte order mark", name, line: 1) }
    return text
  }

  /// Whether the payload's size and number of files are what `bag-info.txt` says.
  private mutating func checkOxum() {
    let values = info.fields.filter { $0.label.lowercased() == "payload-oxum" }.map(\.value)
    if values.count > 1 { report(.loosely, "Payload-Oxum stands there more than once", "bag-info.txt") }
    let payload = scan.files.filter { $0.path.utf8.starts(with: "data/".utf8) }
    let actual = "\(payload.reduce(0) { $0 + $1.size }).\(payload.count)"
    // Files that a system left may be gone: the bag is as good as it was.
    let severity: Severity = missingSystemFiles > 0 ? .warning : .error
    for value in values where value != actual {
      report(
        .oxumDiffers, "Payload-Oxum is \(TerminalText.escape(value)); the payload's is \(actual)", "bag-info.txt",
        severity: severity)
    }
  }

  /// Files that an operating system leaves in folders.
  private mutating func checkSystemFiles() {
    for file in scan.files where Self.isSystemFile(file.path) {
      report(.systemFile, "an operating system left this file", file.path)
    }
  }

  /// Whether a path is that of a file that an operating system leaves in folders.
  static func isSystemFile(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    return name.hasPrefix("._") || ["thumbs.db", ".ds_store", "desktop.ini", "icon\r"].contains(name.lowercased())
  }
}
