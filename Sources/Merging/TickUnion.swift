import Content
import JSONText

/// The ticks of two versions of one execution together: every step that either of them knows.
///
/// Ticks hang on steps that have nothing to do with each other, so a version that knows fewer of them takes none away.
enum TickUnion {
  /// The ids of the steps.
  static func names(_ ticks: JSONNode?) -> Set<String> {
    var names = Set<String>()
    ticks?.forEachMember { name, _ in names.insert(name.string ?? "") }
    return names
  }

  /// Whether `all` has everything that `some` says.
  static func contains(_ all: JSONNode?, _ some: JSONNode) -> Bool {
    let mine = members(some)
    let theirs = members(all)
    return mine.allSatisfy { id, tick in
      guard let other = theirs[id] else { return false }
      return tick.raw.elementsEqual(other.raw) || notes(tick) == nil && isSame(tick, other)
    }
  }

  /// Writes both, in the order of ids; where both know a step, the first version wins, and notes stay.
  static func write(_ first: JSONNode?, _ second: JSONNode?, into out: inout ByteBuffer) {
    let mine = members(first)
    let theirs = members(second)
    out.append(UInt8(ascii: "{"))
    for (index, id) in Set(mine.keys).union(theirs.keys).sorted().enumerated() {
      if index > 0 { out.append(UInt8(ascii: ",")) }
      out.appendJSONString(id)
      out.append(UInt8(ascii: ":"))
      guard let tick = mine[id] ?? theirs[id] else { continue }
      if notes(tick) == nil, let kept = theirs[id].flatMap(notes) {
        let raw = tick.raw
        out.append(UnsafeBufferPointer(rebasing: raw[..<(raw.count - 1)]))
        out.append(tick.token.count > 0 ? ",\"notes\":" : "\"notes\":")
        out.append(kept.raw)
        out.append(UInt8(ascii: "}"))
      } else {
        out.append(tick.raw)
      }
    }
    out.append(UInt8(ascii: "}"))
  }

  private static func members(_ ticks: JSONNode?) -> [String: JSONNode] {
    var all: [String: JSONNode] = [:]
    ticks?.forEachMember { name, tick in all[name.string ?? ""] = tick }
    return all
  }

  private static func notes(_ tick: JSONNode) -> JSONNode? {
    guard let notes = tick.member("notes"), !notes.isNull else { return nil }
    return notes
  }

  /// Whether two ticks differ in nothing but notes.
  private static func isSame(_ left: JSONNode, _ right: JSONNode) -> Bool {
    left.member("checked")?.bool == right.member("checked")?.bool
      && left.member("checkedAt")?.string == right.member("checkedAt")?.string
  }
}
