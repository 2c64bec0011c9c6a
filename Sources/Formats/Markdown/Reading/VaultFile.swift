import Content

/// One file of a vault.
struct VaultFile: Sendable {
  /// Path from the folder that was named, `/` between its parts.
  let path: String
  /// Bytes.
  let size: Int
  /// When the file was last changed.
  let modified: Timestamp

  /// The folders that the file lies in, outermost first.
  var folders: [Substring] { path.split(separator: "/").dropLast() }

  /// The file's name.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The file's name without its ending.
  var stem: String { Self.stem(of: path) }

  /// The name of a file without folders and ending.
  static func stem(of path: String) -> String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return String(name) }
    return String(name[..<dot])
  }

  /// Whether a name is that of a note.
  static func isNote(_ name: String) -> Bool {
    let lower = name.lowercased()
    return lower.hasSuffix(".md") || lower.hasSuffix(".markdown")
  }

  /// Files that say how to use a folder; they are no content unless they say so.
  private static let aboutTheFolder: Set<String> = [
    "readme", "license", "licence", "changelog", "contributing", "code_of_conduct", "security", "authors", "credits",
  ]

  /// Whether the file is about its folder by its name.
  var isAboutTheFolder: Bool { Self.aboutTheFolder.contains(stem.lowercased()) }
}
