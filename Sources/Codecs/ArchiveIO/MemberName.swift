import Diagnostics
import Foundation

/// Checks the names of files in archives. A name must have the same meaning on every system and refer to a path inside
/// the archive.
enum MemberName {
  /// Returns the reason why a name is rejected, or nil if it may be used.
  /// - Parameter isOnDisk: whether a file of that name already exists. If so, only names that refer to a path outside
  ///   are rejected.
  static func problem(_ name: [UInt8], limits: ArchiveLimits, isOnDisk: Bool = false) -> String? {
    if name.isEmpty { return "it is empty" }
    if name.count > limits.pathBytes { return "it is longer than \(limits.pathBytes) bytes" }
    if name[0] == UInt8(ascii: "/") { return "it is absolute" }
    if name[0] == UInt8(ascii: "~") { return "it begins with ~" }
    var isASCII = true
    var depth = 0
    var start = 0
    for at in 0...name.count {
      let byte = at < name.count ? name[at] : UInt8(ascii: "/")
      if byte == UInt8(ascii: "/") {
        if let problem = problem(part: name[start..<at], isOnDisk: isOnDisk) { return problem }
        depth += 1
        start = at + 1
      } else if byte >= 0x80 {
        isASCII = false
      } else if isOnDisk {
        continue
      } else if byte < 0x20 || byte == 0x7F {
        return "it contains a control character"
      } else if byte == UInt8(ascii: "\\") {
        return "it contains a backslash, which separates folders on Windows"
      } else if byte == UInt8(ascii: ":") {
        return "it contains a colon, which marks a drive on Windows"
      }
    }
    if depth - 1 > limits.depth { return "it is in folders that nest deeper than \(limits.depth) levels" }
    if isOnDisk { return isASCII || String(validating: name, as: UTF8.self) != nil ? nil : "it is not UTF-8" }
    return isASCII ? nil : problem(unicode: name)
  }

  /// Returns a form that is the same for all names that any file system treats as equal.
  static func key(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    let visible = String(String.UnicodeScalarView(name.unicodeScalars.filter { !isJoiner($0) }))
    return visible.decomposedStringWithCanonicalMapping.folding(options: .caseInsensitive, locale: nil)
      .precomposedStringWithCanonicalMapping
  }

  /// Returns the name in quotes, escaped for a terminal.
  static func shown(_ name: String) -> String { "'\(TerminalEscaping.escape(name))'" }

  /// Returns a name that is not necessarily UTF-8, in quotes and escaped for a terminal.
  static func shown(_ name: [UInt8]) -> String { shown(String(decoding: name.prefix(300), as: UTF8.self)) }

  private static func problem(part: ArraySlice<UInt8>, isOnDisk: Bool) -> String? {
    guard let first = part.first, let last = part.last else { return "a folder or file name in it is empty" }
    if first == UInt8(ascii: "."), part.count == 1 || part.count == 2 && last == first {
      return "it contains '\(part.count == 1 ? "." : "..")' as a folder"
    }
    if isOnDisk { return nil }
    if last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
      return "a name in it ends with a \(last == 0x20 ? "space" : "dot"), which Windows removes"
    }
    return isReserved(part) ? "it names a device on Windows" : nil
  }

  /// Returns whether Windows treats a path component as a device, regardless of its extension.
  private static func isReserved(_ part: ArraySlice<UInt8>) -> Bool {
    var stem = part.prefix { $0 != UInt8(ascii: ".") }
    while stem.last == 0x20 { stem = stem.dropLast() }
    guard stem.count == 3 || stem.count == 4 || stem.count == 6 || stem.count == 7 else { return false }
    let name = String(decoding: stem, as: UTF8.self).uppercased()
    switch name {
    case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$": return true
    default:
      guard stem.count == 4, name.hasPrefix("COM") || name.hasPrefix("LPT") else { return false }
      return stem.last.map { (0x30...0x39).contains($0) } ?? false
    }
  }

  private static func problem(unicode name: [UInt8]) -> String? {
    guard let text = String(validating: name, as: UTF8.self) else { return "it is not UTF-8" }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x80...0x9F, 0x2028, 0x2029: return "it contains a control character"
      case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return "it contains a text direction character"
      case 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: return "it contains an invisible character"
      case 0xFFFE, 0xFFFF: return "it contains a noncharacter"
      default: break
      }
    }
    return nil
  }

  /// Returns whether a character joins or separates its neighbors invisibly. Some file systems drop such characters.
  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    (0x200B...0x200D).contains(scalar.value) || scalar.value == 0x2060 || scalar.value == 0x00AD
  }
}

/// The names that an archive has used. The guard ensures that no two of them become the same file.
///
/// Memory holds one 64-bit number for each name and for each folder that a name implies.
struct NameGuard {
  private var kinds: [Int: Bool] = [:]
  private let limit: Int

  /// Creates a guard without names. The limit includes the folders that names imply.
  init(limit: Int) { self.limit = limit }

  /// Adds a name.
  /// - Returns: the reason why the name is rejected, or nil if it may be used.
  mutating func add(_ name: String, isFolder: Bool) -> String? {
    let key = MemberName.key(name)
    // The parent folders are checked from the innermost outwards, because most are known from the previous file.
    var bytes = Array(key.utf8)[...]
    if let known = kinds[bytes.hashValue] {
      if isFolder, known { return nil }
      return known || isFolder
        ? "it is both a file and a folder" : "another file has the same name or one that differs only in case"
    }
    kinds[bytes.hashValue] = isFolder
    while let slash = bytes.lastIndex(of: UInt8(ascii: "/")) {
      bytes = bytes[..<slash]
      if let known = kinds[bytes.hashValue] {
        if !known { return "its parent folder is a file" }
        break
      }
      kinds[bytes.hashValue] = true
    }
    return kinds.count > limit ? "the archive has more than \(limit) files and folders" : nil
  }
}

/// A name that equals another name only if their bytes are equal. Swift's strings are equal if they look the same.
struct ByteName: Hashable {
  /// The name.
  let text: String

  /// Wraps a name.
  init(_ text: String) { self.text = text }

  static func == (left: Self, right: Self) -> Bool { left.text.utf8.elementsEqual(right.text.utf8) }

  func hash(into hasher: inout Hasher) {
    text.utf8.span.withUnsafeBytes { hasher.combine(bytes: $0) }
    hasher.combine(text.utf8.count)
  }
}
