/// Merges two versions of a text line by line (diff3).
///
/// Changes are merged if at least one unchanged line is between them. As in git, changes that overlap or touch are a
/// conflict, unless both sides wrote the same lines. Line ends are not part of lines, so the last line equals other
/// lines with or without a line end. If each text has uniform line ends, they may differ between the texts, because
/// changing all line ends counts as one separate change.
struct TextMerge {
  /// A part of the merged text.
  private enum Piece {
    case lines(Slice)
    case conflict(ours: Slice, theirs: Slice)
  }

  /// A range of lines of one of the texts.
  private struct Slice {
    let isTheirs: Bool
    let lines: Range<Int>
  }

  private let ours: Lines
  private let theirs: Lines
  private let ending: [UInt8]
  private var pieces: [Piece] = []
  /// The ranges of conflicting lines in our text.
  private(set) var conflicts: [Range<Int>] = []
  private(set) var effort = 0

  /// Merges three texts without escapes.
  init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    let endings = LineEndings(base: base, ours: ours, theirs: theirs)
    ending = endings.merged
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    let old = Lines(base, endings.base, &numbers)
    self.ours = Lines(ours, endings.ours, &numbers)
    self.theirs = Lines(theirs, endings.theirs, &numbers)
    let mine = LineMatching(old.numbers, self.ours.numbers, count: numbers.count)
    let other = LineMatching(old.numbers, self.theirs.numbers, count: numbers.count)
    effort = mine.effort + other.effort + old.numbers.count
    // Repeated lines, such as blank ones, match ambiguously. Therefore the first check is whether one side already has
    // all changes of the other, so that a merged text is unchanged when it is merged again.
    let (toOurs, toTheirs) = between(ours, theirs, count: numbers.count)
    merge(old.numbers, Self.follow(other.match, toOurs), other.match)
    let hasTheirs = conflicts.isEmpty && text(takingTheirs: false) == ours
    merge(old.numbers, mine.match, Self.follow(mine.match, toTheirs))
    let hasOurs = conflicts.isEmpty && text(takingTheirs: false) == theirs
    if hasTheirs || hasOurs {
      // Each side may have all changes of the other if equal lines were removed. In this case the shorter text is
      // taken: it contains all added lines and no removed ones.
      let isOurs = hasTheirs && (!hasOurs || Self.isShorter(ours, theirs))
      let lines = isOurs ? self.ours.lines.indices : self.theirs.lines.indices
      pieces = [.lines(Slice(isTheirs: !isOurs, lines: lines))]
      conflicts = []
      return
    }
    merge(old.numbers, mine.match, other.match)
  }

  /// Returns the matching lines of ours and theirs in both directions. The result does not depend on which side is
  /// ours.
  private mutating func between(_ mine: [UInt8], _ other: [UInt8], count: Int) -> (toOurs: [Int], toTheirs: [Int]) {
    let startsWithOurs = mine.lexicographicallyPrecedes(other)
    let (first, second) = startsWithOurs ? (ours, theirs) : (theirs, ours)
    let matching = LineMatching(first.numbers, second.numbers, count: count)
    effort += matching.effort
    var inverse = Array(repeating: -1, count: second.numbers.count)
    for (line, twin) in matching.match.enumerated() where twin >= 0 { inverse[twin] = line }
    return startsWithOurs ? (inverse, matching.match) : (matching.match, inverse)
  }

  /// Whether a text is shorter than the other. If both are equally long, the text that sorts first counts as shorter.
  private static func isShorter(_ text: [UInt8], _ other: [UInt8]) -> Bool {
    text.count == other.count ? text.lexicographicallyPrecedes(other) : text.count < other.count
  }

  /// Combines two matchings into the matching from the first text to the last.
  private static func follow(_ match: [Int], _ next: [Int]) -> [Int] {
    match.map { line in line < 0 ? -1 : next[line] }
  }

  /// Returns the merged text, with one side's lines in conflicts.
  func text(takingTheirs: Bool) -> [UInt8] {
    var text: [UInt8] = []
    var isFirst = true
    for piece in pieces {
      let slice: Slice
      switch piece {
      case .lines(let lines): slice = lines
      case .conflict(let mine, let other): slice = takingTheirs ? other : mine
      }
      let source = slice.isTheirs ? theirs : ours
      for line in slice.lines {
        if !isFirst { text += ending }
        isFirst = false
        text += source.lines[line]
      }
    }
    return text
  }

  private mutating func merge(_ base: [Int], _ mine: [Int], _ other: [Int]) {
    pieces = []
    conflicts = []
    var at = (base: 0, ours: 0, theirs: 0)
    while true {
      let start = at
      while at.base < base.count, mine[at.base] == at.ours, other[at.base] == at.theirs {
        at = (at.base + 1, at.ours + 1, at.theirs + 1)
      }
      if at.base > start.base { pieces.append(.lines(Slice(isTheirs: false, lines: start.ours..<at.ours))) }
      // Skips to the next line that all three texts have.
      var next = at.base
      while next < base.count, mine[next] < 0 || other[next] < 0 { next += 1 }
      let end =
        next < base.count
        ? (base: next, ours: mine[next], theirs: other[next])
        : (base: base.count, ours: ours.lines.count, theirs: theirs.lines.count)
      add(base[at.base..<end.base], at.ours..<end.ours, at.theirs..<end.theirs)
      at = end
      if next >= base.count { return }
    }
  }

  private mutating func add(_ base: ArraySlice<Int>, _ mine: Range<Int>, _ other: Range<Int>) {
    if base.isEmpty, mine.isEmpty, other.isEmpty { return }
    let (left, right) = (ours.numbers[mine], theirs.numbers[other])
    if left.elementsEqual(right) || right.elementsEqual(base) {
      pieces.append(.lines(Slice(isTheirs: false, lines: mine)))
    } else if left.elementsEqual(base) {
      pieces.append(.lines(Slice(isTheirs: true, lines: other)))
    } else {
      pieces.append(
        .conflict(ours: Slice(isTheirs: false, lines: mine), theirs: Slice(isTheirs: true, lines: other)))
      conflicts.append(mine)
    }
  }
}

/// The lines of a text without their ends, and a number for each line. Equal lines have equal numbers.
private struct Lines {
  private(set) var lines: [ArraySlice<UInt8>] = []
  private(set) var numbers: [Int] = []

  init(_ text: [UInt8], _ ending: [UInt8], _ known: inout [ArraySlice<UInt8>: Int]) {
    var start = 0
    for (at, byte) in text.enumerated() where byte == 0x0A {
      add(text[start..<max(start, at + 1 - ending.count)], &known)
      start = at + 1
    }
    add(text[start...], &known)
  }

  private mutating func add(_ line: ArraySlice<UInt8>, _ known: inout [ArraySlice<UInt8>: Int]) {
    lines.append(line)
    let next = known.count
    numbers.append(known[line] ?? next)
    if known[line] == nil { known[line] = next }
  }
}

/// Matches the lines of two texts. Lines are numbers, and equal lines have equal numbers.
///
/// Lines that occur once in both texts are matched first, in their longest common order (patience diff). Between these
/// lines, the longest common sequence is matched, if there are few enough lines. Unmatched lines count as changed,
/// which causes more conflicts but never a wrong text. The time is bounded for all texts.
package struct LineMatching {
  /// The maximum number of table cells for one range, and for a whole text. Beyond this limit, lines stay unmatched.
  private static let cells = 1 << 18
  private static let allCells = 1 << 22

  private let first: [Int]
  private let second: [Int]
  /// The line of the second text for each line of the first; -1 if there is no match. The matched lines are in
  /// ascending order.
  package private(set) var match: [Int]
  /// The number of compared lines and cells.
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

  /// Matches the texts.
  /// - Parameter count: the number of different lines.
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

  /// Matches equal lines at both ends. Returns nil if one text has no lines left.
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

  /// Returns the longest sequence of lines that occur once in each text and have the same order.
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
    // Finds the longest ascending sequence of the positions in the second text.
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

  /// Matches the longest common sequence of a short range.
  private mutating func matchAll(_ stretch: Stretch) {
    let rows = stretch.first.count
    let columns = stretch.second.count
    let (size, isTooLarge) = (rows + 1).multipliedReportingOverflow(by: columns + 1)
    guard !isTooLarge, size <= Self.cells, size <= leftCells else { return }
    leftCells -= size
    effort += size
    // length[row][column] is the length for the lines after row and column.
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

/// The line ends of three versions of a text and of the merged text.
struct LineEndings {
  let base: [UInt8]
  let ours: [UInt8]
  let theirs: [UInt8]
  let merged: [UInt8]

  private enum Kind {
    /// All lines end in `\n`, or all in `\r\n`.
    case short, long
    /// There is only one line.
    case none
    /// Both kinds occur, so line ends are part of their lines.
    case mixed
  }

  private static let short: [UInt8] = [0x0A]
  private static let long: [UInt8] = [0x0D, 0x0A]

  init(base: [UInt8], ours: [UInt8], theirs: [UInt8]) {
    let kinds = (Self.kind(base), Self.kind(ours), Self.kind(theirs))
    guard kinds.0 != .mixed, kinds.1 != .mixed, kinds.2 != .mixed else {
      (self.base, self.ours, self.theirs, merged) = (Self.short, Self.short, Self.short, Self.short)
      return
    }
    func ending(_ kind: Kind) -> [UInt8] { kind == .long ? Self.long : Self.short }
    self.base = ending(kinds.0)
    self.ours = ending(kinds.1)
    self.theirs = ending(kinds.2)
    // The side that changed the line ends wins. If both sides did, ours wins.
    let mine = kinds.1 == .none ? kinds.0 : kinds.1
    let other = kinds.2 == .none ? kinds.0 : kinds.2
    merged = ending(mine == kinds.0 || mine == .none ? (other == .none ? mine : other) : mine)
  }

  private static func kind(_ text: [UInt8]) -> Kind {
    var found = Kind.none
    for (at, byte) in text.enumerated() where byte == 0x0A {
      let kind: Kind = at > 0 && text[at - 1] == 0x0D ? .long : .short
      if found != .none, found != kind { return .mixed }
      found = kind
    }
    return found
  }
}
