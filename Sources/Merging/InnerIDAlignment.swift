import Content
import JSONText

/// Gives sections and steps that came without ids the ids that the library has for them.
///
/// Ticks of a charter hang on these ids, and so do reviews of cards, whose title is their front. Steps are matched by
/// their titles in order (longest common subsequence), never by their number: a step that was put in at the top moves
/// nothing.
/// - Source: docs/DESIGN.md, section 6
enum InnerIDAlignment {
  /// The source's sections with the library's ids; nil when nothing has to change.
  static func align(_ source: JSONNode, with library: JSONNode) -> [UInt8]? {
    var replacements: [(span: Range<Int>, id: String)] = []
    let mine = elements(source)
    let theirs = elements(library)
    // Ids that the library knows, wherever they stand: those stay with their sections and steps.
    let known = Set(theirs.compactMap(id) + theirs.flatMap { items($0).compactMap(id) })
    let pairs = match(mine, theirs, known)
    for (section, other) in pairs {
      replace(section, by: other, known, &replacements)
      for (item, twin) in match(items(section), items(other), known) { replace(item, by: twin, known, &replacements) }
    }
    guard !replacements.isEmpty else { return nil }
    let raw = source.raw
    let start = source.span.lowerBound
    var out = ByteBuffer(capacity: raw.count)
    var at = 0
    for (span, id) in replacements.sorted(by: { $0.span.lowerBound < $1.span.lowerBound }) {
      out.append(UnsafeBufferPointer(rebasing: raw[at..<span.lowerBound - start]))
      out.appendJSONString(id)
      at = span.upperBound - start
    }
    out.append(UnsafeBufferPointer(rebasing: raw[at...]))
    return Array(out.bytes)
  }

  /// Pairs that belong together: by id, then by title in order.
  private static func match(
    _ mine: [JSONNode], _ theirs: [JSONNode], _ known: Set<String>
  ) -> [(JSONNode, JSONNode)] {
    let byID = Dictionary(
      theirs.compactMap { node in id(node).map { ($0, node) } }, uniquingKeysWith: { first, _ in first })
    var pairs: [(JSONNode, JSONNode)] = []
    var taken = Set<String>()
    for node in mine {
      if let id = id(node), let other = byID[id], taken.insert(id).inserted { pairs.append((node, other)) }
    }
    let loose = mine.filter { node in id(node).map { !known.contains($0) && isDerived($0) } ?? false }
    let free = theirs.filter { node in id(node).map { !taken.contains($0) } ?? false }
    return pairs + commonSubsequence(loose, free)
  }

  private static func commonSubsequence(_ mine: [JSONNode], _ theirs: [JSONNode]) -> [(JSONNode, JSONNode)] {
    guard !mine.isEmpty, !theirs.isEmpty, mine.count * theirs.count <= 4_000_000 else { return [] }
    let left = mine.map(title)
    let right = theirs.map(title)
    let width = right.count + 1
    var lengths = [Int32](repeating: 0, count: (left.count + 1) * width)
    for i in stride(from: left.count - 1, through: 0, by: -1) {
      for j in stride(from: right.count - 1, through: 0, by: -1) {
        lengths[i * width + j] =
          left[i] == right[j]
          ? lengths[(i + 1) * width + j + 1] + 1 : max(lengths[(i + 1) * width + j], lengths[i * width + j + 1])
      }
    }
    var pairs: [(JSONNode, JSONNode)] = []
    var i = 0
    var j = 0
    while i < left.count, j < right.count {
      if left[i] == right[j] {
        pairs.append((mine[i], theirs[j]))
        i += 1
        j += 1
      } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
        i += 1
      } else {
        j += 1
      }
    }
    return pairs
  }

  private static func replace(
    _ node: JSONNode, by other: JSONNode, _ known: Set<String>, _ list: inout [(span: Range<Int>, id: String)]
  ) {
    guard let value = node.member("id"), let old = value.string, let new = id(other), old != new else { return }
    list.append((value.span, new))
  }

  /// Whether an id was made from a name (UUID version 5), as those are that a source did not give.
  private static func isDerived(_ id: String) -> Bool {
    id.utf8.count == 36 && Array(id.utf8)[14] == UInt8(ascii: "5")
  }

  private static func elements(_ node: JSONNode) -> [JSONNode] {
    var all: [JSONNode] = []
    node.forEachElement { all.append($0) }
    return all
  }

  private static func items(_ section: JSONNode) -> [JSONNode] { section.member("items").map(elements) ?? [] }
  private static func id(_ node: JSONNode) -> String? { node.member("id")?.string }
  private static func title(_ node: JSONNode) -> String {
    (node.member("title") ?? node.member("front"))?.string ?? ""
  }
}
