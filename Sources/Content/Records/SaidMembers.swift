/// The members that a source has a place for, where it has none for most: a table says only what it has columns for.
///
/// What a source cannot say is no change: an import takes it from the library's record of the same identity.
public struct SaidMembers: Sendable, Equatable {
  /// Members of an item, `title`, `tags`.
  public var item: Set<String>
  /// Members of its document, `checklistType`; those that repeat the item's follow the item's.
  public var document: Set<String>
  /// Members of sections.
  public var section: Set<String>
  /// Members of steps, or of cards.
  public var step: Set<String>

  /// Names them.
  public init(item: Set<String>, document: Set<String>, section: Set<String>, step: Set<String>) {
    self.item = item
    self.document = document
    self.section = section
    self.step = step
  }
}
