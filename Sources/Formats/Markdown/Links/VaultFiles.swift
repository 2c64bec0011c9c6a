/// The files of a vault that are no notes, and the names by which links find them.
struct VaultFiles {
  /// Paths in the vault.
  private(set) var paths: [String] = []
  private var byPath: [UInt64: Int32] = [:]
  /// Ends of paths; of several files the one whose path is shortest.
  private var byEnd: [UInt64: Int32] = [:]

  private static let depth = 8

  /// Takes the next file.
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

  /// The file at a path from the vault's root.
  func file(at path: String) -> Int32? { checked(byPath[LinkKey.name(path)], path) }

  /// The file that a name, or the end of a path, means.
  func file(called name: String) -> Int32? { checked(byEnd[LinkKey.name(name)], name) }

  /// A file is taken along with its bytes: a number alone is not enough to say that it is the one.
  private func checked(_ file: Int32?, _ name: String) -> Int32? {
    guard let file else { return nil }
    return LinkKey.folded(paths[Int(file)]).reversed().starts(with: LinkKey.folded(name).reversed()) ? file : nil
  }
}
