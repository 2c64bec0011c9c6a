import TestSupport
import Testing

@testable import Merging

/// The order of a merged list, compared with the definition: every pair is in the order of the side that changed it.
@Suite struct OrderMergeTests {
  /// Returns the only order of 0 ..< count in which each pair is ordered as the definition requires; nil if there is no
  /// such order.
  private static func defined(_ base: [Int], _ ours: [Int], _ theirs: [Int]) -> [Int]? {
    func place(_ list: [Int]) -> [Int: Int] { Dictionary(uniqueKeysWithValues: list.enumerated().map { ($1, $0) }) }
    let (old, mine, other) = (place(base), place(ours), place(theirs))
    func isBefore(_ places: [Int: Int], _ first: Int, _ second: Int) -> Bool {
      (places[first] ?? 0) < (places[second] ?? 0)
    }
    // If the pairwise orders are consistent, one element comes before all others, and the same holds for the rest.
    var left = base
    var order: [Int] = []
    while !left.isEmpty {
      let first = left.first { thing in
        left.allSatisfy { second in
          if second == thing { return true }
          let (a, b) = (isBefore(mine, thing, second), isBefore(other, thing, second))
          return a == b ? a : !isBefore(old, thing, second)
        }
      }
      guard let first else { return nil }
      order.append(first)
      left.removeAll { $0 == first }
    }
    return order
  }

  private static func shuffle(_ list: [Int], moves: Int, _ random: inout SeededRandom) -> [Int] {
    var copy = list
    for _ in 0..<moves {
      let thing = copy.remove(at: random.below(copy.count))
      copy.insert(thing, at: random.below(copy.count + 1))
    }
    return copy
  }

  @Test func permutationsAreMergedAsDefined() {
    var random = SeededRandom(seed: 7)
    var contradictions = 0
    for round in 0..<1500 {
      let base = Self.shuffle(Array(0..<1 + random.below(9)), moves: 9, &random)
      let ours = Self.shuffle(base, moves: random.below(4), &random)
      let theirs = Self.shuffle(base, moves: random.below(4), &random)
      var order = OrderMerge()
      var asked = 0
      let merged = order.merge(base: base, ours: ours, theirs: theirs) {
        asked += 1
        return round % 2 == 0 ? .ours : .theirs
      }
      if let expected = Self.defined(base, ours, theirs) {
        #expect(merged == expected && asked == 0, "\(base) \(ours) \(theirs)")
      } else {
        contradictions += 1
        #expect(asked == 1 && merged == (round % 2 == 0 ? ours : theirs))
      }
    }
    #expect(contradictions > 40 && contradictions < 750)
  }

  @Test func nothingIsLostOrTwiceWhateverBothAdded() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<1500 {
      let base = Array(0..<random.below(7))
      var lists = [base, base]
      for side in 0...1 {
        lists[side] = Self.shuffle(lists[side], moves: base.isEmpty ? 0 : random.below(3), &random)
        for thing in 10 * (side + 1)..<10 * (side + 1) + random.below(4) {
          lists[side].insert(thing, at: random.below(lists[side].count + 1))
        }
        if random.below(3) == 0 { lists[side].insert(99, at: random.below(lists[side].count + 1)) }
        lists[side].removeAll { $0 == 2 && side == 0 || $0 == 3 }
      }
      var order = OrderMerge()
      let merged = order.merge(base: random.below(5) == 0 ? nil : base, ours: lists[0], theirs: lists[1]) { .ours }
      #expect(merged.count == Set(merged).count)
      #expect(Set(merged) == Set(lists[0]).union(lists[1]))
    }
  }

  @Test func additionsStandBehindTheirNeighbours() {
    func merge(_ base: [Int]?, _ ours: [Int], _ theirs: [Int]) -> [Int] {
      var order = OrderMerge()
      return order.merge(base: base, ours: ours, theirs: theirs) { .ours }
    }
    #expect(merge([1, 2], [1, 10, 2], [1, 20, 21, 2, 22]) == [1, 10, 20, 21, 2, 22])
    #expect(merge([1, 2], [10, 1, 2], [20, 1, 2]) == [10, 20, 1, 2])
    // An added entry follows its predecessor, which moved.
    #expect(merge([1, 2, 3], [1, 10, 2, 3], [2, 3, 1]) == [2, 3, 1, 10])
    // An entry that both sides added has our position, and the entries that theirs added after it follow it.
    #expect(merge([1, 2], [9, 1, 2], [1, 2, 9, 20]) == [9, 20, 1, 2])
    #expect(merge(nil, [1, 2], [1, 3, 2, 4]) == [1, 3, 2, 4])
  }
}
