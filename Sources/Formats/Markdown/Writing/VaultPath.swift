import Content
import Foundation
import Interchange

/// Paths of notes inside a vault: relative, `/` between folders.
enum VaultPath {
  /// Longest path and longest name that are used, in bytes; file systems take 255 for a name.
  static let longest = 1000
  private static let longestName = 200

  /// The folder of a vault's own records; hidden, so that no reader of notes looks into it.
  static let hiddenFolder = ".fleetkit"
  /// What Markdown cannot say, in a bundle.
  static let records = hiddenFolder + "/library.jsonl"

  /// The folder that notes of a type get.
  static func folder(of type: ContentType) -> String {
    switch type {
    case .checklist: "checklists"
    case .practiceGuide: "guides"
    case .flashcardDeck: "decks"
    }
  }

  /// A path that a record wishes for, composed; nil when it leads anywhere but to a note inside the vault.
  ///
  /// Records come from anywhere, so nothing that could leave the vault, hide in it or upset a file system passes.
  static func safe(_ wished: String) -> String? {
    let path = wished.precomposedStringWithCanonicalMapping
    guard path.utf8.count <= longest, VaultFile.isNote(path) else { return nil }
    for scalar in path.unicodeScalars {
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .surrogate: return nil
      default: if "\\:*?\"<>|".unicodeScalars.contains(scalar) { return nil }
      }
    }
    for part in parts(of: path) {
      guard let first = part.first, first != ".", first != " ", String(part).utf8.count <= longestName,
        part.last != ".",
        part.last != " ", !part.elementsEqual("node_modules".unicodeScalars),
        !String(part).lowercased().utf8.reversed().starts(with: ".fleetkit".utf8.reversed())
      else { return nil }
    }
    return path
  }

  /// The names that a path is made of, also empty ones.
  ///
  /// The system parts names at bytes. Swift's characters are more than that: a letter such as `\u{0D4E}` is one
  /// character with the slash behind it, and a dot with the accent behind it.
  static func parts(of path: String) -> [Substring.UnicodeScalarView] {
    path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// The form in which two paths are the same file on file systems that ignore case or compose letters.
  static func folded(_ path: String) -> String { path.precomposedStringWithCanonicalMapping.lowercased() }

  /// The folders around a path, the outermost first.
  static func folders(of path: String) -> [String] {
    var folders: [String] = []
    for index in path.utf8.indices where path.utf8[index] == UInt8(ascii: "/") {
      folders.append(String(path[..<index]))
    }
    return folders
  }

  /// What is at a path, links not followed.
  enum Entry: Equatable { case nothing, folder, file, other }

  /// Looks at a path without following a link.
  static func entry(at path: String) -> Entry {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .nothing : .other }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG: return .file
    default: return .other
    }
  }

  // MARK: .

  /// Whether a path is one that an item would get by its type, its title and its id, so that no one need note it.
  static func isUsual(_ path: String, for record: NoteRecord) -> Bool {
    let slug = Slug.of(record.title)
    let usual = folder(of: record.type) + "/" + slug
    return path == usual + ".md" || path == usual + "-" + record.id.prefix(8).lowercased() + ".md"
  }
}
