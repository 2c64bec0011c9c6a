/// What one row of a table stands for.
///
/// - Source: formats/tables.md
public enum TableShape: String, Sendable, CaseIterable {
  /// A row is a step of a checklist.
  case steps
  /// A row is a card of a deck.
  case cards
  /// A row is an item of any type, with its document as Markdown or JSON.
  case catalogue
}
