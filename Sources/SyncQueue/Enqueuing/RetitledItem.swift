import Content
import JSONText

/// Gives a canonical item another title: in the envelope, and also in the document if the two titles were equal.
enum RetitledItem {
  /// Returns the item's new canonical line.
  /// - Parameter now: the time of the change.
  static func line(_ node: JSONNode, title: String, now: Timestamp) -> [UInt8] {
    var out = ByteBuffer(capacity: node.raw.count + title.utf8.count + 64)
    let old = node.member("title")?.string ?? ""
    write(node, old: old, title: title, now: now, isDocument: false, into: &out)
    return Array(out.bytes)
  }

  private static func write(
    _ node: JSONNode, old: String, title: String, now: Timestamp, isDocument: Bool, into out: inout ByteBuffer
  ) {
    let follows = !isDocument || node.member("title")?.string == old
    var separator = UInt8(ascii: "{")
    node.forEachMember { name, value in
      out.append(separator)
      separator = UInt8(ascii: ",")
      out.append(name.raw)
      out.append(":")
      if name.equals("title"), follows {
        out.appendJSONString(title)
      } else if name.equals(isDocument ? "updatedAt" : "updated_at"), follows {
        out.appendJSONDate(now)
      } else if name.equals("content_data"), value.kind == .object, !isDocument {
        write(value, old: old, title: title, now: now, isDocument: true, into: &out)
      } else {
        out.append(value.raw)
      }
    }
    out.append("}")
  }
}
