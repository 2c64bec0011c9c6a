import Interchange

/// The formats in which the files of a pack are written and read. A registry passes them in, because formats do not
/// depend on each other.
public struct PackFormats: Sendable {
  /// Notes in Markdown: guides.
  public let notes: any MemberFormat
  /// Single records as JSON documents: checklists, decks, and guides that a note cannot represent.
  public let documents: any MemberFormat
  /// Bundles of lines: all other records.
  public let lines: any MemberFormat

  /// Creates the set of formats.
  public init(notes: any MemberFormat, documents: any MemberFormat, lines: any MemberFormat) {
    self.notes = notes
    self.documents = documents
    self.lines = lines
  }
}
