import Content
import Diagnostics

extension BagRules {
  /// Holds every file against every manifest.
  mutating func checkManifests(_ fetched: Set<ByteName>) {
    var payload: [(name: String, listed: Set<Int>)] = []
    for name in scan.tagFiles.keys.sorted() where BagScan.isManifest(name) {
      guard let algorithm = BagScan.algorithm(name) else {
        report(.unknownAlgorithm, "its checksums are of a kind that is not known", name)
        continue
      }
      guard let lines = lines(name) else { continue }
      let listed = check(name, algorithm, lines, fetched)
      if name.hasPrefix("manifest-") { payload.append((name, listed)) }
    }
    guard !payload.isEmpty else {
      report(.noManifest, "there is no payload manifest that can be read", nil)
      return
    }
    for (number, file) in scan.files.enumerated() where file.path.utf8.starts(with: "data/".utf8) {
      let lacking = payload.filter { !$0.listed.contains(number) }.map(\.name)
      // Since 1.0 every manifest lists every payload file; before, one of them was enough.
      if lacking.count == payload.count || !isOld && !lacking.isEmpty {
        report(.fileNotListed, "it is not in \(lacking.joined(separator: " and "))", file.path)
      }
    }
  }

  /// Reads a manifest and compares; the numbers of the files that it lists.
  private mutating func check(
    _ name: String, _ algorithm: DigestAlgorithm, _ lines: [[UInt8]], _ fetched: Set<ByteName>
  ) -> Set<Int> {
    let isPayload = name.hasPrefix("manifest-")
    var listed: Set<Int> = []
    var seen: [ByteName: [UInt8]] = [:]
    for (index, bytes) in lines.enumerated() where !bytes.isEmpty {
      let number = index + 1
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

  /// The path that a line means; nil when it leads where it must not, which is reported.
  private mutating func path(of line: ManifestLine, _ name: String, _ number: Int, isPayload: Bool) -> String? {
    var path = line.path
    if path.utf8.starts(with: "./".utf8) {
      report(.dottedPath, "the path of line \(number) begins with './'", name, line: number)
      while path.utf8.starts(with: "./".utf8) { path = String(decoding: path.utf8.dropFirst(2), as: UTF8.self) }
    }
    if let problem = ManifestLine.problem(path) {
      report(.pathOutOfScope, "\(MemberName.shown(path)): \(problem)", name, line: number)
      return nil
    }
    let decoded = ManifestLine.decoded(path)
    if decoded.utf8.elementsEqual(path.utf8) { return checked(path, name, number, isPayload: isPayload) }
    // Many tools never decoded; where a file has exactly the name that is written, that one is meant.
    if isOld ? numbers[ByteName(path)] != nil : numbers[ByteName(decoded)] == nil && numbers[ByteName(path)] != nil {
      if !isOld { report(.loosely, "the percent sign of line \(number) is not encoded", name, line: number) }
      return checked(path, name, number, isPayload: isPayload)
    }
    return checked(decoded, name, number, isPayload: isPayload)
  }

  private mutating func checked(_ path: String, _ name: String, _ number: Int, isPayload: Bool) -> String? {
    let isInPayload = path.utf8.starts(with: "data/".utf8)
    if isPayload, !isInPayload {
      report(.pathOutOfScope, "\(MemberName.shown(path)) is no file of the payload", name, line: number)
      return nil
    }
    if !isPayload, isInPayload || path.utf8.starts(with: "tagmanifest-".utf8) {
      report(.loosely, "\(MemberName.shown(path)) does not belong into a tag manifest", name, line: number)
    }
    return path
  }

  /// The number of the file that is meant; nil when it is not there, which is reported.
  private mutating func file(
    _ path: String, _ line: ManifestLine, _ algorithm: DigestAlgorithm, _ name: String, _ number: Int,
    _ fetched: Set<ByteName>
  ) -> Int? {
    if let file = numbers[ByteName(path)] { return file }
    if let file = similar[MemberName.key(path)] {
      // Disks that do not tell such names apart keep one file; it must be what both lines say.
      let digest = scan.files[file].digests[algorithm]
      if digest == nil || digest == line.digest {
        report(
          .namesCollide,
          "\(MemberName.shown(path)) is there as \(MemberName.shown(scan.files[file].path))", name, line: number)
        return file
      }
    }
    if Self.isSystemFile(path) {
      missingSystemFiles += 1
      report(.systemFile, "\(MemberName.shown(path)), which a system left, is not there", name, line: number)
    } else if fetched.contains(ByteName(path)) {
      report(.fetchNeeded, "\(MemberName.shown(path)) is not there; fetch.txt says where it is", name, line: number)
    } else {
      report(.fileMissing, "\(MemberName.shown(path)) is not there", name, line: number)
    }
    return nil
  }

  /// Compares a checksum, where the file was hashed.
  private mutating func compare(_ file: Int, _ digest: [UInt8], _ algorithm: DigestAlgorithm, _ name: String) {
    guard let actual = scan.files[file].digests[algorithm], actual != digest else { return }
    report(
      .checksumDiffers,
      "its \(algorithm.rawValue) is \(Digest.hex(actual)); \(name) says \(Digest.hex(digest))", scan.files[file].path)
  }
}
