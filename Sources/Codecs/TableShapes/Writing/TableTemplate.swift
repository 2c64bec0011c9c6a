import Interchange

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

  /// Returns the header and the example rows, with a text for each column.
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
