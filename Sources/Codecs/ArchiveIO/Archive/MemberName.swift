import Diagnostics
import Foundation

/// What a file in an archive may be called, so that it means the same everywhere and lies where it says.
enum MemberName {
  /// Why a name is refused; nil when it may be used.
  /// - Parameter isOnDisk: whether a file of that name is there already; then only what leads elsewhere is refused.
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
        return "it has a control character"
      } else if byte == UInt8(ascii: "\\") {
        return "it has a backslash, which is a folder's sign on Windows"
      } else if byte == UInt8(ascii: ":") {
        return "it has a colon, which is a drive's sign on Windows"
      }
    }
    if depth - 1 > limits.depth { return "it lies more than \(limits.depth) folders deep" }
    if isOnDisk { return isASCII || String(validating: name, as: UTF8.self) != nil ? nil : "it is no UTF-8" }
    return isASCII ? nil : problem(unicode: name)
  }

  /// What two names have in common that one file system or another takes for the same.
  static func key(_ name: String) -> String {
    if name.utf8.allSatisfy({ $0 < 0x80 }) { return name.lowercased() }
    let visible = String(String.UnicodeScalarView(name.unicodeScalars.filter { !isJoiner($0) }))
    return visible.decomposedStringWithCanonicalMapping.folding(options: .caseInsensitive, locale: nil)
      .precomposedStringWithCanonicalMapping
  }

  /// A name in quotes, harmless for a terminal.
  static func shown(_ name: String) -> String { "'\(TerminalText.escape(name))'" }

  /// A name that may be no UTF-8 in quotes, harmless for a terminal.
  static func shown(_ name: [UInt8]) -> String { shown(String(decoding: name.prefix(300), as: UTF8.self)) }

  private static func problem(part: ArraySlice<UInt8>, isOnDisk: Bool) -> String? {
    guard let first = part.first, let last = part.last else { return "a part of it is empty" }
    if first == UInt8(ascii: "."), part.count == 1 || part.count == 2 && last == first {
      return "it has a part '\(part.count == 1 ? "." : "..")'"
    }
    if isOnDisk { return nil }
    if last == UInt8(ascii: ".") || last == UInt8(ascii: " ") {
      return "a part of it ends with a \(last == 0x20 ? "space" : "dot"), which Windows leaves out"
    }
    return isReserved(part) ? "it is a device on Windows" : nil
  }

  /// Whether Windows takes a part for a device, whatever its ending.
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
    guard let text = String(validating: name, as: UTF8.self) else { return "it is no UTF-8" }
    for scalar in text.unicodeScalars {
      switch scalar.value {
      case 0x80...0x9F, 0x2028, 0x2029: return "it has a control character"
      case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: return "it has a sign that turns its direction"
      case 0x206A...0x206F, 0xFEFF, 0xFFF9...0xFFFB, 0xE0000...0xE007F: return "it has an invisible sign"
      case 0xFFFE, 0xFFFF: return "it has a sign that is none"
      default: break
      }
    }
    return nil
  }

  /// Whether a sign joins or parts its neighbours without being seen; some file systems leave it out.
  private static func isJoiner(_ scalar: Unicode.Scalar) -> Bool {
    (0x200B...0x200D).contains(scalar.value) || scalar.value == 0x2060 || scalar.value == 0x00AD
  }
}
