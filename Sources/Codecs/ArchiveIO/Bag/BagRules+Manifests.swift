import Content
import Diagnostics

extension BagRules {
  /// Checks every file against every manifest.
  mutating func checkManifests(_ fetched: Set<ByteName>) {
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
      if line.hasStar { report(.checksumToolLine, "line \(number) has a star before its path", name, line: number) }
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
