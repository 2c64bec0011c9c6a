import Diagnostics

extension BagRules {
  /// Reads `bagit.txt`; whether the rest can be checked.
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
    guard let text = TagText(bytes, encoding: "UTF-8") else {
      report(.bagDeclaration, "it is no UTF-8", name)
      return false
    }
    var values: [String] = []
    var isLoose = false
    for (index, label) in ["BagIt-Version", "Tag-File-Character-Encoding"].enumerated() {
      guard index < text.lines.count, let field = Self.field(text.lines[index]),
        Self.trimmed(field.label).lowercased() == label.lowercased(), !Self.trimmed(field.value).isEmpty
      else {
        report(.bagDeclaration, "line \(index + 1) is not '\(label): …'", name, line: index + 1)
        return false
      }
      isLoose = isLoose || field.label != label || field.value != " " + Self.trimmed(field.value)
      values.append(Self.trimmed(field.value))
    }
    if text.lines.count > 2 { isLoose = true }
    version = values[0]
    encoding = values[1]
    let parts = version.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }) else {
      report(.bagDeclaration, "'\(TerminalText.escape(version))' is no version", name, line: 1)
      return false
    }
    guard ["0.93", "0.94", "0.95", "0.96", "0.97", "1.0"].contains(version) else {
      report(.bagVersion, "version \(version) is not known", name, line: 1)
      return false
    }
    guard TagText.knows(encoding) else {
      report(.tagEncoding, "the encoding '\(TerminalText.escape(encoding))' is not known", name, line: 2)
      return false
    }
    if isLoose {
      let what = "it is not exactly 'BagIt-Version: …' and 'Tag-File-Character-Encoding: …'"
      report(isOld ? .loosely : .bagDeclaration, what, name, line: 1)
    }
    return true
  }

  /// Reads `bag-info.txt`, which versions before 0.95 call `package-info.txt`.
  mutating func checkInfo() {
    let name = scan.tagFiles["bag-info.txt"] == nil ? "package-info.txt" : "bag-info.txt"
    for (index, line) in (lines(name) ?? []).enumerated() {
      if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { continue }
      if let first = line.first, first == 0x20 || first == 0x09, let last = info.fields.indices.last {
        // A value goes on: line ends and what indents become one space.
        info.fields[last].value += " " + Self.trimmed(String(decoding: line, as: UTF8.self))
        continue
      }
      guard let field = Self.field(line), !Self.trimmed(field.label).isEmpty else {
        report(.bagInfoLine, "line \(index + 1) is not 'Label: value'", name, line: index + 1)
        continue
      }
      if Self.trimmed(field.label) != field.label {
        report(.loosely, "the label of line \(index + 1) has white space around it", name, line: index + 1)
      }
      info.fields.append((Self.trimmed(field.label), Self.trimmed(field.value)))
    }
  }

  /// Reads `fetch.txt`; the paths of the files that it says where to get.
  mutating func checkFetch() -> Set<ByteName> {
    var paths: Set<ByteName> = []
    for (index, line) in (lines("fetch.txt") ?? []).enumerated() where !line.isEmpty {
      let parts = line.split(maxSplits: 2, whereSeparator: { $0 == 0x20 || $0 == 0x09 })
      let number = index + 1
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
        report(.fetchLine, "\(MemberName.shown(path)) is no file of the payload", "fetch.txt", line: number)
      } else {
        paths.insert(ByteName(path))
      }
    }
    return paths
  }

  /// What stands before and behind the first colon.
  static func field(_ line: [UInt8]) -> (label: String, value: String)? {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { return nil }
    return (
      String(decoding: line[..<colon], as: UTF8.self), String(decoding: line[(colon + 1)...], as: UTF8.self)
    )
  }

  /// Text without spaces and tabs around it.
  static func trimmed(_ text: String) -> String {
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { $0 != 0x20 && $0 != 0x09 }),
      let last = bytes.lastIndex(where: { $0 != 0x20 && $0 != 0x09 })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
  }
}
