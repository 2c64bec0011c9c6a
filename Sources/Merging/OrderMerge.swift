/// Merges the order of a list that both sides may have reordered and extended.
///
/// Elements are numbers, and each occurs at most once in a list. Any two elements that all three lists contain get the
/// order of the side that changed their order. If no order of all elements agrees with this rule, both sides moved the
/// same elements to different positions, and one side's order is taken as a whole. An element that exists on only one
/// side follows the element that precedes it there, or comes last if it is last there. If both sides added elements at
/// the same position, ours come first. Elements that both sides added have the same position as in ours.
struct OrderMerge {
  /// The number of comparisons.
  private(set) var effort = 0

  /// Merges the orders.
  /// - Parameters:
  ///   - base: the base's order; nil if unknown.
  ///   - ours: our side's remaining elements; `theirs` has the other side's. Together, these are all remaining
  ///     elements.
  ///   - conflict: called when the orders contradict each other.
  mutating func merge(
    base: [Int]?, ours: [Int], theirs: [Int], conflict: () -> ThreeVersions.Merged
  ) -> [Int] {
    effort += ours.count + theirs.count
    if ours == theirs || theirs.isEmpty { return ours }
    if ours.isEmpty { return theirs }
    let ourPlaces = Self.places(ours)
    let theirPlaces = Self.places(theirs)
    let common = ours.filter { theirPlaces[$0] != nil }
    let basePlaces = Self.places(base ?? [])
    // With a base, these are the elements of all three lists. Without a base, they are the elements of both lists,
    // whose order must then be the same.
    let shared = base == nil ? common : common.filter { basePlaces[$0] != nil }
    let other = shared.sorted { (theirPlaces[$0] ?? 0) < (theirPlaces[$1] ?? 0) }
    effort += shared.count
    var order = shared
    if shared != other {
      if base == nil {
        order = conflict() == .theirs ? other : shared
      } else if let merged = mergeShared(shared, ourPlaces, theirPlaces, basePlaces) {
        order = merged
      } else {
        order = conflict() == .theirs ? other : shared
      }
    }
    let known = Set(order)
    let spine = Self.insert(ours.filter { !known.contains($0) }, of: ours, behind: order, anchors: known, known: known)
    let both = Set(common)
    return Self.insert(theirs.filter { !both.contains($0) }, of: theirs, behind: spine, anchors: both, known: known)
  }

  /// Returns the order of the elements that all three lists contain; nil if no order agrees with both sides' changes.
  private mutating func mergeShared(
    _ shared: [Int], _ ours: [Int: Int], _ theirs: [Int: Int], _ base: [Int: Int]
  ) -> [Int]? {
    // The elements are numbered by the base's order, so that each list is a permutation of 0 ..< n.
    let inBase = shared.sorted { (base[$0] ?? 0) < (base[$1] ?? 0) }
    let count = inBase.count
    let mine = Self.ranks(inBase, ours)
    let other = Self.ranks(inBase, theirs)
    var comparisons = 0
    let order = Self.mergeSort(Array(0..<count)) { left, right in
      comparisons += 1
      let byOurs = mine[left] < mine[right]
      let byTheirs = other[left] < other[right]
      // Only one side changed the order of these two elements. The base shows which side.
      return byOurs == byTheirs ? byOurs : left > right
    }
    effort += comparisons
    // A sort accepts contradictory answers. The answers are consistent if and only if the resulting order has the
    // minimum possible distance from ours and theirs, minus its distance from the base: a pair that both sides changed
    // counts -1, a pair that one of them changed counts 0, and each wrong pair counts more.
    var places = Array(repeating: 0, count: count)
    for (place, thing) in order.enumerated() { places[thing] = place }
    let fromBase = inversions(order)
    let fromOurs = inversions(Self.permutation(order, mine))
    let fromTheirs = inversions(Self.permutation(order, other))
    let ourChanges = inversions(mine)
    let theirChanges = inversions(other)
    let between = inversions(Self.permutation(Self.inverse(mine), other))
    let changedByBoth = (ourChanges + theirChanges - between) / 2
    guard fromOurs + fromTheirs - fromBase == -changedByBoth else { return nil }
    return order.map { inBase[$0] }
  }

  // MARK: Lists

  /// Inserts elements after the anchors that precede them in `list`, and after the non-anchor elements of `spine` that
  /// follow that anchor. Elements added at the end stay at the end, even if the other side removed the last element.
  private static func insert(_ things: [Int], of list: [Int], behind spine: [Int], anchors: Set<Int>, known: Set<Int>)
    -> [Int]
  {
    guard !things.isEmpty else { return spine }
    var first: [Int] = []
    var behind: [Int: [Int]] = [:]
    var anchor: Int?
    for thing in list {
      if anchors.contains(thing) {
        anchor = thing
      } else if let anchor {
        behind[anchor, default: []].append(thing)
      } else {
        first.append(thing)
      }
    }
    var merged: [Int] = []
    merged.reserveCapacity(spine.count + things.count)
    var waiting = first
    // Elements that follow the last element known to all sides are placed at the end.
    let last = anchor.flatMap { known.contains($0) ? behind.removeValue(forKey: $0) : nil } ?? []
    for thing in spine {
      if anchors.contains(thing) {
        merged += waiting
        waiting = behind[thing] ?? []
      }
      merged.append(thing)
    }
    return merged + waiting + last
  }

  private static func places(_ list: [Int]) -> [Int: Int] {
    var places: [Int: Int] = [:]
    places.reserveCapacity(list.count)
    for (place, thing) in list.enumerated() { places[thing] = place }
    return places
  }

  /// Returns the rank of each of `things` in another list.
  private static func ranks(_ things: [Int], _ places: [Int: Int]) -> [Int] {
    let sorted = things.indices.sorted { (places[things[$0]] ?? 0) < (places[things[$1]] ?? 0) }
    return inverse(sorted)
  }

  private static func inverse(_ permutation: [Int]) -> [Int] {
    var inverse = Array(repeating: 0, count: permutation.count)
    for (place, thing) in permutation.enumerated() { inverse[thing] = place }
    return inverse
  }

  /// Returns the ranks of the elements of `order`, in its order.
  private static func permutation(_ order: [Int], _ ranks: [Int]) -> [Int] { order.map { ranks[$0] } }

  // MARK: Sorting

  /// Sorts by answers that may contradict each other, which the standard library's sort does not allow.
  private static func mergeSort(_ list: [Int], _ comesFirst: (Int, Int) -> Bool) -> [Int] {
    var from = list
    var into = list
    var width = 1
    while width < from.count {
      var start = 0
      while start < from.count {
        let middle = min(start + width, from.count)
        let end = min(start + 2 * width, from.count)
        var left = start
        var right = middle
        for place in start..<end {
          if left < middle, right == end || !comesFirst(from[right], from[left]) {
            into[place] = from[left]
            left += 1
          } else {
            into[place] = from[right]
            right += 1
          }
        }
        start = end
      }
      swap(&from, &into)
      width *= 2
    }
    return from
  }

  /// Counts the pairs of a permutation that are in the wrong order.
  private mutating func inversions(_ list: [Int]) -> Int {
    // The counts form a Fenwick tree, so that the time is n log n.
    var counts = Array(repeating: 0, count: list.count + 1)
    var total = 0
    for (seen, value) in list.enumerated() {
      var at = value + 1
      var smaller = 0
      while at > 0 {
        smaller += counts[at]
        at &= at - 1
        effort += 1
      }
      total += seen - smaller
      at = value + 1
      while at <= list.count {
        counts[at] += 1
        at += at & -at
      }
    }
    return total
  }
}
