/// Which elements of two versions of a list are the same ones, by their ids, and which of them moved.
struct IDPairs {
  /// Those that both versions have, in the order of the one after.
  private(set) var pairs: [(before: Int, after: Int)] = []
  /// For each pair whether it is in the longest sequence that stands in the same order before and after.
  private(set) var keepsOrder: [Bool] = []
  /// Those that only the version after has.
  private(set) var added: [Int] = []
  /// Those that only the version before has.
  private(set) var removed: [Int] = []

  /// Pairs the elements. Of several that have one id before, the last one counts, and of several after, the first one.
  init<Element>(_ before: [Element], _ after: [Element], id: (Element) -> RawText) {
    var byID: [RawText: Int] = [:]
    for (index, element) in before.enumerated() { byID[id(element)] = index }
    var stays = [Bool](repeating: false, count: before.count)
    for (index, element) in after.enumerated() {
      guard let old = byID[id(element)], !stays[old] else {
        added.append(index)
        continue
      }
      stays[old] = true
      pairs.append((old, index))
    }
    removed = stays.indices.filter { !stays[$0] }
    keepsOrder = Self.longestRise(pairs.map(\.before))
  }

  /// For each number whether it is in the longest rising subsequence.
  static func longestRise(_ numbers: [Int]) -> [Bool] {
    var tails: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for index in numbers.indices {
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < numbers[index] { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var rises = [Bool](repeating: false, count: numbers.count)
    var at = tails.last ?? -1
    while at >= 0 {
      rises[at] = true
      at = previous[at]
    }
    return rises
  }
}
