/// What people call the sides of a conflict, and how they settle it.
public struct ConflictWords: Sendable {
  /// The version that stays.
  public let library: String
  /// The version that comes in.
  public let source: String
  /// What both come from.
  public let base: String
  /// Where something was deleted: the end of a label.
  private let deleted: (library: String, source: String)
  /// Who both are, at the beginning of a sentence.
  private let both: (changed: String, have: String)
  /// What stands behind the name of what both changed.
  private let since: String
  /// What the page of conflicts says at its beginning.
  let introduction: String
  /// Commands that settle the conflicts of one item, by its id; none where the introduction says it all.
  private let commands: (@Sendable (String) -> [String])?

  /// Those of an import.
  public static let ofImport = ConflictWords(
    library: "library", source: "source", base: "last import", deleted: ("in the library", "in the source"),
    both: ("both sides changed", "both sides have"), since: " since the last import",
    introduction: """
      Both sides changed these. The library keeps what it says; what the source says is in the file of rejects. Settle
      them in the source or in the app and import again, or let one side win with `--ours` or `--theirs`.
      """, commands: nil)

  /// Those of a pull.
  /// - Parameter path: the library as the user named it.
  public static func ofPull(into path: String) -> ConflictWords {
    ConflictWords(
      library: "this library", source: "the registry", base: "what both come from",
      deleted: ("in this library", "in the registry"),
      both: ("this library and the registry both changed", "this library and the registry have"), since: "",
      introduction: """
        This library and the registry both changed these. This library keeps what it says; what the registry says is in
        the file of rejects, too. Say for each item who wins: that settles the places below, and merges all the rest of
        the item.
        """,
      commands: { id in
        [
          "fleetkit pull \(path) --id \(id) --take local     # this library wins",
          "fleetkit pull \(path) --id \(id) --take remote    # the registry wins",
        ]
      })
  }

  /// A conflict that a merge of branches found, in these words.
  func name(_ conflict: MergeConflict) -> MergeConflict {
    for (words, place) in [(", deleted by ours", deleted.library), (", deleted by theirs", deleted.source)]
    where conflict.label.utf8.suffix(words.utf8.count).elementsEqual(words.utf8) {
      let head = String(decoding: conflict.label.utf8.dropLast(words.utf8.count), as: UTF8.self)
      return MergeConflict(
        pointer: conflict.pointer, label: "\(head), deleted \(place)", base: conflict.base, ours: conflict.ours,
        theirs: conflict.theirs)
    }
    return conflict
  }

  /// What both changed, in a line.
  /// - Parameter hasBase: whether it is known what both come from.
  func message(_ conflicts: [MergeConflict], hasBase: Bool) -> String {
    let first = conflicts.first?.label ?? "the record"
    let more = conflicts.count > 1 ? " (and \(conflicts.count - 1) more)" : ""
    return hasBase ? "\(both.changed) \(first)\(more)\(since)" : "\(both.have) \(first)\(more) differently"
  }

  /// Commands that settle the conflicts of one item, a line each.
  func commands(_ id: String) -> [String] { commands?(id) ?? [] }
}
