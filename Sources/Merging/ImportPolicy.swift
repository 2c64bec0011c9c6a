/// What an import was asked to do with the records that it meets.
package struct ImportPolicy: Sendable {
  /// What becomes of a record that the library has in another version.
  package var onConflict: OnConflict
  /// What merging does where both sides changed the same thing.
  package var settling: ConflictSettling
  /// Whether a library that is not there is made.
  package var creates: Bool
  /// Whether publication is taken from the source too, as restoring a backup does.
  package var restoresPublishing: Bool
  /// Whether the source is what an earlier import rejected: it says nothing of what it does not have.
  package var isRetry: Bool
  /// Whether a note that looks like one that is gone is the same item.
  package var renames: RenamePolicy

  package init(
    onConflict: OnConflict = .merge, settling: ConflictSettling = .reject, creates: Bool = false,
    restoresPublishing: Bool = false, isRetry: Bool = false,
    renames: RenamePolicy = .decline
  ) {
    self.onConflict = onConflict
    self.settling = settling
    self.creates = creates
    self.restoresPublishing = restoresPublishing
    self.isRetry = isRetry
    self.renames = renames
  }
}

/// What an import does with a note that is probably an item of the library, under another path and another title.
public enum RenamePolicy: Sendable {
  /// It is the same item.
  case accept
  /// It is a new item, and a warning names both.
  case decline
  /// The user is asked.
  case ask(@Sendable (_ question: String) throws -> Bool)
}

/// What an import does with a record that the library has already, in another version.
public enum OnConflict: String, Sendable, CaseIterable {
  /// Both, merged against what the source said at its last import; a conflict where both changed the same thing. Where
  /// that is unknown, the newer one when both have a time, else a conflict.
  case merge
  /// The newer one; equally old, the source's.
  case newest
  /// The library's.
  case keep
  /// The source's.
  case replace
  /// Stop; nothing is imported.
  case fail
}
