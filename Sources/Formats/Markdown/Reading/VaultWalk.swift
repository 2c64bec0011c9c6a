import Content
import Foundation
import Interchange
import JSONText

/// The notes of a folder, in the order of their paths.
///
/// Hidden files and folders (`.obsidian`, `.git`, `.trash`), `node_modules`, sidecars of libraries and rejects of
/// earlier runs are skipped, and so are the files that programs generate from a vault (`GeneratedFolders`).
struct VaultWalk {
  /// Notes, by path.
  private(set) var notes: [VaultFile] = []
  /// Notes of folders that contain templates; links may lead to them.
  private(set) var templates: [VaultFile] = []
  /// Folders that contain templates.
  let templateFolders: [String]
  /// Paths of all other files: pictures and other files that notes may link to.
  private(set) var others: [String] = []
  /// Folders with names that are not UTF-8.
  let unreadable: [String]
  /// The size of all notes in bytes.
  private(set) var size = 0

  /// Walks a folder.
  /// - Throws: `RunFailure` with status 2 if it cannot be read.
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
    // ASCII names, the usual case, compare fastest as strings, and in the same order.
    if notes.allSatisfy({ $0.path.utf8.allSatisfy { $0 < 0x80 } }) {
      notes.sort { $0.path < $1.path }
    } else {
      notes.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    }
    others.sort { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }
}

extension VaultFile {
  /// A file as the system describes it.
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
  /// The path from the named folder, `/` between its parts.
  let path: String
  /// The size in bytes.
  let size: Int
  /// The time the file was last modified.
  let modified: Timestamp

  /// The folders that the file is in, outermost first.
  var folders: [Substring] { path.split(separator: "/").dropLast() }

  /// The file's name.
  var name: String { String(path.split(separator: "/").last ?? "") }

  /// The file's name without its extension.
  var stem: String { Self.stem(of: path) }

  /// Returns the name of a file without folders and extension.
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
}

/// Folders of a vault whose notes are not content: the output of site generators, and templates.
///
/// A generator is recognized by its settings: `mkdocs.yml` makes `site`, `hugo.toml` `public`, `_config.yml` `_site`.
/// Folders of templates are those that Obsidian's own settings name.
private struct GeneratedFolders {
  /// Folders of templates that contain files, without the slash at their end.
  private(set) var templates: [String] = []
  private var generated: [String] = []
  private var templatePrefixes: [[UInt8]] = []

  /// Settings files, and the folders next to them that are generated.
  private static let makers: [String: [String]] = [
    "mkdocs.yml": ["site"], "mkdocs.yaml": ["site"], "_config.yml": ["_site", "vendor"], "book.toml": ["book"],
    "docusaurus.config.js": ["build"], "docusaurus.config.ts": ["build"], "eleventy.config.js": ["_site"],
    "hugo.toml": hugo, "hugo.yaml": hugo, "hugo.yml": hugo, "hugo.json": hugo,
  ]
  private static let hugo = ["public", "resources", "archetypes"]

  /// Looks for settings.
  /// - Parameters:
  ///   - root: the vault, with a slash at its end.
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

  /// Whether a file was generated by a program from other files.
  func isGenerated(_ path: String) -> Bool { generated.contains(where: path.hasPrefix) }

  /// Whether a note is a template.
  func isTemplate(_ path: String) -> Bool { templatePrefixes.contains { Self.isIn(path, in: $0) } }

  private static func isIn(_ path: String, in prefix: [UInt8]) -> Bool { LinkKey.folded(path).starts(with: prefix) }

  /// Returns the folder that a settings file names; nil if it names none inside the vault.
  private static func folder(_ path: String, _ member: String) -> String? {
    guard let size = FileRead.size(of: path), size <= 1 << 20,
      let data = FileManager.default.contents(atPath: path),
      let settings = try? JSONDocument(parsing: Array(data)), let name = settings.root[member]?.string
    else { return nil }
    let parts = name.split(separator: "/").filter { $0 != "." }
    return parts.isEmpty || parts.contains("..") ? nil : parts.joined(separator: "/")
  }
}
