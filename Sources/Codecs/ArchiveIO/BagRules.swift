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
  /// Whether the version is older than 1.0. If it is, faults that at least one version allows are only warnings.
  var isOld: Bool { version != "1.0" }

  /// The index of each file, keyed by its path.
  let numbers: [ByteName: Int]
  /// The index of each file, keyed by the form that its name shares with similar names. The dictionary is built the
  /// first time that a name is not found.
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
    if !scan.hasPayloadFolder { report(.noPayload, "the bag has no folder 'data'", nil) }
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
  private static func isSystemFile(_ path: String) -> Bool {
    let name = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.utf8.index(after: $0)...]) } ?? path
    return name.hasPrefix("._") || ["thumbs.db", ".ds_store", "desktop.ini", "icon\r"].contains(name.lowercased())
  }
}

extension BagRules {
  /// Checks every file against every manifest.
  private mutating func checkManifests(_ fetched: Set<ByteName>) {
    var payload: [(name: String, listed: Set<Int>)] = []
    for name in scan.tagFiles.keys.sorted() where BagScan.isManifest(name) {
      guard let algorithm = BagScan.algorithm(name) else {
        report(.unknownAlgorithm, "its checksum algorithm is not supported", name)
        continue
      }
      guard let lines = lines(name) else { continue }
      let listed = check(name, algorithm, lines, fetched)
      if name.hasPrefix("manifest-") { payload.append((name, listed)) }
    }
    guard !payload.isEmpty else {
      report(.noManifest, "there is no readable payload manifest", nil)
      return
    }
    for (number, file) in scan.files.enumerated() where file.path.utf8.starts(with: "data/".utf8) {
      let lacking = payload.filter { !$0.listed.contains(number) }.map(\.name)
      // Since version 1.0, every manifest must list every payload file. In older versions, one manifest was enough.
      if lacking.count == payload.count || !isOld && !lacking.isEmpty {
        report(.fileNotListed, "it is not in \(lacking.joined(separator: " and "))", file.path)
      }
    }
  }

  /// Reads a manifest and compares it with the files. Returns the indices of the files that it lists.
  private mutating func check(
    _ name: String, _ algorithm: DigestAlgorithm, _ lines: TagFileLines, _ fetched: Set<ByteName>
  ) -> Set<Int> {
    let isPayload = name.hasPrefix("manifest-")
    var listed: Set<Int> = []
    var seen: [ByteName: [UInt8]] = [:]
    for (number, bytes) in lines {
      // No archive that FleetKit reads can have more files than this.
      guard number <= Self.linesRead else {
        report(.manifestLine, "it has more than \(Self.linesRead) lines", name, line: number)
        break
      }
      if bytes.isEmpty { continue }
      guard let line = ManifestLine(bytes, length: algorithm.length) else {
        report(.manifestLine, "line \(number) is not a checksum and a path", name, line: number)
        continue
      }
      if line.hasStar { report(.checksumToolLine, "line \(number) has '*' before its path", name, line: number) }
      guard let path = path(of: line, name, number, isPayload: isPayload) else { continue }
      if let other = seen.updateValue(line.digest, forKey: ByteName(path)) {
        let isSame = other == line.digest
        report(
          .listedTwice, "\(MemberName.shown(path)) is listed twice\(isSame ? "" : ", with different checksums")", name,
          line: number, severity: isSame && isOld ? .warning : .error)
        if !isSame { continue }
      }
      guard let file = file(path, line, algorithm, name, number, fetched) else { continue }
      listed.insert(file)
      compare(file, line.digest, algorithm, name)
    }
    return listed
  }

  /// Returns the path that a line refers to, or nil if the path is not allowed, which is reported.
  private mutating func path(of line: ManifestLine, _ name: String, _ number: Int, isPayload: Bool) -> String? {
    var path = line.path
    if path.utf8.starts(with: "./".utf8) {
      report(.dottedPath, "the path in line \(number) begins with './'", name, line: number)
      while path.utf8.starts(with: "./".utf8) { path = String(decoding: path.utf8.dropFirst(2), as: UTF8.self) }
    }
    if let problem = ManifestLine.problem(path) {
      report(.pathOutOfScope, "\(MemberName.shown(path)): \(problem)", name, line: number)
      return nil
    }
    let decoded = ManifestLine.decoded(path)
    if decoded.utf8.elementsEqual(path.utf8) { return checked(path, name, number, isPayload: isPayload) }
    // Many tools never decoded paths. If a file has exactly the written name, the line refers to that file.
    if isOld ? numbers[ByteName(path)] != nil : numbers[ByteName(decoded)] == nil && numbers[ByteName(path)] != nil {
      if !isOld { report(.loosely, "the percent sign in line \(number) is not encoded", name, line: number) }
      return checked(path, name, number, isPayload: isPayload)
    }
    return checked(decoded, name, number, isPayload: isPayload)
  }

  private mutating func checked(_ path: String, _ name: String, _ number: Int, isPayload: Bool) -> String? {
    let isInPayload = path.utf8.starts(with: "data/".utf8)
    if isPayload, !isInPayload {
      report(.pathOutOfScope, "\(MemberName.shown(path)) is not a payload file", name, line: number)
      return nil
    }
    if !isPayload, isInPayload || path.utf8.starts(with: "tagmanifest-".utf8) {
      report(.loosely, "\(MemberName.shown(path)) does not belong in a tag manifest", name, line: number)
    }
    return path
  }

  /// Returns the index of the file that a path refers to, or nil if the file is missing, which is reported.
  private mutating func file(
    _ path: String, _ line: ManifestLine, _ algorithm: DigestAlgorithm, _ name: String, _ number: Int,
    _ fetched: Set<ByteName>
  ) -> Int? {
    if let file = numbers[ByteName(path)] { return file }
    if let file = similar[MemberName.key(path)] {
      // A disk that does not distinguish such names keeps only one file, which must match both lines.
      if scan.files[file].digests.matches(line.digest, algorithm) ?? true {
        report(
          .namesCollide,
          "\(MemberName.shown(path)) exists as \(MemberName.shown(scan.files[file].path))", name, line: number)
        return file
      }
    }
    if Self.isSystemFile(path) {
      missingSystemFiles += 1
      report(.systemFile, "\(MemberName.shown(path)) is missing; an operating system created it", name, line: number)
    } else if fetched.contains(ByteName(path)) {
      report(.fetchNeeded, "\(MemberName.shown(path)) is missing; fetch.txt has its address", name, line: number)
    } else {
      report(.fileMissing, "\(MemberName.shown(path)) is missing", name, line: number)
    }
    return nil
  }

  /// Compares a checksum if the file was hashed.
  private mutating func compare(_ file: Int, _ digest: [UInt8], _ algorithm: DigestAlgorithm, _ name: String) {
    guard scan.files[file].digests.matches(digest, algorithm) == false,
      let actual = scan.files[file].digests[algorithm]
    else { return }
    report(
      .checksumDiffers,
      "its \(algorithm.rawValue) is \(Digest.hex(actual)); \(name) has \(Digest.hex(digest))", scan.files[file].path)
  }
}

extension BagRules {
  /// Reads `bagit.txt`. Returns whether the rest of the bag can be checked.
  private mutating func checkDeclaration() -> Bool {
    let name = "bagit.txt"
    guard let bytes = scan.tagFiles[name] else {
      report(.notABag, "there is no bagit.txt", nil)
      return false
    }
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
      report(.bagDeclaration, "it begins with a byte order mark", name, line: 1)
      return false
    }
    guard let text = TagFileLines(bytes, encoding: "UTF-8") else {
      report(.bagDeclaration, "it is not UTF-8", name)
      return false
    }
    let lines = text.prefix(3).map { Array($0.bytes) }
    var values: [String] = []
    var isLoose = false
    for (index, label) in ["BagIt-Version", "Tag-File-Character-Encoding"].enumerated() {
      guard index < lines.count, let field = Self.field(lines[index]),
        Self.trimmed(field.label).lowercased() == label.lowercased(), !Self.trimmed(field.value).isEmpty
      else {
        report(.bagDeclaration, "line \(index + 1) is not '\(label): …'", name, line: index + 1)
        return false
      }
      isLoose = isLoose || field.label != label || field.value != " " + Self.trimmed(field.value)
      values.append(Self.trimmed(field.value))
    }
    if lines.count > 2 { isLoose = true }
    version = values[0]
    encoding = values[1]
    let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
      report(.bagDeclaration, "'\(TerminalEscaping.escape(version))' is not a version", name, line: 1)
      return false
    }
    guard ["0.93", "0.94", "0.95", "0.96", "0.97", "1.0"].contains(version) else {
      report(.bagVersion, "version \(version) is not supported", name, line: 1)
      return false
    }
    guard TagFileLines.knows(encoding) else {
      report(.tagEncoding, "the encoding '\(TerminalEscaping.escape(encoding))' is not supported", name, line: 2)
      return false
    }
    if isLoose {
      let what = "it is not exactly 'BagIt-Version: …' and 'Tag-File-Character-Encoding: …'"
      report(isOld ? .loosely : .bagDeclaration, what, name, line: 1)
    }
    return true
  }

  /// Reads `bag-info.txt`, which is named `package-info.txt` in versions before 0.95.
  private mutating func checkInfo() {
    let name = scan.tagFiles["bag-info.txt"] == nil ? "package-info.txt" : "bag-info.txt"
    guard let text = lines(name) else { return }
    for (number, bytes) in text {
      guard number <= Self.linesRead else { return report(.bagInfoLine, "it has too many lines", name) }
      let line = Array(bytes)
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      if let first = line.first, first == 0x20 || first == 0x09, let last = info.fields.indices.last {
        // In a continued value, the line end and the indentation become one space.
        info.fields[last].value += " " + Self.trimmed(String(decoding: line, as: UTF8.self))
        continue
      }
      guard let field = Self.field(line), !Self.trimmed(field.label).isEmpty else {
        report(.bagInfoLine, "line \(number) is not 'Label: value'", name, line: number)
        continue
      }
      if Self.trimmed(field.label) != field.label {
        report(.loosely, "the label in line \(number) has white space around it", name, line: number)
      }
      info.fields.append((Self.trimmed(field.label), Self.trimmed(field.value)))
    }
  }

  /// Reads `fetch.txt`. Returns the paths of the files that it lists.
  private mutating func checkFetch() -> Set<ByteName> {
    var paths: Set<ByteName> = []
    guard let text = lines("fetch.txt") else { return [] }
    for (number, line) in text where !line.isEmpty {
      guard number <= Self.linesRead else {
        report(.fetchLine, "it has too many lines", "fetch.txt")
        break
      }
      let parts = line.split(maxSplits: 2, whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      guard parts.count == 3, parts[1].elementsEqual("-".utf8) || parts[1].allSatisfy({ (0x30...0x39).contains($0) })
      else {
        report(.fetchLine, "line \(number) is not an address, a length and a path", "fetch.txt", line: number)
        continue
      }
      let text = Self.trimmed(String(decoding: parts[2], as: UTF8.self))
      let path = isOld ? text : ManifestLine.decoded(text)
      if let problem = ManifestLine.problem(path) {
        report(.pathOutOfScope, "\(MemberName.shown(path)): \(problem)", "fetch.txt", line: number)
      } else if !path.utf8.starts(with: "data/".utf8) {
        report(.fetchLine, "\(MemberName.shown(path)) is not a payload file", "fetch.txt", line: number)
      } else {
        paths.insert(ByteName(path))
      }
    }
    return paths
  }

  /// Returns the text before and after the first colon.
  static func field(_ line: [UInt8]) -> (label: String, value: String)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (
      String(decoding: line[..<colon], as: UTF8.self), String(decoding: line[(colon + 1)...], as: UTF8.self)
    )
  }

  /// Returns the text trimmed of spaces and tabs.
  static func trimmed(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
      let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
