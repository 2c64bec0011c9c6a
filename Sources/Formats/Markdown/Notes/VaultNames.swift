import Content
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import YAMLText

/// Assigns a file to each item of a vault.
///
/// An item keeps the file that contains its id. Otherwise, the item gets the path from which it was read, if that path
/// is free; the first item that requests a path gets it. All other items get a name made from their title, with the
/// beginning of their id appended if titles are equal. Names made from titles do not depend on the order of the items.
struct VaultNames {
  private let scan: VaultScan
  /// The folded paths that items of this run have.
  private var given: Set<String> = []
  /// The folded paths of the folders that contain these items.
  private var folders: Set<String> = []

  init(_ scan: VaultScan) { self.scan = scan }

  /// Returns the path of the vault's file that contains the id.
  func existing(_ id: String) -> String? { scan.paths[id] }

  /// Whether several notes of the vault contain an id.
  func isRepeated(_ id: String) -> Bool { scan.repeated.contains(id) }

  /// Returns the actual path of an entry that has a note's path but is not a regular file, such as a link; nil if there
  /// is no such entry.
  func other(_ path: String) -> String? { scan.others[VaultPath.folded(path)] }

  /// Whether neither a note nor a folder has the path.
  func isFree(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return !given.contains(folded) && !folders.contains(folded) && scan.taken[folded] == nil
  }

  /// Whether none of a path's folders has the path of a note.
  func hasFreeFolders(_ path: String) -> Bool {
    VaultPath.folders(of: VaultPath.folded(path)).allSatisfy { !given.contains($0) && scan.taken[$0] == nil }
  }

  /// Whether a note of the run prevents another file from being written to a path.
  func blocks(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return given.contains(folded) || folders.contains(folded)
      || VaultPath.folders(of: folded).contains(where: given.contains)
  }

  /// Whether the vault has a note at a path that belongs to no item of the run.
  func isThere(_ path: String) -> Bool {
    let folded = VaultPath.folded(path)
    return !given.contains(folded) && scan.taken[folded] != nil
  }

  /// Whether there is a note without an id at a path.
  func isNameless(_ path: String) -> Bool { scan.nameless.contains(VaultPath.folded(path)) }

  /// Reserves a path for an item.
  mutating func give(_ path: String) {
    given.insert(VaultPath.folded(path))
    folders.formUnion(VaultPath.folders(of: path).map(VaultPath.folded))
  }

  /// Returns the path that a record requests; nil if the record may not have the path.
  /// - Parameter owns: returns whether an existing note without an id belongs to the item.
  func wished(_ path: String?, owns: (_ existing: String) -> Bool) -> String? {
    guard let path = path.flatMap(VaultPath.safe) else { return nil }
    let folded = VaultPath.folded(path)
    guard !given.contains(folded), !folders.contains(folded), hasFreeFolders(path) else { return nil }
    guard let existing = scan.taken[folded] else { return path }
    return scan.nameless.contains(folded) && owns(existing) ? existing : nil
  }

  /// Assigns paths to the items that have no path yet.
  /// - Parameter items: the folder, the name made from the title, and the id of each item.
  /// - Returns: the paths, in the order of `items`.
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

  /// The number of notes in the vault that belong to no item of the run.
  var leftAlone: Int { scan.taken.keys.count { !given.contains($0) } }
}

/// Assigns file names, without extensions, to the items of one folder.
///
/// An item that already has a file keeps its name. If a slug belongs to only one item of the folder, the slug is that
/// item's name. If several items share a slug, the first 8 characters of the item's id are appended, so no name depends
/// on the order of the items. First add all titles (`add`), then request names (`name`). Memory is one entry per slug
/// and name.
struct SlugNames: Sendable {
  /// The number of items for each slug.
  private var counts: [String: Int] = [:]
  /// The names of items that have a file, by the item's id.
  private var kept: [String: String] = [:]
  /// The names that are already used, folded as on file systems that treat `A` and `a` as equal.
  private var taken: Set<String> = []

  /// Creates the names of a folder, starting with its existing files.
  /// - Parameter existing: the name of each file without its extension, and the id of the item in the file; the id is
  ///   nil for files without an item.
  init(existing: [(name: String, id: String?)] = []) {
    for (name, id) in existing {
      taken.insert(Self.folded(name))
      if let id, kept[id] == nil { kept[id] = name }
    }
  }

  /// Counts an item of the folder.
  mutating func add(title: String) { counts[Slug.of(title), default: 0] += 1 }

  /// Returns the name of an item's file, and reserves the name.
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

  /// Returns the letters and digits of an id, in lower case. An id without letters and digits is identified by its
  /// bytes.
  private static func key(_ id: String) -> String {
    let letters = id.utf8.prefix(64).compactMap { byte -> UInt8? in
      switch byte {
      case 0x30...0x39, 0x61...0x7A: byte
      case 0x41...0x5A: byte | 0x20
      default: nil
      }
    }
    if !letters.isEmpty { return String(decoding: letters, as: UTF8.self) }
    // FNV-1a gives the same hash in every run, unlike Swift's own hashes.
    let hash = id.utf8.reduce(UInt64(0xCBF2_9CE4_8422_2325)) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    return String(hash, radix: 16)
  }

  private static func folded(_ name: String) -> String { name.lowercased() }
}

/// Handles relative paths of notes inside a vault, with `/` between names.
enum VaultPath {
  /// The maximum lengths of a path and of a name, in bytes. File systems allow 255 bytes for a name.
  static let longest = 1000
  private static let longestName = 200

  /// The name of the folder for FleetKit's own files in a vault. The folder is hidden, so that note programs ignore it.
  static let hiddenFolder = ".fleetkit"
  /// The path of the bundle with the content that Markdown cannot express.
  static let records = hiddenFolder + "/library.jsonl"

  /// Returns the path of the bundle in a folder; nil if the folder has no bundle.
  static func records(in folder: Source) -> String? {
    let path = (folder.path.hasSuffix("/") ? folder.path : folder.path + "/") + records
    return access(path, F_OK) == 0 ? path : nil
  }

  /// Returns the folder for notes of a type.
  static func folder(of type: ContentType) -> String {
    switch type {
    case .checklist: "checklists"
    case .practiceGuide: "guides"
    case .flashcardDeck: "decks"
    }
  }

  /// Returns the path that a record requests, in NFC; nil if it is not the path of a note inside the vault.
  ///
  /// Records may come from untrusted sources, so a path that could leave the vault, be hidden in it or be invalid in a
  /// file system is rejected.
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

  /// Returns the components of a path, including empty ones.
  ///
  /// The system splits paths at slash bytes, but Swift's characters may be longer: a letter such as `\u{0D4E}` forms
  /// one character with a slash after it, and a dot forms one character with an accent after it.
  static func parts(of path: String) -> [Substring.UnicodeScalarView] {
    path.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
  }

  /// Returns a form that is equal for two paths if they name the same file on a file system that ignores case or
  /// composes letters.
  static func folded(_ path: String) -> String { path.precomposedStringWithCanonicalMapping.lowercased() }

  /// Returns the folders that contain a path, outermost first.
  static func folders(of path: String) -> [String] {
    var folders: [String] = []
    for index in path.utf8.indices where path.utf8[index] == UInt8(ascii: "/") {
      folders.append(String(path[..<index]))
    }
    return folders
  }

  /// The kind of file system entry at a path, without following links.
  enum Entry: Equatable { case nothing, folder, file, other }

  /// Returns the kind of file system entry at a path, without following links.
  static func entry(at path: String) -> Entry {
    var status = stat()
    guard lstat(path, &status) == 0 else { return errno == ENOENT || errno == ENOTDIR ? .nothing : .other }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: return .folder
    case S_IFREG: return .file
    default: return .other
    }
  }

  /// Whether FleetKit would assign a path to an item whose title yields the given slug.
  static func isGiven(_ path: String, _ folder: String, _ slug: String, id: String) -> Bool {
    let given = folder + "/" + slug
    return path == given + ".md" || path.hasPrefix(given + "-" + id.prefix(8).lowercased())
  }
}

/// Finds the notes of a vault, and the id of each note's item.
///
/// Only file names and the `id` in the front matter are read, not the bodies. Links are not followed.
struct VaultScan {
  /// The paths of the notes, by id. If several notes have the same id, the path of the first one is used.
  private(set) var paths: [String: String] = [:]
  /// The actual path of every entry that has the name of a note, by folded path.
  private(set) var taken: [String: String] = [:]
  /// The ids that several notes contain.
  private(set) var repeated: Set<String> = []
  /// The links and other entries that have the name of a note but are not regular files, by folded path.
  private(set) var others: [String: String] = [:]
  /// The folded paths of notes without an id.
  private(set) var nameless: Set<String> = []

  /// The maximum size of front matter that is searched, in bytes.
  private static let longest = 1 << 20

  /// Creates a scan without notes.
  init() {}

  /// Scans a folder.
  init(_ root: String) throws {
    var folders = [""]
    while let folder = folders.popLast() {
      let names: [String]
      do {
        names = try FileManager.default.contentsOfDirectory(atPath: root + "/" + folder).sorted()
      } catch {
        throw RunFailure(.failed, "read the folder '\(root)/\(folder)': \(error.localizedDescription)")
      }
      var below: [String] = []
      for name in names where !name.hasPrefix(".") {
        let path = folder.isEmpty ? name : folder + "/" + name
        let entry = VaultPath.entry(at: root + "/" + path)
        if entry == .folder { below.append(path) }
        if VaultFile.isNote(name) { try add(path, isNote: entry == .file, in: root) }
      }
      folders += below.reversed()
    }
  }

  private mutating func add(_ path: String, isNote: Bool, in root: String) throws {
    let folded = VaultPath.folded(path)
    taken[folded] = path
    guard isNote else {
      others[folded] = path
      return
    }
    guard let id = try Self.id(of: root + "/" + path) else {
      nameless.insert(folded)
      return
    }
    if paths[id] == nil { paths[id] = path } else { repeated.insert(id) }
  }

  /// Returns the id in a note's front matter, in its canonical form.
  private static func id(of path: String) throws -> String? {
    var count = 4096
    while true {
      let head = try SourceProbe.head(of: Source(path), count: count)
      switch id(in: head) {
      case .some(let id): return id.map { CanonicalUUID.canonical($0) }
      case .none:
        guard head.count == count, count < longest else { return nil }
        count *= 16
      }
    }
  }

  /// Returns the id in the first bytes of a note; `.some(nil)` if the front matter has no id, nil if it continues after
  /// these bytes.
  static func id(in head: [UInt8]) -> String?? {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...]
    guard text.starts(with: "---".utf8) || text.starts(with: "+++".utf8) else { return .some(nil) }
    return FrontMatterBlock(text.span).map { block in id(in: text.span, block).flatMap { $0.isEmpty ? nil : $0 } }
  }

  private static func id(in text: Span<UInt8>, _ block: FrontMatterBlock) -> String? {
    let content = text.extracting(block.content)
    let json =
      block.kind == .toml
      ? TOMLFrontMatter(Array(content)).json
      : NoteParser.plain(content) ?? (try? YAMLDocument(parsing: content))?.json
    guard let json else {
      return LenientFrontMatter.entries(text, content: block.content).first { $0.key.string == "id" }?.values.first?
        .string
    }
    return json.root["id"].flatMap(NoteMetadata.text)
  }
}
