import JSONText

/// The hash of a record's content, independent of its ids, times and status.
///
/// The hash is the SHA-256 of the canonical form without those members. Two items with the same text have the same hash
/// in any library. The hash is stable across versions: omitting other members requires a new bundle version.
public enum ContentHash {
  /// Returns the hash of a canonical record as 64 hexadecimal digits.
  /// - Throws: `JSONError` if the line is not JSON.
  public static func of(_ record: Record) throws(JSONError) -> String {
    try of(line: record.batch.line(record.slot))
  }

  package static func of(line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> String {
    Digest.hex(try bytes(of: line))
  }

  /// Returns the hash as 32 bytes.
  package static func bytes(of line: UnsafeBufferPointer<UInt8>) throws(JSONError) -> [UInt8] {
    var tape = JSONTape(capacity: line.count / 8 + 16)
    let parse = try tape.parse(line)
    guard let base = line.baseAddress else { throw JSONError(.empty, at: 0) }
    var out = ByteBuffer(capacity: line.count)
    write(JSONNode(text: base, tokens: tape.tokens, index: parse.root), into: &out)
    return Digest.sha256(out.bytes)
  }

  private static func write(_ node: JSONNode, into out: inout ByteBuffer) {
    switch node.kind {
    case .object:
      out.append(UInt8(ascii: "{"))
      node.forEachMember { name, value in
        // Null means no value, so an optional member that is null equals a missing one.
        if value.isNull || isLeftOut(name) { return }
        out.append(name.raw)
        out.append(UInt8(ascii: ":"))
        write(value, into: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "}"))
    case .array:
      out.append(UInt8(ascii: "["))
      node.forEachElement { element in
        write(element, into: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "]"))
    default: out.append(node.raw)
    }
  }

  private static let leftOut: Set<String> = [
    "id", "sync_status", "syncStatus", "visibility", "creator_id", "creatorID", "created_at", "createdAt",
    "updated_at", "updatedAt", "published_at", "public_id", "public_metadata", "fork_count",
    "rating_average", "rating_count", "is_pinned", "pinned_order", "needs_sync", "last_synced_at",
    "server_id", "last_updated", "sortOrder", "isExpandedByDefault", "extras",
  ]

  private static func isLeftOut(_ name: JSONNode) -> Bool {
    leftOut.contains(String(decoding: name.inner, as: UTF8.self))
  }
}
