import JSONText
import Testing

/// The content of an item as single facts, so that three items and their merge can be compared without relying on the
/// merge algorithm. Each value is identified by its owner and field; each tag and each text line counts as present or
/// missing.
struct MergeFacts {
  /// The facts, with values as they are written.
  private(set) var facts: [String: String] = [:]
  /// The ids of each section's steps in order; the ids of the sections have the key "".
  private(set) var orders: [String: [String]] = [:]

  init(_ line: String) throws {
    let root = try JSONDocument(parsing: line).root
    for (name, value) in root.members where name != "content_data" && name != "updated_at" {
      add("item/" + name, value)
    }
    guard let document = root["content_data"] else { return }
    for (name, value) in document.members where name != "sections" && name != "updatedAt" {
      add("document/" + name, value)
    }
    for section in document["sections"]?.elements ?? [] {
      let id = section["id"]?.string ?? ""
      orders["", default: []].append(id)
      facts["section/" + id] = "there"
      for (name, value) in section.members where name != "items" && name != "sortOrder" {
        add("section/\(id)/\(name)", value)
      }
      for step in section["items"]?.elements ?? [] {
        let own = step["id"]?.string ?? ""
        orders[id, default: []].append(own)
        #expect(facts.updateValue(id, forKey: "step/" + own) == nil, "the step \(own) occurs twice")
        for (name, value) in step.members where name != "sortOrder" { add("step/\(own)/\(name)", value) }
      }
    }
    #expect(Set(orders[""] ?? []).count == orders[""]?.count ?? 0)
  }

  private mutating func add(_ key: String, _ value: JSONValue) {
    if value.kind == .array {
      for element in value.elements { facts[key + "/" + element.text] = "there" }
    } else if value.kind == .string, key.hasSuffix("escription") {
      for line in (value.string ?? "").split(separator: "\n") { facts[key + "/" + line] = "there" }
    } else if !value.isNull {
      facts[key] = value.text
    }
  }

  /// Returns the expected value of each fact that at most one side changed, or that both sides changed alike; a nil
  /// value means that the fact must be missing.
  static func expected(_ base: MergeFacts, _ ours: MergeFacts, _ theirs: MergeFacts) -> [String: String?] {
    var expected: [String: String?] = [:]
    for key in Set(base.facts.keys).union(ours.facts.keys).union(theirs.facts.keys) {
      let (old, mine, other) = (base.facts[key], ours.facts[key], theirs.facts[key])
      if mine == other || other == old {
        expected.updateValue(mine, forKey: key)
      } else if mine == old {
        expected.updateValue(other, forKey: key)
      }
    }
    return expected
  }

  /// Whether each pair of entries that is in the same list in all four versions has the order of the side that changed
  /// the order of the pair.
  static func orderIsMerged(
    _ base: MergeFacts, _ ours: MergeFacts, _ theirs: MergeFacts, _ merged: MergeFacts
  ) -> Bool {
    for (list, order) in merged.orders {
      func places(_ facts: MergeFacts) -> [String: Int] {
        Dictionary(uniqueKeysWithValues: (facts.orders[list] ?? []).enumerated().map { ($1, $0) })
      }
      let (old, mine, other) = (places(base), places(ours), places(theirs))
      let shared = order.filter { old[$0] != nil && mine[$0] != nil && other[$0] != nil }
      for (index, first) in shared.enumerated() {
        for second in shared[(index + 1)...] {
          guard let a = old[first], let b = old[second], let c = mine[first], let d = mine[second],
            let e = other[first], let f = other[second]
          else { continue }
          if (c < d) == (e < f) ? c > d : a < b { return false }
        }
      }
    }
    return true
  }
}
