import Content
import JSONText

/// Whether the app can decode what it knows about a publication.
enum PublicMetadataCheck {
  /// What is wrong, or nil.
  static func problem(_ node: JSONNode) -> String? {
    guard node.kind == .object else { return "publicMetadata is \(RowEncoder.name(of: node)), not an object" }
    if node.member("publishedAt")?.kind != .number {
      return "'publishedAt' is \(found(node, "publishedAt")) where a number (seconds since 2001) was expected"
    }
    if node.member("publicID")?.kind != .string { return "'publicID' is \(found(node, "publicID")), no string" }
    if node.member("canFork")?.bool == nil { return "'canFork' is \(found(node, "canFork")), no boolean" }
    if node.member("authorUsername")?.kind != .string {
      return "'authorUsername' is \(found(node, "authorUsername")), no string"
    }
    if let author = node.member("authorUserId"), !author.isNull,
      author.string.map({ UUIDText.form(of: $0) == .none }) ?? true
    {
      return "'authorUserId' is no UUID"
    }
    return nil
  }

  private static func found(_ node: JSONNode, _ name: StaticString) -> String {
    node.member(name).map { RowEncoder.name(of: $0) } ?? "missing"
  }
}
