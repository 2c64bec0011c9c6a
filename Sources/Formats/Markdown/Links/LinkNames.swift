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

  /// The note at a path.
  /// - Parameter path: from the vault's root, with or without ending.
  func note(at path: String) -> Found? {
    let bare = Self.withoutEnding(path)
    let found = paths[LinkKey.name(bare)] ?? (bare.utf8.count != path.utf8.count ? paths[LinkKey.name(path)] : nil)
    return found.map { Found(note: $0) }
  }

  /// The note that a name means: the end of a path, an alias, a title.
  func note(called name: String) -> Found? {
    let bare = Self.withoutEnding(name)
    let hasEnding = bare.utf8.count != name.utf8.count
    if let found = ends[LinkKey.name(bare)] ?? (hasEnding ? ends[LinkKey.name(name)] : nil) { return found }
    let title = LinkKey.title(name)
    return aliases[title] ?? titles[title] ?? (hasEnding ? titles[LinkKey.title(bare)] : nil)
  }

  /// A path without `.md` or `.markdown`.
  static func withoutEnding(_ path: String) -> String {
    for ending: StaticString in [".md", ".markdown"] {
      let count = ending.utf8CodeUnitCount
      guard path.utf8.count > count else { continue }
      let last = path.utf8.suffix(count)
      // Endings are ASCII, whose capitals differ in one bit.
      if zip(last, UnsafeBufferPointer(start: ending.utf8Start, count: count)).allSatisfy({
        $0 == $1 || $1 != UInt8(ascii: ".") && $0 | 0x20 == $1
      }) {
        return String(path[..<last.startIndex])
      }
    }
    return path
  }
}
