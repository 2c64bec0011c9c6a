import Content
import JSONText

/// Finds elements of a document with the same id: sections and steps of a checklist, or cards of a deck.
///
/// The stored form of a document is checked, in which every id is a UUID in upper case. Two strings that become the
/// same id count as the same, and so does a derived id that occurs elsewhere.
struct RepeatedIDs {
  /// An element with the id of an earlier element.
  struct Repeated {
    /// The element's path from the document's outermost value.
    let place: [JSONPointer.Step]
    /// The path of the earlier element, such as `sections/0/items/1`.
    let first: String
  }

  private var seen: [Key: [JSONPointer.Step]] = [:]
  private var found: [Repeated] = []
  private let limit: Int

  private init(limit: Int) { self.limit = limit }

  /// Returns the second and all later elements with an id, in order, at most `limit`.
  static func find(in document: JSONNode, _ type: ContentType, limit: Int) -> [Repeated] {
    var ids = RepeatedIDs(limit: limit)
    switch type {
    case .checklist:
      ids.look(at: document, "sections", []) { ids, section, place in
        ids.look(at: section, "items", place) { _, _, _ in }
      }
    case .flashcardDeck: ids.look(at: document, "cards", []) { _, _, _ in }
    case .practiceGuide: break
    }
    return ids.found
  }

  private mutating func look(
    at owner: JSONNode, _ name: StaticString, _ around: [JSONPointer.Step],
    _ inside: (inout RepeatedIDs, JSONNode, [JSONPointer.Step]) -> Void
  ) {
    guard let list = owner.member(name), list.kind == .array else { return }
    var position = 0
    list.forEachElement { part in
      let place = around + [.member("\(name)"), .element(position)]
      position += 1
      note(part, place)
      inside(&self, part, place)
    }
  }

  private mutating func note(_ part: JSONNode, _ place: [JSONPointer.Step]) {
    guard found.count < limit, let id = part.member("id"), let key = Key(id) else { return }
    if let first = seen[key] {
      found.append(Repeated(place: place, first: String(JSONPointer(first).description.dropFirst())))
    } else {
      seen[key] = place
    }
  }

  /// A key of the 36 bytes of an id, stored inline.
  private struct Key: Hashable {
    private let head: SIMD4<UInt64>
    private let tail: UInt32

    init?(_ id: JSONNode) {
      guard id.kind == .string, id.inner.count == 36, let base = UnsafeRawPointer(id.inner.baseAddress) else {
        return nil
      }
      head = base.loadUnaligned(as: SIMD4<UInt64>.self)
      tail = base.loadUnaligned(fromByteOffset: 32, as: UInt32.self)
    }
  }
}
