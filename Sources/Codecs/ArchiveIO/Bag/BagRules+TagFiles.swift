import Diagnostics

extension BagRules {
  /// Reads `bagit.txt`. Returns whether the rest of the bag can be checked.
  mutating func checkDeclaration() -> Bool {
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
  mutating func checkInfo() {
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
  mutating func checkFetch() -> Set<ByteName> {
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
