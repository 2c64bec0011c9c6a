import JSONText
import SQLiteRecovery

extension LibraryRecovery {
  /// What was recovered, and what was not.
  public struct Report: Sendable {
    /// What became of the rows of one table.
    public struct Table: Encodable, Sendable, Equatable {
      /// Its name.
      public let name: String
      /// Rows that the table's own tree has.
      public internal(set) var reachable = 0
      /// Rows of pages that no tree names or that are damaged, each listed by a sound index.
      public internal(set) var confirmed = 0
      /// Rows that may be deleted or old: they are in the quarantine, not in the library.
      public internal(set) var uncertain = 0
      /// Rows that are listed by an index or mentioned by another table, and were not found.
      public internal(set) var missing = 0

      enum CodingKeys: String, CodingKey { case name = "table", reachable, confirmed, uncertain, missing }
    }

    /// A row that is not in the new library.
    public struct Missing: Encodable, Sendable, Equatable {
      /// Its table.
      public let table: String
      /// Its id.
      public let id: String
      /// What the item is called; nil if unknown.
      public internal(set) var title: String?
      /// Where the id is known from: an index, or a table.
      public let knownFrom: String
      /// Whether a row of this id is in the quarantine.
      public let isUncertain: Bool
    }

    /// A page, or a part of one, that is broken.
    public struct Damage: Encodable, Sendable, Equatable {
      /// The page, counted from 1.
      public let page: Int
      /// The table or index that it belongs to; nil if unknown.
      public let owner: String?
      /// Whether that is an index, which holds no content of its own.
      public let isIndex: Bool
      /// What is wrong, as a name for scripts: `malformedPage`.
      public let reason: String
      /// The row that is broken; nil if it is not a single one, or unknown.
      public let row: String?
    }

    /// The app's version of the schema.
    public internal(set) var version = ""
    /// Bytes of a page.
    public internal(set) var pageSize = 0
    /// Pages that were read.
    public internal(set) var pages = 0
    /// What was found when the file was opened, in words.
    public internal(set) var notes: [String] = []
    /// Every table, in the order in which they are filled.
    public internal(set) var tables: [Table] = []
    /// Broken places; the first 1,000.
    public internal(set) var damages: [Damage] = []
    /// How many broken places there are.
    public internal(set) var damageCount = 0
    /// Rows that are missing; the first 1,000.
    public internal(set) var missing: [Missing] = []
    /// Tables and indexes that the new library does not have, with the reason.
    public internal(set) var refused: [String] = []
    /// The bundles with what is uncertain: the first one has one version of each row.
    public internal(set) var quarantine: [String] = []
    /// The damaged library's folder, where FleetKit keeps what the app has no table for; nil if there is none.
    public internal(set) var folder: String?
    /// The size of the new library in bytes.
    public internal(set) var bytes = 0

    /// Rows in the new library.
    public var restored: Int { tables.reduce(0) { $0 + $1.reachable + $1.confirmed } }
    /// Rows that are in the quarantine.
    public var uncertain: Int { tables.reduce(0) { $0 + $1.uncertain } }
    /// Rows that were not found.
    public var missingCount: Int { tables.reduce(0) { $0 + $1.missing } }
    /// Whether nothing is missing or uncertain, and nothing was broken.
    public var isWhole: Bool { damageCount == 0 && uncertain == 0 && missingCount == 0 && refused.isEmpty }
  }
}

extension DatabaseImage.Note {
  /// What was found, in words.
  var words: String {
    switch self {
    case .empty: "the file is empty"
    case .headerDamaged: "the file's header is damaged"
    case .pageSizeGuessed: "the page size was guessed"
    case .pageSizeUnknown: "the page size is unknown; 4096 is assumed"
    case .encodingGuessed: "the text encoding was guessed"
    case .truncated(0): "the last page is cut off"
    case .truncated(let pages): "the file is cut off: \(pages) page\(pages == 1 ? " is" : "s are") missing"
    case .journalApplied(let pages): "a journal was applied: \(Plural.count(pages, "page"))"
    case .journalBroken: "the end of the journal is damaged"
    case .journalInvalid: "the journal is not of this library"
    case .journalSuperseded: "the journal belongs to a transaction that was committed"
    case .walApplied(let frames): "the write-ahead log was applied: \(Plural.count(frames, "frame"))"
    case .walBroken(let frame): "the write-ahead log is damaged from frame \(frame + 1) on"
    case .walInvalid: "the write-ahead log is not of this library"
    case .walUncommitted(let frames):
      "the log has \(Plural.count(frames, "frame that was", "frames that were")) never committed"
    case .sideFileUnreadable(let name): "'\(name)' cannot be read"
    }
  }
}
