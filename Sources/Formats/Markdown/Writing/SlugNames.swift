import Interchange

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
  /// Names that nobody else may get, as file systems compare them that take `A` for `a`.
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

  /// The name of an item's file; nobody else gets it.
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
