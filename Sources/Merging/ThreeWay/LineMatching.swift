/// Which lines of one text are which of another; lines are numbers, equal lines have equal ones.
///
/// First those that stand once in both texts, in their longest common order (what is called a patience diff); between
/// them the longest common sequence, where that is few enough lines to be looked for. What is not found counts as
/// changed: that makes more conflicts, never a wrong text. The time is bounded whatever the texts are.
package struct LineMatching {
  /// The most cells of a table for one stretch, and for a whole text; beyond them lines stay unmatched.
  private static let cells = 1 << 18
  private static let allCells = 1 << 22

  private let first: [Int]
  private let second: [Int]
  /// For each line of the first text the line of the second; -1 where there is none. The matched ones ascend.
  package private(set) var match: [Int]
  /// How many lines and cells were looked at.
  private(set) var effort = 0
  private var leftCells = allCells
  private var leftLines: Int
  private var firstCount: [Int]
  private var secondCount: [Int]
  private var place: [Int]

  private struct Stretch {
    var first: Range<Int>
    var second: Range<Int>
  }

  /// Matches.
  /// - Parameter count: how many different lines there are.
  package init(_ first: [Int], _ second: [Int], count: Int) {
    self.first = first
    self.second = second
    match = Array(repeating: -1, count: first.count)
    leftLines = 64 * (first.count + second.count) + 1024
    firstCount = Array(repeating: 0, count: count)
    secondCount = firstCount
    place = firstCount
    var waiting = [Stretch(first: 0..<first.count, second: 0..<second.count)]
    while let next = waiting.popLast() {
      guard let stretch = trim(next) else { continue }
      leftLines -= stretch.first.count + stretch.second.count
      effort += stretch.first.count + stretch.second.count
      guard leftLines > 0 else { continue }
      let anchors = anchors(stretch)
      guard !anchors.isEmpty else {
        matchAll(stretch)
        continue
      }
      var at = (stretch.first.lowerBound, stretch.second.lowerBound)
      for (line, twin) in anchors {
        match[line] = twin
        waiting.append(Stretch(first: at.0..<line, second: at.1..<twin))
        at = (line + 1, twin + 1)
      }
      waiting.append(Stretch(first: at.0..<stretch.first.upperBound, second: at.1..<stretch.second.upperBound))
    }
  }

  /// Matches what is the same at both ends; nil when nothing is left of one text.
  private mutating func trim(_ stretch: Stretch) -> Stretch? {
    var low = (stretch.first.lowerBound, stretch.second.lowerBound)
    var high = (stretch.first.upperBound, stretch.second.upperBound)
    while low.0 < high.0, low.1 < high.1, first[low.0] == second[low.1] {
      match[low.0] = low.1
      low = (low.0 + 1, low.1 + 1)
      effort += 1
    }
    while low.0 < high.0, low.1 < high.1, first[high.0 - 1] == second[high.1 - 1] {
      high = (high.0 - 1, high.1 - 1)
      match[high.0] = high.1
      effort += 1
    }
    return low.0 < high.0 && low.1 < high.1 ? Stretch(first: low.0..<high.0, second: low.1..<high.1) : nil
  }

  /// The lines that stand once in each of both, as many as stand in the same order.
  private mutating func anchors(_ stretch: Stretch) -> [(Int, Int)] {
    for line in stretch.first { firstCount[first[line]] += 1 }
    for line in stretch.second {
      secondCount[second[line]] += 1
      place[second[line]] = line
    }
    defer {
      for line in stretch.first { firstCount[first[line]] = 0 }
      for line in stretch.second { secondCount[second[line]] = 0 }
    }
    // The longest ascending sequence of the places in the second text.
    var piles: [Int] = []
    var pairs: [(line: Int, twin: Int, before: Int)] = []
    for line in stretch.first where firstCount[first[line]] == 1 && secondCount[first[line]] == 1 {
      let twin = place[first[line]]
      var low = 0
      var high = piles.count
      while low < high {
        let middle = (low + high) / 2
        if pairs[piles[middle]].twin < twin { low = middle + 1 } else { high = middle }
      }
      pairs.append((line, twin, low > 0 ? piles[low - 1] : -1))
      if low == piles.count { piles.append(pairs.count - 1) } else { piles[low] = pairs.count - 1 }
    }
    var anchors: [(Int, Int)] = []
    var at = piles.last ?? -1
    while at >= 0 {
      anchors.append((pairs[at].line, pairs[at].twin))
      at = pairs[at].before
    }
    return anchors.reversed()
  }

  /// The longest common sequence of a short stretch.
  private mutating func matchAll(_ stretch: Stretch) {
    let rows = stretch.first.count
    let columns = stretch.second.count
    let (size, isTooLarge) = (rows + 1).multipliedReportingOverflow(by: columns + 1)
    guard !isTooLarge, size <= Self.cells, size <= leftCells else { return }
    leftCells -= size
    effort += size
    // length[row][column]: of what is behind both.
    var length = [Int32](repeating: 0, count: size)
    let width = columns + 1
    for row in (0..<rows).reversed() {
      for column in (0..<columns).reversed() {
        let at = row * width + column
        length[at] =
          first[stretch.first.lowerBound + row] == second[stretch.second.lowerBound + column]
          ? length[at + width + 1] + 1 : max(length[at + width], length[at + 1])
      }
    }
    var row = 0
    var column = 0
    while row < rows, column < columns {
      let at = row * width + column
      if first[stretch.first.lowerBound + row] == second[stretch.second.lowerBound + column] {
        match[stretch.first.lowerBound + row] = stretch.second.lowerBound + column
        row += 1
        column += 1
      } else if length[at + width] >= length[at + 1] {
        row += 1
      } else {
        column += 1
      }
    }
  }
}
