import Content
import Diagnostics
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

/// Whether a queued operation's payload can be sent, and what is wrong with it.
enum PayloadCheck {
  static func problems(_ node: JSONNode) -> [(DiagnosticCode, String, String)] {
    guard node.kind == .object else {
      return [(.payloadUndecodable, "the payload is \(RowEncoder.name(of: node)), not an object", "")]
    }
    // {"public_id":"…"} is all that an unpublish needs.
    if node.token.count == 1, node.member("public_id")?.kind == .string { return [] }
    var problems: [(DiagnosticCode, String, String)] = []
    for name: StaticString in ["contentType", "publicID", "contentData"] where node.member(name) != nil {
      problems.append(
        (.payloadUndecodable, "'\(name)' is written in camelCase; the registry wants snake_case", "/\(name)"))
    }
    if let data = node.member("content_data") ?? node.member("contentData") {
      if data.kind == .string {
        let name = node.member("content_data") != nil ? "content_data" : "contentData"
        problems.append((.payloadUndecodable, "'\(name)' is a JSON string, not an object", "/\(name)"))
      } else if data.member("createdAt")?.kind == .number || data.member("updatedAt")?.kind == .number {
        problems.append((.payloadNotForkable, "'createdAt' is a number of seconds", "/content_data/createdAt"))
      }
    } else if problems.isEmpty {
      problems.append((.payloadUndecodable, "'content_data' is missing", ""))
    }
    if problems.isEmpty || !problems.contains(where: { $0.2 == "/publicID" }) {
      if node.member("public_id") == nil, node.member("publicID") == nil {
        problems.append((.payloadUndecodable, "'public_id' is missing", ""))
      }
    }
    return problems
  }
}

/// Ids of the sections and items of one checklist.
enum InnerIDs {
  /// An id that occurs twice among the tokens, or nil.
  static func firstDuplicate(_ indices: [Int], in node: JSONNode) -> String? {
    guard indices.count > 1 else { return nil }
    if indices.count > 64 {
      var seen = Set<String>()
      for index in indices {
        let id = (node.at(index).string ?? "").uppercased()
        if !seen.insert(id).inserted { return id }
      }
      return nil
    }
    // Few ids: comparing the first and last eight bytes of each pair is faster than hashing.
    for right in 1..<indices.count {
      let key = prefix(node.at(indices[right]))
      for left in 0..<right where prefix(node.at(indices[left])) == key {
        if let id = node.at(indices[right]).string, id.uppercased() == node.at(indices[left]).string?.uppercased() {
          return id
        }
      }
    }
    return nil
  }

  @inline(__always)
  private static func prefix(_ node: JSONNode) -> UInt64 {
    let inner = node.inner
    guard inner.count >= 8, let base = inner.baseAddress else { return UInt64(inner.count) }
    // Bit 5 is what tells a lower-case letter from an upper-case one.
    return UnsafeRawPointer(base).loadUnaligned(as: UInt64.self) | 0x2020_2020_2020_2020
  }
}
