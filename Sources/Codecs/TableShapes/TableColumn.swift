/// What a column of a table means, whatever its header says.
///
/// The raw value is the header that FleetKit writes, and what `--map HEADER=COLUMN` takes.
/// - Source: formats/tables.md
public enum TableColumn: String, Sendable, CaseIterable {
  // Steps
  case checklist, section, item, required, optional, minutes, details
  case checklistID = "checklist_id", sectionID = "section_id", itemID = "item_id"
  // Cards
  case deck, front, back, hint
  case deckID = "deck_id", cardID = "card_id"
  // Catalogue
  case title, description, document, id
  // Every shape
  case type, language, tags, created, updated
}
