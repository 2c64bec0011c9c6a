/// Names files in reports: relative to a folder if they are inside it, otherwise by their full path.
struct ReportPath {
  /// The folder, as path components.
  private let folder: [Substring]
  /// The folder that relative names refer to, as path components.
  private let origin: [Substring]
  private let isHere: Bool

  /// Makes a namer for files relative to `folder`, an absolute path.
  /// - Parameter origin: the folder that relative file names refer to; nil for the same folder.
  init(relativeTo folder: String, from origin: String? = nil) {
    self.folder = Self.parts(folder)
    self.origin = Self.parts(origin ?? folder)
    isHere = self.folder == self.origin
  }

  /// Returns the name of `file` in reports: `guides/anchor.json`, `/srv/other.json` outside the folder, or `stdin` for
  /// `-`.
  func name(_ file: String) -> String {
    if file == "-" { return "stdin" }
    if isHere, Self.isPlain(file) { return file }
    let whole = file.hasPrefix("/") ? Self.parts(file) : Self.parts(origin.joined(separator: "/") + "/" + file)
    guard whole.starts(with: folder), whole.count > folder.count else { return "/" + whole.joined(separator: "/") }
    return whole.dropFirst(folder.count).joined(separator: "/")
  }

  /// Returns the path with which `file` can be opened.
  func path(_ file: String) -> String {
    file.hasPrefix("/") ? file : "/" + origin.joined(separator: "/") + "/" + file
  }

  /// Returns the URI of `file` (RFC 3986): relative inside the folder, otherwise `file:///…`.
  func uri(_ file: String) -> String {
    let name = name(file)
    return name.hasPrefix("/") ? "file://" + Self.encoded(name) : Self.encoded(name)
  }

  /// Whether a relative path has no redundant components.
  private static func isPlain(_ path: String) -> Bool {
    var previous = UInt8(ascii: "/")
    for byte in path.utf8 {
      if previous == UInt8(ascii: "/"), byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".") { return false }
      previous = byte
    }
    return previous != UInt8(ascii: "/")
  }

  /// Returns a path's components without `.`, `..` and empty ones. Symbolic links are not resolved.
  private static func parts(_ path: String) -> [Substring] {
    var parts: [Substring] = []
    for part in path.split(separator: "/") where part != "." {
      if part == ".." { _ = parts.popLast() } else { parts.append(part) }
    }
    return parts
  }

  /// Percent-encodes the characters that a URI does not allow, and `:`, which would end a scheme.
  private static func encoded(_ path: String) -> String {
    var text = ""
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
        UInt8(ascii: "~"), UInt8(ascii: "/"):
        text.unicodeScalars.append(UnicodeScalar(byte))
      default:
        text += byte < 0x10 ? "%0" : "%"
        text += String(byte, radix: 16, uppercase: true)
      }
    }
    return text
  }
}
