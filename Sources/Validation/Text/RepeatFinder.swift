/// Finds things that are the same among many, by a number for each and a second look.
///
/// Linear in the number of things, whatever they are: a number that many different things share only hides repeats
/// among them.
struct RepeatFinder {
  private var numbers: [UInt64] = []

  /// So few are compared one by one, which is quicker than a table.
  private static let few = 48

  /// Calls `found` with every thing that repeats an earlier one, and with that one.
  /// - Parameters:
  ///   - quick: a number that is cheaper and says less: only where two share it is `number` asked at all.
  ///   - number: equal for equal things; nil leaves a thing out.
  ///   - same: whether two things with equal numbers are really the same.
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
      // Zero is nobody's number but theirs that have none.
      if own != 0, let earlier = numbers.firstIndex(of: own), same(range.lowerBound + earlier, index) {
        found(index, range.lowerBound + earlier)
      }
      numbers.append(own)
    }
  }
}
