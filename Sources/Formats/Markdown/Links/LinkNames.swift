/// The names by which links find the notes of a vault. Some 100 bytes a note.
struct LinkNames {
  /// What a name leads to.
  struct Found {
    /// The note: of several, the one whose path is shortest, and of those the first.
    var note: Int32
    /// Whether other notes have the name too.
    var isAmbiguous = false
  }

  /// Whole paths without ending.
  private var paths: [UInt64: Int32] = [:]
  /// Ends of paths, `anchor` and `guides/anchor` of `en/guides/anchor`.
  private var ends: [UInt64: Found] = [:]
  private var aliases: [UInt64: Found] = [:]
  private var titles: [UInt64: Found] = [:]
  private var lengths: [UInt16] = []

  /// Links name a few folders at most.
  private static let depth = 8

  /// How many notes there are.
  var count: Int { lengths.count }

  /// Takes the next note.
  /// - Parameter path: in the vault, `/` between names, with its ending.
  mutating func add(path: String, title: String, aliases: [String]) {
    let note = Int32(clamping: lengths.count)
    lengths.append(UInt16(clamping: path.utf8.count))
    let name = Self.withoutEnding(path)
    if paths[LinkKey.name(name)] == nil { paths[LinkKey.name(name)] = note }
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

  /// The note at a path.
  /// - Parameter path: from the vault's root, with or without ending.
  func note(at path: String) -> Found? {
    let found = paths[LinkKey.name(Self.withoutEnding(path))] ?? paths[LinkKey.name(path)]
    return found.map { Found(note: $0) }
  }

  /// The note that a name means: the end of a path, an alias, a title.
  func note(called name: String) -> Found? {
    let bare = Self.withoutEnding(name)
    return ends[LinkKey.name(bare)] ?? ends[LinkKey.name(name)] ?? aliases[LinkKey.title(name)]
      ?? titles[LinkKey.title(name)] ?? titles[LinkKey.title(bare)]
  }

  /// A path without `.md` or `.markdown`.
  static func withoutEnding(_ path: String) -> String {
    for ending in [".md", ".markdown"]
    where path.utf8.count > ending.utf8.count && path.suffix(ending.count).lowercased() == ending {
      return String(path.dropLast(ending.count))
    }
    return path
  }
}
