import Content
import Foundation
import Interchange
import JSONText

/// The notes of a folder, sorted by path.
///
/// The walk skips hidden files and folders (`.obsidian`, `.git`, `.trash`), `node_modules`, sidecars, and rejects of
/// earlier runs. It also skips the files that programs generate from a vault (`GeneratedFolders`).
struct VaultWalk {
  /// The notes, sorted by path.
  private(set) var notes: [VaultFile] = []
  /// The notes in template folders, which are possible link targets.
  private(set) var templates: [VaultFile] = []
  /// The folders that contain templates.
  let templateFolders: [String]
  /// The paths of all other files, such as pictures to which notes may link.
  private(set) var others: [String] = []
  /// The folders that contain names that are not UTF-8.
  let unreadable: [String]
  /// The total size of the notes, in bytes.
  private(set) var size = 0

  /// Walks a folder.
  /// - Throws: `RunFailure` with status 2 if the folder cannot be read.
  init(_ folder: String) throws {
    let root = folder.hasSuffix("/") ? folder : folder + "/"
    var walk = try FolderWalk(folder) { name in
      !name.hasPrefix(".") && name != "node_modules" && !name.hasSuffix(".fleetkit") && !name.contains(".rejects")
    }
    // A pack inside a vault is not part of the vault.
    _ = walk.takeBags()
    unreadable = walk.unreadable
    let passed = GeneratedFolders(root, files: walk.files)
    templateFolders = passed.templates
    for path in walk.files where !passed.isGenerated(path) {
      guard VaultFile.isNote(path) else {
        others.append(path)
        continue
      }
      var status = stat()
      guard stat(root + path, &status) == 0 else { continue }
      if passed.isTemplate(path) {
        templates.append(VaultFile(path: path, status))
        continue
      }
      notes.append(VaultFile(path: path, status))
      size += Int(status.st_size)
    }
    // ASCII names, the usual case, compare fastest as strings, and give the same order.
    if notes.allSatisfy({ $0.path.utf8.allSatisfy { $0 < 0x80 } }) {
      notes.sort { $0.path < $1.path }
    } else {
      notes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
    others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension VaultFile {
  /// Creates a file from the system's status information.
  init(path: String, _ status: stat) {
    #if canImport(Darwin)
      let time = status.st_mtimespec
    #else
      let time = status.st_mtim
    #endif
    self.init(
      path: path, size: Int(status.st_size),
      modified: Timestamp(milliseconds: Int64(time.tv_sec) * 1000 + Int64(time.tv_nsec) / 1_000_000))
  }
}

/// One file of a vault.
struct VaultFile: Sendable {
  /// The path from the named folder, with `/` between its components.
  let path: String
  /// The size in bytes.
  let size: Int
  /// The time at which the file was last modified.
  let modified: Timestamp

  /// The folders that contain the file, outermost first.
  var folders: [Substring] { path.split(separator: "/").dropLast() }

  /// The file's name.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The file's name without its extension.
  var stem: String { Self.stem(of: path) }

  /// Returns the name of a file without its folders and extension.
  static func stem(of path: String) -> String {
    let name = path.utf8.split(separator: UInt8(ascii: "/")).last.map(Substring.init) ?? ""
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.startIndex else { return String(name) }
    return String(name[..<dot])
  }

  /// Whether a file name is the name of a note.
  static func isNote(_ name: String) -> Bool {
    let lower = name.lowercased()
    return lower.hasSuffix(".md") || lower.hasSuffix(".markdown")
  }
}

/// Folders of a vault whose notes are not content: the output of site generators, and templates.
///
/// A generator is recognized by its settings file: `mkdocs.yml` means that `site` is generated, `hugo.toml` that
/// `public` is, and `_config.yml` that `_site` is. The template folders are those named in Obsidian's own settings.
private struct GeneratedFolders {
  /// The template folders that contain files, without a trailing slash.
  private(set) var templates: [String] = []
  private var generated: [String] = []
  private var templatePrefixes: [[UInt8]] = []

  /// The names of settings files, and the generated folders next to them.
  private static let makers: [String: [String]] = [
    "mkdocs.yml": ["site"], "mkdocs.yaml": ["site"], "_config.yml": ["_site", "vendor"], "book.toml": ["book"],
    "docusaurus.config.js": ["build"], "docusaurus.config.ts": ["build"], "eleventy.config.js": ["_site"],
    "hugo.toml": hugo, "hugo.yaml": hugo, "hugo.yml": hugo, "hugo.json": hugo,
  ]
  private static let hugo = ["public", "resources", "archetypes"]

  /// Looks for settings files.
  /// - Parameters:
  ///   - root: the vault's path, with a trailing slash.
  ///   - files: all files of the vault.
  init(_ root: String, files: [String]) {
    for path in files {
      let start = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) } ?? path.startIndex
      guard let made = Self.makers[String(path[start...])] else { continue }
      generated += made.map { path[..<start] + $0 + "/" }
    }
    for (settings, member) in [
      ("templates.json", "folder"), ("plugins/templater-obsidian/data.json", "templates_folder"),
    ] {
      guard let folder = Self.folder(root + ".obsidian/" + settings, member) else { continue }
      let prefix = LinkKey.folded(folder + "/")
      guard !templatePrefixes.contains(prefix), files.contains(where: { Self.isIn($0, in: prefix) }) else { continue }
      templatePrefixes.append(prefix)
      templates.append(folder)
    }
  }

  /// Whether a program generated a file from other files.
  fileprivate func isGenerated(_ path: String) -> Bool { generated.contains(where: path.hasPrefix) }

  /// Whether a note is a template.
  func isTemplate(_ path: String) -> Bool { templatePrefixes.contains { Self.isIn(path, in: $0) } }

  private static func isIn(_ path: String, in prefix: [UInt8]) -> Bool { LinkKey.folded(path).starts(with: prefix) }

  /// Returns the folder that a settings file names; nil if the settings name no folder inside the vault.
  private static func folder(_ path: String, _ member: String) -> String? {
    guard let size = FileRead.size(of: path), size <= 1 << 20,
      let data = FileManager.default.contents(atPath: path),
      let settings = try? JSONDocument(parsing: Array(data)), let name = settings.root[member]?.string
    else { return nil }
    let parts = name.split(separator: "/").filter { $0 != "." }
    return parts.isEmpty || parts.contains("..") ? nil : parts.joined(separator: "/")
  }
}
