import Content
import Foundation
import Interchange

/// Decides which file each item of a vault gets.
///
/// An item keeps the file that says its id. Otherwise it gets the path that it was read from, where that is free; the
/// first one who asks for a path has it. All others get a name made of their title, with the beginning of their id
/// where titles are the same. Names made of titles do not depend on the order in which items come.
struct VaultNames {
  private let scan: VaultScan
  /// Folded paths that items of this run have.
  private var given: Set<String> = []
  /// Folded paths of folders that those are in.
  private var folders: Set<String> = []

  init(_ scan: VaultScan) { self.scan = scan }

  /// The file of the vault that says the id.
  func existing(_ id: String) -> String? { scan.paths[id] }

  /// Whether several notes of the vault say an id.
  func isRepeated(_ id: String) -> Bool { scan.repeated.contains(id) }

  /// What has the name of a note and is not a regular file, such as a link; nil where there is no such thing.
  func other(_ path: String) -> String? { scan.others[VaultPath.folded(path)] }

  /// Whether no one has a path, nor a folder of that name.
  func isFree(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return !given.contains(folded) && !folders.contains(folded) && scan.taken[folded] == nil
  }

  /// Whether no note stands where a path has a folder.
  func hasFreeFolders(_ path: String) -> Bool {
    VaultPath.folders(of: VaultPath.folded(path)).allSatisfy { !given.contains($0) && scan.taken[$0] == nil }
  }

  /// Whether notes of the run leave no room for another file at a path.
  func blocks(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return given.contains(folded) || folders.contains(folded)
      || VaultPath.folders(of: folded).contains(where: given.contains)
  }

  /// Whether a note is at a path in the vault that no item of the run has.
  func isThere(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return !given.contains(folded) && scan.taken[folded] != nil
  }

  /// Whether a note without an id is at a path.
  func isNameless(_ path: String) -> Bool { scan.nameless.contains(VaultPath.folded(path)) }

  /// Gives an item a path for good.
  mutating func give(_ path: String) {
    given.insert(VaultPath.folded(path))
    folders.formUnion(VaultPath.folders(of: path).map(VaultPath.folded))
  }

  /// The path that a record wishes for, when it may have it.
  /// - Parameter owns: whether a note without an id that is there is the item's.
  func wished(_ path: String?, owns: (_ existing: String) -> Bool) -> String? {
    guard let path = path.flatMap(VaultPath.safe) else { return nil }
    let folded = VaultPath.folded(path)
    guard !given.contains(folded), !folders.contains(folded), hasFreeFolders(path) else { return nil }
    guard let existing = scan.taken[folded] else { return path }
    return scan.nameless.contains(folded) && owns(existing) ? existing : nil
  }

  /// Gives names to all items that have none yet.
  /// - Parameter items: folder, name made of the title, and id of each.
  /// - Returns: their paths, in the same order.
  mutating func name(_ items: [(folder: String, slug: String, id: String)]) -> [String] {
    var taken: [String: [(name: String, id: String?)]] = [:]
    for path in Array(scan.taken.keys) + given + folders {
      guard let slash = path.lastIndex(of: "/"), path.hasSuffix(".md") else { continue }
      taken[String(path[..<slash]), default: []].append((String(path[path.index(after: slash)...].dropLast(3)), nil))
    }
    var names: [String: SlugNames] = [:]
    for item in items {
      names[item.folder, default: SlugNames(existing: taken[item.folder] ?? [])].add(title: item.slug)
    }
    return items.map { item in
      let name = names[item.folder]?.name(title: item.slug, id: item.id) ?? item.id.lowercased()
      let path = "\(item.folder)/\(name).md"
      give(path)
      return path
    }
  }

  /// How many notes of the vault belong to no item of the run.
  var leftAlone: Int { scan.taken.keys.count { !given.contains($0) } }
}

/// Hands out the file names of one folder's items, without their extension.
///
/// An item that has a file already keeps its name. A slug that one item of the folder has is its name; where several
/// share it, each gets the first 8 characters of its id behind it, so no name depends on the order of the items.
/// First tell it all titles (`add`), then ask for names. Memory: one entry for each slug and name.
struct SlugNames: Sendable {
  /// Items by the slug of their title.
  private var counts: [String: Int] = [:]
  /// Names of items that have a file.
  private var kept: [String: String] = [:]
  /// Names that no one else may get, as file systems compare them that take `A` for `a`.
  private var taken: Set<String> = []

  /// Begins with the files that are in the folder.
  /// - Parameter existing: their names without extension, and the id of the item that each holds; nil for files that
  ///   are no item's.
  init(existing: [(name: String, id: String?)] = []) {
    for (name, id) in existing {
      taken.insert(Self.folded(name))
      if let id, kept[id] == nil { kept[id] = name }
    }
  }

  /// Counts an item of the folder.
  mutating func add(title: String) { counts[Slug.of(title), default: 0] += 1 }

  /// The name of an item's file; no one else gets it.
  mutating func name(title: String, id: String) -> String {
    if let name = kept[id] { return name }
    let slug = Slug.of(title)
    let key = Self.key(id)
    var name = slug
    if counts[slug, default: 1] > 1 || taken.contains(name) { name = slug + "-" + key.prefix(8) }
    if taken.contains(name) { name = slug + "-" + key }
    var number = 2
    while taken.contains(name) {
      name = "\(slug)-\(key)-\(number)"
      number += 1
    }
    taken.insert(name)
    kept[id] = name
    return name
  }

  /// Letters and digits of an id, in lower case; an id that has none is told by its bytes.
  private static func key(_ id: String) -> String {
    let letters = id.utf8.prefix(64).compactMap { byte -> UInt8? in
      switch byte {
      case 0x30...0x39, 0x61...0x7A: byte
      case 0x41...0x5A: byte | 0x20
      default: nil
      }
    }
    if !letters.isEmpty { return String(decoding: letters, as: UTF8.self) }
    // FNV-1a: the same in every run, unlike Swift's own hashes.
    let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  private static func folded(_ name: String) -> String { name.lowercased() }
}

/// Paths of notes inside a vault: relative, `/` between folders.
enum VaultPath {
  /// Longest path and longest name that are used, in bytes; file systems take 255 for a name.
  static let longest = 1000
  private static let longestName = 200

  /// The folder of a vault's own records; hidden, so that no reader of notes looks into it.
  static let hiddenFolder = ".fleetkit"
  /// What Markdown cannot say, in a bundle.
  static let records = hiddenFolder + "/library.jsonl"

  /// The path of that bundle in a folder; nil when the folder has none.
  static func records(in folder: Source) -> String? {
    let path = (folder.path.hasSuffix("/") ? folder.path : folder.path + "/") + records
    return access(path, F_OK) == 0 ? path : nil
  }

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

  /// Whether a path is one that FleetKit gives to an item whose title has this slug.
  static func isGiven(_ path: String, _ folder: String, _ slug: String, id: String) -> Bool {
    let given = folder + "/" + slug
    return path == given + ".md" || path.hasPrefix(given + "-" + id.prefix(8).lowercased())
  }
}
