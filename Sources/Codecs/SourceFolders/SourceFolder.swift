import Foundation
import Interchange
import JSONText
import YAMLText

/// The root folder of a collection of files, and the name that ids are derived from.
///
/// A single file or a subfolder belongs to the vault that contains it, so that its ids are the same whether it is read
/// alone or with the whole vault. Every format that consists of files in folders uses this type.
/// - Source: formats/markdown.md, "Ids"
package struct SourceFolder {
  /// The absolute path of the root, without a trailing slash.
  package let path: String
  /// The path of the named folder relative to the root, with a trailing slash; empty for the root.
  package let prefix: String
  /// The base of derived ids: `source:` of `.fleetkit.yml`, otherwise the root's path.
  package let sourceID: String

  /// Names that mark the root of a vault.
  private static let marks = [
    ".fleetkit/library.jsonl", ".obsidian", ".fleetkit.yml", "mkdocs.yml", "_config.yml", "hugo.toml", "hugo.yaml",
  ]
  /// The largest number of parent folders to search.
  private static let height = 32

  /// Creates a root that is not a folder on the disk.
  package init(_ path: String, sourceID: String) {
    self.path = path
    prefix = ""
    self.sourceID = sourceID
  }

  /// Finds the root of a folder.
  package init(around folder: String) {
    let path = Self.absolute(folder)
    var root = path
    var candidate = path
    for _ in 0..<Self.height {
      if Self.marks.contains(where: { access(candidate + "/" + $0, F_OK) == 0 }) {
        root = candidate
        break
      }
      guard let slash = candidate.lastIndex(of: "/"), slash != candidate.startIndex else { break }
      candidate = String(candidate[..<slash])
    }
    self.path = root
    // Bytes are counted instead of characters: a name may begin with a combining mark, which forms one character with
    // the slash before it.
    prefix = root == path ? "" : String(decoding: path.utf8.dropFirst(root.utf8.count + 1), as: UTF8.self) + "/"
    sourceID = Self.configuredSource(root) ?? root
  }

  /// Returns the collection that a file or folder belongs to, or nil for standard input.
  package static func home(of source: Source) -> SourceHome? {
    if source.isStandardInput { return nil }
    let isFile = isFile(source)
    let folder = SourceFolder(around: isFile ? parent(of: source.path) : source.path)
    var path = folder.prefix.isEmpty ? "." : String(folder.prefix.dropLast())
    if isFile { path = folder.prefix + (source.path as NSString).lastPathComponent }
    return SourceHome(name: folder.sourceID, folder: folder.path, path: path)
  }

  /// Returns whether a source is a single file, not a folder.
  package static func isFile(_ source: Source) -> Bool {
    var isFolder: ObjCBool = false
    return source.isStandardInput
      || !(FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder) && isFolder.boolValue)
  }

  /// Returns the folder that contains a file. Foundation's own function traps on a name of one character, such as `-`.
  package static func parent(of path: String) -> String {
    guard let slash = path.lastIndex(of: "/") else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  private static func absolute(_ path: String) -> String {
    let standard = URL(fileURLWithPath: path).standardizedFileURL.path
    return standard.count > 1 && standard.hasSuffix("/") ? String(standard.dropLast()) : standard
  }

  private static func configuredSource(_ root: String) -> String? {
    let file = root + "/.fleetkit.yml"
    var status = stat()
    // Only small regular files are read: opening a pipe would wait for a writer, and a configuration is never megabytes
    // long.
    guard stat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1 << 20,
      let data = FileManager.default.contents(atPath: file),
      let yaml = try? YAMLDocument(parsing: String(decoding: data, as: UTF8.self))
    else { return nil }
    return yaml.json.root["source"]?.string
  }
}
