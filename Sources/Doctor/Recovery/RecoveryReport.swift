import JSONText
import SQLiteRecovery

extension LibraryRecovery {
  /// The result of a recovery.
  public struct Report: Sendable {
    /// The outcome of the rows of one table.
    public struct Table: Encodable, Sendable, Equatable {
      /// The name of the table.
      public let name: String
      /// The number of rows in the table's own tree.
      public internal(set) var reachable = 0
      /// The number of rows on damaged or unreachable pages, each listed by a sound index.
      public internal(set) var confirmed = 0
      /// The number of rows that may be deleted or old. They are in the quarantine, not in the library.
      public internal(set) var uncertain = 0
      /// The number of rows that were not found although an index lists them or another table refers to them.
      public internal(set) var missing = 0

      enum CodingKeys: String, CodingKey { case name = "table", reachable, confirmed, uncertain, missing }
    }

    /// A row that is not in the new library.
    public struct Missing: Encodable, Sendable, Equatable {
      /// The table of the row.
      public let table: String
      /// The id of the row.
      public let id: String
      /// The title of the item; nil if unknown.
      public internal(set) var title: String?
      /// The index or table that contains the id.
      public let knownFrom: String
      /// Whether a row with this id is in the quarantine.
      public let isUncertain: Bool
    }

    /// A broken page, or a broken part of a page.
    public struct Damage: Encodable, Sendable, Equatable {
      /// The number of the page, from 1.
      public let page: Int
      /// The table or index that the page belongs to; nil if unknown.
      public let owner: String?
      /// Whether the owner is an index, which has no content of its own.
      public let isIndex: Bool
      /// The damage, as a name for scripts: `malformedPage`.
      public let reason: String
      /// The broken row; nil if the row is unknown, or not a single row is broken.
      public let row: String?
    }

    /// The app's version of the schema.
    public internal(set) var version = ""
    /// The size of a page in bytes.
    public internal(set) var pageSize = 0
    /// The number of pages that were read.
    public internal(set) var pages = 0
    /// Remarks on opening the file, for people.
    public internal(set) var notes: [String] = []
    /// Every table, in the order in which they are filled.
    public internal(set) var tables: [Table] = []
    /// Broken pages and parts of pages; the first 1,000.
    public internal(set) var damages: [Damage] = []
    /// The number of broken pages and parts of pages.
    public internal(set) var damageCount = 0
    /// Rows that are missing; the first 1,000.
    public internal(set) var missing: [Missing] = []
    /// Tables and indexes that are missing from the new library, with the reasons.
    public internal(set) var refused: [String] = []
    /// The bundles with uncertain rows. The first one has one version of each row.
    public internal(set) var quarantine: [String] = []
    /// The damaged library's sidecar, where FleetKit keeps records that the app has no table for; nil if it is missing.
    public internal(set) var folder: String?
    /// The size of the new library in bytes.
    public internal(set) var bytes = 0

    /// The number of rows in the new library.
    public var restored: Int { tables.reduce(0) { $0 + $1.reachable + $1.confirmed } }
    /// The number of rows in the quarantine.
    public var uncertain: Int { tables.reduce(0) { $0 + $1.uncertain } }
    /// The number of rows that were not found.
    public var missingCount: Int { tables.reduce(0) { $0 + $1.missing } }
    /// Whether the recovery is complete: nothing is missing or uncertain, and nothing was broken.
    public var isWhole: Bool { damageCount == 0 && uncertain == 0 && missingCount == 0 && refused.isEmpty }
  }
}

extension DatabaseImage.Note {
  /// The remark for people.
  var words: String {
    switch self {
    case .empty: "the file is empty"
    case .headerDamaged: "the file's header is damaged"
    case .pageSizeGuessed: "the page size was guessed"
    case .pageSizeUnknown: "the page size is unknown; 4096 is assumed"
    case .encodingGuessed: "the text encoding was guessed"
    case .truncated(0): "the last page is truncated"
    case .truncated(let pages): "the file is truncated: \(pages) page\(pages == 1 ? " is" : "s are") missing"
    case .journalApplied(let pages): "a journal was applied: \(Plural.count(pages, "page"))"
    case .journalBroken: "the end of the journal is damaged"
    case .journalInvalid: "the journal belongs to another library"
    case .journalSuperseded: "the journal belongs to a transaction that was committed"
    case .walApplied(let frames): "the write-ahead log was applied: \(Plural.count(frames, "frame"))"
    case .walBroken(let frame): "the write-ahead log is damaged, beginning at frame \(frame + 1)"
    case .walInvalid: "the write-ahead log belongs to another library"
    case .walUncommitted(let frames):
      "the log has \(Plural.count(frames, "frame that was", "frames that were")) never committed"
    case .sideFileUnreadable(let name): "'\(name)' cannot be read"
    }
  }
}
