import Content
import JSONText

/// A member of a `.json` document that nobody knows. Between bundles it travels as a record of its own,
/// `{"kind":"member","id":"made_by","value":"hand"}`.
struct DocumentMember: Hashable {
  var name: String
  /// The value as JSON.
  let value: String

  /// Reads a canonical line; nil when it is another record that happens to be called so.
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    guard let root = try? JSONDocument(parsing: line).root, root.members.count == 3, let name = root["id"]?.string,
      let value = root["value"]
    else { return nil }
    self.name = name
    self.value = value.text
  }

  /// The record that it travels as.
  var line: [UInt8] {
    var line = ByteBuffer(capacity: value.utf8.count + 64)
    line.append("{\"kind\":\"member\",\"id\":")
    line.appendJSONString(name)
    line.append(",\"value\":")
    line.append(utf8: value)
    line.append("}")
    return Array(line.bytes)
  }

  /// Members of several documents under one roof: the same one once, others of a name that is taken numbered.
  static func unique(_ members: [DocumentMember]) -> [DocumentMember] {
    var seen = Set<DocumentMember>()
    var names = BundleLists.headerNames.union(RecordKind.known.compactMap(\.listName)).union([BundleLists.others])
    var unique: [DocumentMember] = []
    for member in members where seen.insert(member).inserted {
      var free = member
      var number = 2
      while !names.insert(free.name).inserted {
        free.name = "\(member.name)~\(number)"
        number += 1
      }
      unique.append(free)
    }
    return unique
  }
}
