/// Finds equal elements among many, by a hash of each element and a full comparison of candidates.
///
/// The time is linear for any input. If many different elements share a hash, some repeats among them are missed.
struct RepeatFinder {
  private var numbers: [UInt64] = []

  /// The maximum number of elements that are compared one by one, which is faster than using a table.
  private static let few = 48

  /// Calls `found` with every element that repeats an earlier one, and with the earlier element.
  /// - Parameters:
  ///   - quick: a faster and less exact hash; `number` is called only if two elements share it.
  ///   - number: a hash that is equal for equal elements; nil excludes an element.
  ///   - same: returns whether two elements with equal hashes are really equal.
  mutating func find(
    _ range: Range<Int>, quick: ((Int) -> UInt64)? = nil, number: (Int) -> UInt64?, same: (Int, Int) -> Bool,
    found: (_ index: Int, _ first: Int) -> Void
  ) {
    guard range.count > 1 else { return }
    if let quick, range.count <= Self.few {
      numbers.removeAll(keepingCapacity: true)
      var isSeen = false
      for index in range {
        let own = quick(index)
        isSeen = isSeen || numbers.contains(own)
        numbers.append(own)
      }
      guard isSeen else { return }
    }
    if range.count > Self.few {
      var firsts = CompactTable<UInt64, Int>()
      for index in range {
        guard let number = number(index), let first = firsts.insert(number, index) else { continue }
        if same(first, index) { found(index, first) }
      }
      return
    }
    numbers.removeAll(keepingCapacity: true)
    for index in range {
      let own = number(index) ?? 0
      // Zero marks elements without a hash.
      if own != 0, let earlier = numbers.firstIndex(of: own), same(range.lowerBound + earlier, index) {
        found(index, range.lowerBound + earlier)
      }
      numbers.append(own)
    }
  }
}
