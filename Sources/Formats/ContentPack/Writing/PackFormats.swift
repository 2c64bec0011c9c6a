import Interchange

/// The formats in which the files of a pack are written and read. The format registry supplies them, because formats do
/// not depend on each other.
public struct PackFormats: Sendable {
  /// The format of notes in Markdown, which is used for guides.
  public let notes: any MemberFormat
  /// The format of single records as JSON documents. It is used for checklists, decks, and guides that a note cannot
  /// represent.
  public let documents: any MemberFormat
  /// The format of bundles with one record a line, which is used for all other records.
  public let lines: any MemberFormat

  /// Creates the set of formats.
  public init(notes: any MemberFormat, documents: any MemberFormat, lines: any MemberFormat) {
    self.notes = notes
    self.documents = documents
    self.lines = lines
  }
}
