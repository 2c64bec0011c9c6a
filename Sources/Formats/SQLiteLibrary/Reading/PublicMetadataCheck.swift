import Content
import JSONText

/// Whether the app can decode what it knows about a publication.
enum PublicMetadataCheck {
  /// What is wrong, with its place in the column; nil when nothing is.
  static func problem(_ node: JSONNode) -> (message: String, pointer: String)? {
    guard node.kind == .object else { return ("publicMetadata is \(RowEncoder.name(of: node)), not an object", "") }
    func wrong(_ name: StaticString, _ expected: String) -> (String, String) {
      let value = node.member(name)
      return (
        "'\(name)' is \(value.map { RowEncoder.name(of: $0) } ?? "missing")\(expected)", value == nil ? "" : "/\(name)"
      )
    }
    if node.member("publishedAt")?.kind != .number {
      return wrong("publishedAt", " where a number (seconds since 2001) was expected")
    }
    if node.member("publicID")?.kind != .string { return wrong("publicID", ", no string") }
    if node.member("canFork")?.bool == nil { return wrong("canFork", ", no boolean") }
    if node.member("authorUsername")?.kind != .string { return wrong("authorUsername", ", no string") }
    if let author = node.member("authorUserId"), !author.isNull,
      author.string.map({ UUIDText.form(of: $0) == .none }) ?? true
    {
      return ("'authorUserId' is no UUID", "/authorUserId")
    }
    return nil
  }
}
