import Content

/// Pairs the sections and steps of a record with the sections and steps of its note, by id and then by title.
struct ChecklistMatching {
  typealias StepIndex = ChecklistEdits.StepIndex

  /// The index of the note's section for each section of the record.
  private(set) var sections: [Int: Int] = [:]
  /// The index of the note's step for each step of the record.
  private(set) var steps: [StepIndex: StepIndex] = [:]

  init(_ before: ChecklistDraft, _ wanted: ChecklistDraft) {
    sections = Self.pairs(
      before.sections.enumerated().map { ($0, $1.id?.bytes, $1.title.bytes) },
      wanted.sections.enumerated().map { ($0, $1.id?.bytes, $1.title.bytes) })
    steps = Self.pairs(Self.steps(before), Self.steps(wanted))
  }

  private static func steps(_ checklist: ChecklistDraft) -> [(StepIndex, [UInt8]?, [UInt8])] {
    checklist.sections.enumerated().flatMap { index, section in
      section.steps.enumerated().map { (StepIndex(section: index, step: $0), $1.id?.bytes, $1.title.bytes) }
    }
  }

  static func pairs<Index: Hashable>(
    _ mine: [(index: Index, id: [UInt8]?, title: [UInt8])], _ wanted: [(index: Index, id: [UInt8]?, title: [UInt8])]
  ) -> [Index: Index] {
    var byID: [[UInt8]: Index] = [:]
    for one in mine { if let id = one.id { byID[id] = one.index } }
    var pairs: [Index: Index] = [:]
    var taken: Set<Index> = []
    for one in wanted {
      guard let id = one.id, let other = byID[id], taken.insert(other).inserted else { continue }
      pairs[one.index] = other
    }
    // The ids may be unrelated if the record did not come from this note. Equal titles are paired in order.
    var byTitle: [[UInt8]: [Index]] = [:]
    for one in mine.reversed() where !taken.contains(one.index) { byTitle[one.title, default: []].append(one.index) }
    for one in wanted where pairs[one.index] == nil {
      if let other = byTitle[one.title]?.popLast() { pairs[one.index] = other }
    }
    return pairs
  }
}

/// Finds the longest increasing subsequence.
enum LongestIncreasingSubsequence {
  /// Returns the positions of the numbers in the subsequence. Negative numbers are ignored.
  static func longest(_ numbers: [Int]) -> Set<Int> {
    // For each length, the position of the smallest number with which a subsequence of that length ends.
    var ends: [Int] = []
    var previous = [Int](repeating: -1, count: numbers.count)
    for (position, number) in numbers.enumerated() where number >= 0 {
      var (low, high) = (0, ends.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[ends[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { previous[position] = ends[low - 1] }
      if low == ends.count { ends.append(position) } else { ends[low] = position }
    }
    var kept: Set<Int> = []
    var at = ends.last ?? -1
    while at >= 0 {
      kept.insert(at)
      at = previous[at]
    }
    return kept
  }
}
