import Interchange

/// The formats that the files of a pack are written and read in; a registry gives them, because no format knows
/// another one.
public struct PackFormats: Sendable {
  /// Notes in Markdown: guides.
  public let notes: any MemberFormat
  /// Single records as JSON documents: checklists, decks, and what no note can say.
  public let documents: any MemberFormat
  /// Bundles of lines: everything else.
  public let lines: any MemberFormat

  /// Names the formats.
  public init(notes: any MemberFormat, documents: any MemberFormat, lines: any MemberFormat) {
    self.notes = notes
    self.documents = documents
    self.lines = lines
  }
}
