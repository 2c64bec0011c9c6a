import Content
import JSONText

extension NoteRecord {
  /// Whether two records say the same, their originals and what those leave to their files aside.
  func means(_ other: NoteRecord) -> Bool {
    if saysPlainly(other) { return true }
    let implied = impliedKeys
    let envelope = Set(MetadataKeys.all.filter { implied.contains($0.name) }.map(\.member))
    let content = Set(MetadataKeys.documentMembers.filter { $0.repeats.map(envelope.contains) ?? false }.map(\.name))
    return withRoot { mine in
      other.withRoot { theirs in
        let isSame = mine.means(theirs) {
          $0.equals("extras") || $0.equals("content_data") || Self.isIn(envelope, $0)
        }
        guard isSame, let own = mine.member("content_data"), let their = theirs.member("content_data"),
          own.means(their, ignoring: { Self.isIn(content, $0) })
        else { return false }
        return Self.same(
          Self.extras(mine, withID: original == nil), Self.extras(theirs, withID: original == nil))
      }
    }
  }

  /// Whether the bodies of two records mean the same.
  func saysTheSameBody(as other: NoteRecord) -> Bool {
    guard type == other.type else { return false }
    let isSame = withBody { mine in
      other.withBody { theirs in Self.same(mine.raw, theirs.raw) || mine.means(theirs) } ?? false
    }
    return isSame ?? (other.withBody { _ in true } == nil)
  }

  /// Whether two records have the same title and description, which may stand in the body of a note.
  func saysTheSameHead(as other: NoteRecord) -> Bool {
    func description(_ record: NoteRecord) -> String? { record.withRoot { $0.member("description")?.string } }
    return title.utf8.elementsEqual(other.title.utf8)
      && (description(self) ?? "").utf8.elementsEqual((description(other) ?? "").utf8)
  }

  /// Whether two records without extras have the same members in the same order, byte by byte; false where that is
  /// not so, and they may mean the same all the same.
  private func saysPlainly(_ other: NoteRecord) -> Bool {
    withRoot { mine in
      other.withRoot { theirs in
        Self.hasSameMembers(mine, theirs) { name, left, right in
          if name.equals("extras") { return false }
          guard name.equals("content_data") else { return Self.same(left.raw, right.raw) }
          return Self.hasSameMembers(left, right) { Self.same($1.raw, $2.raw) }
        }
      }
    }
  }

  private static func hasSameMembers(
    _ left: JSONNode, _ right: JSONNode, _ same: (_ name: JSONNode, _ left: JSONNode, _ right: JSONNode) -> Bool
  ) -> Bool {
    guard left.kind == .object, right.kind == .object else { return false }
    let (leftEnd, rightEnd) = (Int(left.token.next), Int(right.token.next))
    var (one, two) = (left.index + 1, right.index + 1)
    while one < leftEnd, two < rightEnd {
      guard Self.same(left.at(one).inner, right.at(two).inner), same(left.at(one), left.at(one + 1), right.at(two + 1))
      else { return false }
      one = Int(left.tokens[one + 1].next)
      two = Int(right.tokens[two + 1].next)
    }
    return one >= leftEnd && two >= rightEnd
  }

  private static func isIn(_ names: Set<String>, _ name: JSONNode) -> Bool {
    !names.isEmpty && names.contains(String(decoding: name.inner, as: UTF8.self))
  }

  /// Whether two JSON texts mean the same.
  static func same(_ left: [UInt8]?, _ right: [UInt8]?) -> Bool {
    guard let left, let right else { return left == nil && right == nil }
    if left == right { return true }
    guard let first = try? JSONDocument(parsing: left), let second = try? JSONDocument(parsing: right) else {
      return false
    }
    return first.root.means(second.root)
  }
}
