import Interchange

extension MarkdownFormat: MemberFormat {
  /// Opens notes that lie inside something larger. Each is an item; what Markdown cannot say is not looked for.
  public func reader(of members: any MemberSource, context: RunContext) throws -> any ContentReader {
    MemberNotesReader(members, context: context)
  }
}
