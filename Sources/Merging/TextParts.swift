import Content
import JSONText

/// The parts of an item by which a renamed note is recognized: steps, cards, or the lines of a guide.
struct TextParts {
  private let type: String
  /// Hashes of parts, and how often each occurs.
  private let counts: [Int: Int]
  private let total: Int

  /// Longer items are compared by their first parts.
  private static let most = 500

  /// Takes the parts of an item; nil for an item with fewer than two.
  init?(_ item: JSONNode) {
    guard let type = item.member("content_type")?.string, let content = item.member("content_data") else { return nil }
    var counts: [Int: Int] = [:]
    var total = 0
    func add(_ part: some Sequence<UInt8>) {
      guard total < Self.most else { return }
      var hasher = Hasher()
      for byte in part { hasher.combine(byte) }
      counts[hasher.finalize(), default: 0] += 1
      total += 1
    }
    content.member("sections")?.forEachElement { section in
      section.member("items")?.forEachElement { step in
        if let title = step.member("title") { add(title.inner) }
      }
    }
    content.member("cards")?.forEachElement { card in
      if let front = card.member("front") { add(front.inner) }
    }
    for line in content.member("markdown")?.string?.utf8.split(whereSeparator: { $0 == 0x0A || $0 == 0x0D }) ?? []
    where line.contains(where: { $0 > 0x20 }) {
      add(line)
    }
    guard total > 1 else { return nil }
    self.type = type
    self.counts = counts
    self.total = total
  }

  /// Pairs each of the new items with the old one that most of its parts were in, and that has most of its parts here.
  ///
  /// A pair as good as another one with the same item counts for nothing.
  static func pairs(_ new: [TextParts], _ old: [TextParts]) -> [(new: Int, old: Int)] {
    var places: [Int: [(old: Int, count: Int)]] = [:]
    for (index, one) in old.enumerated() {
      for (part, count) in one.counts { places[part, default: []].append((index, count)) }
    }
    var found: [(share: Double, new: Int, old: Int)] = []
    for (index, one) in new.enumerated() {
      var common: [Int: Int] = [:]
      for (part, count) in one.counts {
        for place in places[part] ?? [] { common[place.old, default: 0] += min(count, place.count) }
      }
      for (other, count) in common where old[other].type == one.type && count * 2 > max(one.total, old[other].total) {
        found.append((Double(count) / Double(max(one.total, old[other].total)), index, other))
      }
    }
    var bestOfNew: [Int: Best] = [:]
    var bestOfOld: [Int: Best] = [:]
    for pair in found {
      bestOfNew[pair.new, default: Best()].take(pair.share)
      bestOfOld[pair.old, default: Best()].take(pair.share)
    }
    return found.filter { pair in
      [bestOfNew[pair.new], bestOfOld[pair.old]].allSatisfy { $0?.share == pair.share && $0?.count == 1 }
    }.map { ($0.new, $0.old) }.sorted { $0.0 < $1.0 }
  }

  /// The largest share of an item, and how many pairs have it.
  private struct Best {
    var share = 0.0
    var count = 0

    mutating func take(_ other: Double) {
      if other == share { count += 1 }
      if other > share { (share, count) = (other, 1) }
    }
  }
}
