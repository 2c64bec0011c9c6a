/// Finds equal things among many, by a hash of each and a full comparison of candidates.
///
/// Takes linear time for any input: if many different things share a hash, some repeats among them are missed.
struct RepeatFinder {
  private var numbers: [UInt64] = []

  /// Up to this number, things are compared one by one, which is faster than a table.
  private static let few = 48

  /// Calls `found` with every thing that repeats an earlier one, and with the earlier one.
  /// - Parameters:
  ///   - quick: a cheaper and less exact hash; `number` is called only if two things share it.
  ///   - number: a hash that is equal for equal things; nil leaves a thing out.
  ///   - same: whether two things with equal hashes are really equal.
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
      // Zero marks things without a hash.
      if own != 0, let earlier = numbers.firstIndex(of: own), same(range.lowerBound + earlier, index) {
        found(index, range.lowerBound + earlier)
      }
      numbers.append(own)
    }
  }
}
