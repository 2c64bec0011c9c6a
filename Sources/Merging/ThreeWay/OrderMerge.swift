/// Merges the order of a list that both sides may have reordered and added to.
///
/// Things are numbers, each at most once in a list. For each two things that all three lists have, the order is that of
/// the side that changed it; if no order of all things agrees with that, both sides moved the same things to different
/// places, and one side's order is taken as a whole. What only one side has stands
/// behind what it stands behind there, and at the end if it stands at the end there; where both added at the same place,
/// ours comes first. What both added stands where ours has it.
struct OrderMerge {
  /// How many comparisons were made.
  private(set) var effort = 0

  /// Merges.
  /// - Parameters:
  ///   - base: nil when nothing is known.
  ///   - ours: those that stay and that ours has; the same for theirs. Together all that stay.
  ///   - conflict: asked when the orders contradict each other.
  mutating func merge(
    base: [Int]?, ours: [Int], theirs: [Int], conflict: () -> MergeTrio.Merged
  ) -> [Int] {
    effort += ours.count + theirs.count
    if ours == theirs || theirs.isEmpty { return ours }
    if ours.isEmpty { return theirs }
    let ourPlaces = Self.places(ours)
    let theirPlaces = Self.places(theirs)
    let common = ours.filter { theirPlaces[$0] != nil }
    let basePlaces = Self.places(base ?? [])
    // With a base: what all three have. Without one: what both have, whose order must then be the same.
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

  /// The order of things that all three have; nil when there is none that agrees with both sides' changes.
  private mutating func mergeShared(
    _ shared: [Int], _ ours: [Int: Int], _ theirs: [Int: Int], _ base: [Int: Int]
  ) -> [Int]? {
    // Numbered by the order of the base, so that each list is a permutation of 0 ..< n.
    let inBase = shared.sorted { (base[$0] ?? 0) < (base[$1] ?? 0) }
    let count = inBase.count
    let mine = Self.ranks(inBase, ours)
    let other = Self.ranks(inBase, theirs)
    var comparisons = 0
    let order = Self.mergeSort(Array(0..<count)) { left, right in
      comparisons += 1
      let byOurs = mine[left] < mine[right]
      let byTheirs = other[left] < other[right]
      // Only one side changed the order of these two: the base says which one did not.
      return byOurs == byTheirs ? byOurs : left > right
    }
    effort += comparisons
    // A sort believes every answer. The answers agree with each other exactly when the order that came out is as far
    // from ours and theirs, less what it is from the base, as it must at least be: each pair that both sides changed
    // counts -1, each that one of them changed 0, and each wrong pair more.
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

  /// Puts things behind the anchors that they stand behind in `list`, and behind all that follows that anchor in
  /// `spine` and is none. What was added at the end stays at the end, also when the other side took the last thing away
  /// from there.
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
    // What the last one of all sides has behind it stands at the end.
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

  /// For each of `things` its rank among them in another list.
  private static func ranks(_ things: [Int], _ places: [Int: Int]) -> [Int] {
    let sorted = things.indices.sorted { (places[things[$0]] ?? 0) < (places[things[$1]] ?? 0) }
    return inverse(sorted)
  }

  private static func inverse(_ permutation: [Int]) -> [Int] {
    var inverse = Array(repeating: 0, count: permutation.count)
    for (place, thing) in permutation.enumerated() { inverse[thing] = place }
    return inverse
  }

  /// The ranks of the things of `order`, in its order.
  private static func permutation(_ order: [Int], _ ranks: [Int]) -> [Int] { order.map { ranks[$0] } }

  // MARK: Sorting

  /// Sorts by answers that may contradict each other, which the standard library's sort does not promise to survive.
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

  /// How many pairs of a permutation stand the wrong way round.
  private mutating func inversions(_ list: [Int]) -> Int {
    // A tree of counts (Fenwick): n log n.
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
