import Foundation
import JSONText

/// Folders of a vault whose notes are no content: what generators of sites make, and templates.
///
/// A generator is known by its settings: `mkdocs.yml` makes `site`, `hugo.toml` `public`, `_config.yml` `_site`. Folders
/// of templates are those that Obsidian's own settings name.
struct GeneratedFolders {
  /// Folders of templates that hold something, without the slash at their end.
  private(set) var templates: [String] = []
  private var generated: [String] = []
  private var templatePrefixes: [[UInt8]] = []

  /// Settings, and the folders beside them that are made.
  private static let makers: [String: [String]] = [
    "mkdocs.yml": ["site"], "mkdocs.yaml": ["site"], "_config.yml": ["_site", "vendor"], "book.toml": ["book"],
    "docusaurus.config.js": ["build"], "docusaurus.config.ts": ["build"], "eleventy.config.js": ["_site"],
    "hugo.toml": hugo, "hugo.yaml": hugo, "hugo.yml": hugo, "hugo.json": hugo,
  ]
  private static let hugo = ["public", "resources", "archetypes"]

  /// Looks for settings.
  /// - Parameters:
  ///   - root: the vault, with a slash at its end.
  ///   - files: all files of it.
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
      guard !templatePrefixes.contains(prefix), files.contains(where: { Self.lies($0, in: prefix) }) else { continue }
      templatePrefixes.append(prefix)
      templates.append(folder)
    }
  }

  /// Whether a file is made by a program from others.
  func isGenerated(_ path: String) -> Bool { generated.contains(where: path.hasPrefix) }

  /// Whether a note is one to be filled in.
  func isTemplate(_ path: String) -> Bool { templatePrefixes.contains { Self.lies(path, in: $0) } }

  private static func lies(_ path: String, in prefix: [UInt8]) -> Bool { LinkKey.folded(path).starts(with: prefix) }

  /// The folder that a file of settings names; nil when it names none inside the vault.
  private static func folder(_ path: String, _ member: String) -> String? {
    guard let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int, size <= 1 << 20,
      let data = FileManager.default.contents(atPath: path),
      let settings = try? JSONDocument(parsing: Array(data)), let said = settings.root[member]?.string
    else { return nil }
    let parts = said.split(separator: "/").filter { $0 != "." }
    return parts.isEmpty || parts.contains("..") ? nil : parts.joined(separator: "/")
  }
}
