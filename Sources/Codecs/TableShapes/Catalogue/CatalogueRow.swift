import Content
import Interchange
import JSONText

/// One row of a catalogue, kept while the rows around it are read.
struct CatalogueRow {
  /// What its document is.
  enum Document {
    /// There is none.
    case none
    /// The Markdown of a guide.
    case guide
    /// The inside of `content_data`.
    case json
    /// A note that the format of notes reads.
    case note
  }

  let row: BatchRows.Row
  var id: UUIDBits
  var type: ContentType?
  var document: Document
  /// The cells' texts by column; empty for what the row does not say.
  var texts: [TableColumn: [UInt8]]
  /// Times and the language as JSON.
  var language: String?
  var created: Timestamp?
  var updated: Timestamp?
  /// Whose work it is, as JSON.
  var lineage: [TableColumn: String] = [:]
  /// Warnings are said, errors reject it.
  var problems: [RowProblem]

  func text(_ column: TableColumn) -> [UInt8] { texts[column] ?? [] }

  /// Whether a document begins with front matter of its own.
  var hasFrontMatter: Bool {
    text(.document).starts(with: Array("---\n".utf8)) || text(.document).starts(with: Array("---\r\n".utf8))
  }
}
