import Interchange

/// The kind of value that a row of a table represents.
///
/// - Source: formats/tables.md
public enum TableShape: String, Sendable, CaseIterable {
  /// A row is a step in a checklist.
  case steps
  /// A row is a card in a deck.
  case cards
  /// A row is an item of any type, with its document as Markdown or JSON.
  case catalogue
  /// A row is a charter: a trip on a boat.
  case charters
}

/// The meaning of a table column, regardless of its header.
///
/// The raw value is the header that FleetKit writes and the name of the column in `--map HEADER=COLUMN`.
/// - Source: formats/tables.md
public enum TableColumn: String, Sendable, CaseIterable {
  // Steps
  case checklist, section, item, required, optional, minutes, details
  case checklistDescription = "checklist_description", checklistTags = "checklist_tags"
  case checklistID = "checklist_id", sectionID = "section_id", itemID = "item_id"
  // Cards
  case deck, front, back, hint
  case deckDescription = "deck_description", deckTags = "deck_tags"
  case deckID = "deck_id", cardID = "card_id"
  // Catalogue
  case title, description, document, id
  // Charters
  case charter, start, end, boat, location
  case charterID = "charter_id"
  // Every shape
  case type, language, tags, created, updated
  // The lineage, in every shape; written if an item has one
  case forkedFromID = "forked_from_id", forkCount = "fork_count"
  case originalAuthorUsername = "original_author_username", originalAuthorUserID = "original_author_user_id"
  case originalContentPublicID = "original_content_public_id"

  /// The lineage columns in the order of writing. Each column has the name of its member.
  package static let lineage: [TableColumn] = [
    .forkedFromID, .forkCount, .originalAuthorUsername, .originalAuthorUserID, .originalContentPublicID,
  ]
}

/// A table format that can write an example for users to fill in.
public protocol TableTemplateFormat: Format {
  /// Writes a table with an example of a shape.
  /// - Parameter options: the table's options, if the format has such options.
  /// - Returns: the size of the file in bytes.
  /// - Throws: `RunFailure` with status 4 if the target already exists.
  func writeTemplate(_ shape: TableShape, to target: Target, _ options: TableOptions) throws -> Int
}
