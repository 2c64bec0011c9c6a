import Foundation
import Validation

/// The names by which links find the notes of a vault. The index takes about 100 bytes per note.
struct LinkNames {
  /// The target of a name.
  struct Found {
    /// The note. If several notes match, it is the note with the shortest path, or the first note with a path of that
    /// length.
    var note: Int32
    /// Whether other notes also have the name.
    var isAmbiguous = false
  }

  /// The notes by the hash of the whole path without its extension.
  private var paths: [UInt64: Int32] = [:]
  /// The notes by the hashes of path suffixes, such as `anchor` and `guides/anchor` for `en/guides/anchor`.
  private var ends: [UInt64: Found] = [:]
  private var aliases: [UInt64: Found] = [:]
  private var titles: [UInt64: Found] = [:]
  private var lengths: [UInt16] = []

  /// The maximum number of path components in a suffix. Links name a few folders at most.
  private static let depth = 8

  /// The number of notes.
  var count: Int { lengths.count }

  /// Adds the next note.
  /// - Parameter path: the path in the vault, with `/` between names, including the extension.
  mutating func add(path: String, title: String, aliases: [String]) {
    let note = Int32(clamping: lengths.count)
    lengths.append(UInt16(clamping: path.utf8.count))
    let name = Self.withoutEnding(path)
    let whole = LinkKey.name(name)
    if paths[whole] == nil { paths[whole] = note }
    var rest = name.utf8[...]
    var start = rest.endIndex
    for _ in 0..<Self.depth {
      guard let slash = rest.lastIndex(of: UInt8(ascii: "/")) else {
        start = name.startIndex
        break
      }
      start = name.utf8.index(after: slash)
      addEnd(note, LinkKey.name(name[start...]))
      rest = rest[..<slash]
    }
    if start == name.startIndex { addEnd(note, LinkKey.name(name)) }
    Self.add(note, LinkKey.title(title), to: &titles)
    for alias in aliases { Self.add(note, LinkKey.title(alias), to: &self.aliases) }
  }

  private mutating func addEnd(_ note: Int32, _ key: UInt64) {
    guard let found = ends[key] else {
      ends[key] = Found(note: note)
      return
    }
    let isShorter = lengths[Int(note)] < lengths[Int(found.note)]
    ends[key] = Found(note: isShorter ? note : found.note, isAmbiguous: true)
  }

  private static func add(_ note: Int32, _ key: UInt64, to names: inout [UInt64: Found]) {
    if names[key] == nil { names[key] = Found(note: note) } else { names[key]?.isAmbiguous = true }
  }

  /// Returns the note at a path.
  /// - Parameter path: the path from the vault's root, with or without an extension.
  func note(at path: String) -> Found? {
    let bare = Self.withoutEnding(path)
    let found = paths[LinkKey.name(bare)] ?? (bare.utf8.count != path.utf8.count ? paths[LinkKey.name(path)] : nil)
    return found.map { Found(note: $0) }
  }

  /// Returns the note for a name: a path suffix, an alias or a title.
  func note(called name: String) -> Found? {
    let bare = Self.withoutEnding(name)
    let hasEnding = bare.utf8.count != name.utf8.count
    if let found = ends[LinkKey.name(bare)] ?? (hasEnding ? ends[LinkKey.name(name)] : nil) { return found }
    let title = LinkKey.title(name)
    return aliases[title] ?? titles[title] ?? (hasEnding ? titles[LinkKey.title(bare)] : nil)
  }

  private static let endings = [Array(".md".utf8), Array(".markdown".utf8)]

  /// Returns a path without `.md` or `.markdown`.
  private static func withoutEnding(_ path: String) -> String {
    for ending in endings {
      guard path.utf8.count > ending.count else { continue }
      let last = path.utf8.suffix(ending.count)
      // The extensions are ASCII, in which a capital letter differs from its lower-case form in one bit.
      if zip(last, ending).allSatisfy({
        $0 == $1 || $1 != UInt8(ascii: ".") && $0 | 0x20 == $1
      }) {
        return String(path[..<last.startIndex])
      }
    }
    return path
  }
}

/// The files of a vault that are not notes, and the names by which links find them.
struct LinkFiles {
  /// The paths of the files in the vault.
  private(set) var paths: [String] = []
  private var byPath: [UInt64: Int32] = [:]
  /// The files by the hashes of path suffixes. If several files match, the file with the shortest path is used.
  private var byEnd: [UInt64: Int32] = [:]

  private static let depth = 8

  /// Adds the next file.
  mutating func add(_ path: String) {
    let file = Int32(clamping: paths.count)
    paths.append(path)
    if byPath[LinkKey.name(path)] == nil { byPath[LinkKey.name(path)] = file }
    var end = path.utf8.endIndex
    for _ in 0..<Self.depth {
      let slash = path.utf8[..<end].lastIndex(of: UInt8(ascii: "/"))
      let start = slash.map { path.utf8.index(after: $0) } ?? path.startIndex
      let key = LinkKey.name(path[start...])
      if let known = byEnd[key].map({ paths[Int($0)] }) {
        if path.utf8.count < known.utf8.count { byEnd[key] = file }
      } else {
        byEnd[key] = file
      }
      guard let slash else { break }
      end = slash
    }
  }

  /// Returns the file at a path from the vault's root.
  func file(at path: String) -> Int32? { checked(byPath[LinkKey.name(path)], path) }

  /// Returns the file for a name or a path suffix.
  func file(called name: String) -> Int32? { checked(byEnd[LinkKey.name(name)], name) }

  /// Returns the file if its name really matches. A hash alone is not proof, and a wrong match would import the bytes
  /// of another file.
  private func checked(_ file: Int32?, _ name: String) -> Int32? {
    guard let file else { return nil }
    return LinkKey.folded(paths[Int(file)]).reversed().starts(with: LinkKey.folded(name).reversed()) ? file : nil
  }
}

/// The folders of a vault, for links to folders: `[[guides/]]`. Each folder takes eight bytes.
struct LinkFolders {
  private var keys: Set<UInt64> = []
  /// The folder that was added last. Files arrive folder by folder, so most files need no further lookup.
  private var last = ""

  /// Adds all folders that contain a file.
  mutating func add(_ path: String) {
    guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
    var folder = path[..<slash]
    guard folder.utf8.elementsEqual(last.utf8) == false else { return }
    last = String(folder)
    while keys.insert(LinkKey.name(folder)).inserted {
      guard let slash = folder.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
      folder = folder[..<slash]
    }
  }

  /// Whether a link names a folder, relative to the vault's root or to the folder of the note that contains the link.
  func contains(_ link: String, from note: String) -> Bool {
    if keys.contains(LinkKey.name(LinkPath.name(link))) { return true }
    return LinkPath.resolved(link, from: note).map { keys.contains(LinkKey.name($0)) } ?? false
  }
}

/// Hashes by which links find their targets. If two strings have the same hash by chance, the only consequence is that
/// a dead link may go unreported.
enum LinkKey {
  /// Returns the hash of a file name or path. The hash ignores case and the difference between composed and decomposed
  /// letters (NFC, NFD).
  static func name(_ text: some StringProtocol) -> UInt64 {
    var hash = FNVHash()
    var isASCII = true
    for byte in text.utf8 {
      if byte >= 0x80 {
        isASCII = false
        break
      }
      hash.add(UInt64(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte))
    }
    if isASCII { return hash.value }
    hash = FNVHash()
    for byte in folded(text) { hash.add(UInt64(byte)) }
    return hash.value
  }

  /// Returns a name in the form used for comparison.
  static func folded(_ text: some StringProtocol) -> [UInt8] {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return text.utf8.map { $0 >= 0x41 && $0 <= 0x5A ? $0 | 0x20 : $0 }
    }
    return Array(NormalForm.composed(NormalForm.composed(String(text)).lowercased()).utf8)
  }

  /// Returns the hash of a title or an alias. The hash also ignores word separators.
  static func title(_ text: String) -> UInt64 { TextKey.hash(text, .words) }

  /// Returns the hash of a heading. Only letters and digits count, so that one hash serves for Obsidian's links
  /// (`#Before start`) and for the anchors of GitHub and other sites (`#before-start`).
  static func heading(_ text: String) -> UInt32 { short(TextKey.hash(text, .letters)) }

  /// Returns the hash of a heading that is given as a byte range of a note.
  static func heading(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
    short(TextKey.hash(bytes, .letters, in: range))
  }

  /// Returns the hash of a block mark such as `^abc`. It never equals the hash of a heading.
  static func block(_ mark: some StringProtocol) -> UInt32 {
    var hash = FNVHash()
    hash.add(0x5E)
    for byte in mark.utf8 { hash.add(UInt64(byte >= 0x41 && byte <= 0x5A ? byte | 0x20 : byte)) }
    return short(hash.value)
  }

  private static func short(_ value: UInt64) -> UInt32 { UInt32(truncatingIfNeeded: value ^ value >> 32) }
}

/// Resolves paths inside a vault, with `/` between names.
enum LinkPath {
  /// Returns the path to which a link resolves; nil if the path is outside the vault.
  /// - Parameters:
  ///   - link: the link as written; relative to the vault's root if it begins with `/`.
  ///   - note: the path of the note that contains the link.
  static func resolved(_ link: String, from note: String) -> String? {
    var parts: [Substring] = link.utf8.first == UInt8(ascii: "/") ? [] : note.split(separator: "/").dropLast()
    for part in link.split(separator: "/") where part != "." {
      if part == ".." {
        guard parts.popLast() != nil else { return nil }
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }

  /// Whether a link names the exact location of its file, so that a file with the same name elsewhere does not match.
  static func isExplicit(_ link: String) -> Bool {
    link.hasPrefix("./") || link.hasPrefix("../")
  }

  /// Returns a link in the form used to look up names: without leading, trailing and repeated slashes.
  static func name(_ link: String) -> String {
    // Most names have no slash.
    link.utf8.contains(UInt8(ascii: "/")) ? link.split(separator: "/").joined(separator: "/") : link
  }

  /// Opens a regular file inside a folder for reading. Symbolic links may point anywhere inside the folder.
  /// - Returns: a descriptor that the caller closes; nil if there is no such file.
  static func open(_ path: String, in folder: String) -> Int32? {
    guard !path.isEmpty, !path.utf8.contains(0), !path.split(separator: "/").contains(".."),
      let root = real(folder), let file = real(folder + "/" + path),
      file.utf8.starts(with: (root.hasSuffix("/") ? root : root + "/").utf8)
    else { return nil }
    // Without O_NONBLOCK, opening a pipe would wait for a writer.
    let descriptor = Foundation.open(file, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      return nil
    }
    return descriptor
  }

  /// Returns a path with symbolic links and dots resolved; nil if the file does not exist.
  static func real(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
