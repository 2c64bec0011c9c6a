import Interchange

extension VaultPath {
  /// Whether a path is one that an item would get by its type, its title and its id, so that nobody need note it.
  static func isUsual(_ path: String, for record: NoteRecord) -> Bool {
    let slug = Slug.of(record.title)
    let usual = folder(of: record.type) + "/" + slug
    return path == usual + ".md" || path == usual + "-" + record.id.prefix(8).lowercased() + ".md"
  }
}
