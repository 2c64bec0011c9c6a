import Content

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

  /// Whether nobody has a path, nor a folder of that name.
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

  /// Whether a note stands at a path in the vault that no item of the run has.
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
  /// - Parameter owns: whether a note without an id that stands there is the item's.
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
