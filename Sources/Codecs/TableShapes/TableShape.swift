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

/// An example of each shape for users to fill in: the header and a few rows.
public enum TableTemplate {
  /// Returns the columns of a template. Ids and times are omitted, because FleetKit writes them.
  public static func columns(_ shape: TableShape) -> [TableColumn] {
    switch shape {
    case .steps: [.checklist, .section, .item, .required, .optional, .minutes, .tags, .details, .language, .type]
    case .cards: [.deck, .front, .back, .hint, .tags, .language]
    case .catalogue: [.title, .type, .document, .description, .tags, .language]
    case .charters: [.charter, .start, .end, .boat, .location]
    }
  }

  /// Returns the header and the example rows, with a string for each column.
  public static func rows(_ shape: TableShape) -> [[String]] {
    let header = columns(shape).map(\.rawValue)
    switch shape {
    case .steps:
      return [
        header,
        [
          "Casting off", "Below deck", "Check the bilge", "yes", "", "2", "safety",
          "Dry, and the pump's switch on automatic.", "en", "pre_charter",
        ],
        [
          "Casting off", "Below deck", "Close all hatches and seacocks of the heads", "yes", "", "3", "safety", "",
          "en", "",
        ],
        [
          "Casting off", "On deck", "Start the engine and look for cooling water", "yes", "", "5", "engine",
          "Water must come out of the exhaust within ten seconds.", "en", "",
        ],
        ["Casting off", "On deck", "Take in the passerelle", "", "yes", "", "", "", "en", ""],
      ]
    case .cards:
      return [
        header,
        [
          "Lights and shapes", "What does a vessel at anchor show by day?", "One black ball, forward.",
          "A single shape", "colregs, day shapes", "en",
        ],
        [
          "Lights and shapes", "Which side light is red?", "The one to port.", "Port wine is red", "colregs, lights",
          "en",
        ],
        [
          "Lights and shapes", "How far must a masthead light of a 15 m boat be seen?", "3 nautical miles.", "",
          "colregs, lights", "en",
        ],
      ]
    case .catalogue:
      return [
        header,
        [
          "Anchoring in the Cyclades", "practice_guide",
          "# Anchoring in the Cyclades\n\nLook for sand, let out five times the depth, and watch the gusts from the hills.",
          "How to anchor where the meltemi blows.", "anchoring, greece", "en",
        ],
        [
          "Man overboard", "checklist",
          "- [ ] Shout and point\n- [ ] Press MOB on the plotter\n- [ ] Throw the lifebuoy",
          "The first minute.", "safety", "en",
        ],
      ]
    case .charters:
      return [
        header,
        ["Saronic in June", "2026-06-06", "2026-06-13", "Maia", "Athens"],
        ["Ionian in September", "2026-09-05", "2026-09-12", "Maia", "Corfu"],
      ]
    }
  }

  // MARK: .

  /// Writes the template of a shape as a table.
  /// - Throws: `RunFailure` if it cannot be written.
  package static func write(_ shape: TableShape, to sink: any TableSink) throws {
    try sink.begin(TableRowWriter.name(of: shape), columns: columns(shape), others: [])
    for texts in rows(shape).dropFirst() {
      var row = TableRow()
      for text in texts {
        row.cells.append(TableRow.Cell(start: row.bytes.count, length: text.utf8.count))
        row.bytes.append(utf8: text)
      }
      try sink.write(row)
    }
    try sink.end()
  }
}
