/// Merges two versions of a text line by line (what is called diff3).
///
/// Changes are merged where at least one line that nobody changed stands between them; changes that overlap or touch
/// are a conflict, as in git, unless both sides wrote the same. A line's ending belongs to no line, so the last line
/// is like all others whether an ending follows or not. Texts whose lines all end alike may end their lines differently:
/// what an editor did to all line ends is one change of its own.
struct TextMerge {
  /// A stretch of the merged text.
  private enum Piece {
    case lines(Slice)
    case conflict(ours: Slice, theirs: Slice)
  }

  /// Lines of one of the texts.
  private struct Slice {
    let isTheirs: Bool
    let lines: Range<Int>
  }

  private let ours: Lines
  private let theirs: Lines
  private let ending: [UInt8]
  private var pieces: [Piece] = []
  /// The lines of our text that are in conflict.
  private(set) var conflicts: [Range<Int>] = []
  private(set) var effort = 0

  /// Merges three texts, escapes resolved.
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
    // Where lines stand several times, as blank ones do, it is ambiguous which of them is which. First it is asked whether
    // one side has all that the other changed: so what is merged already stays as it is when it is merged again.
    let (toOurs, toTheirs) = between(ours, theirs, count: numbers.count)
    merge(old.numbers, Self.follow(other.match, toOurs), other.match)
    let hasTheirs = conflicts.isEmpty && text(takingTheirs: false) == ours
    merge(old.numbers, mine.match, Self.follow(mine.match, toTheirs))
    let hasOurs = conflicts.isEmpty && text(takingTheirs: false) == theirs
    if hasTheirs || hasOurs {
      // Each may have all of the other, where lines that are the same were taken away. The shorter one then: nothing is
      // missing in it that somebody wrote, and nothing is back that somebody took away.
      let isOurs = hasTheirs && (!hasOurs || Self.isShorter(ours, theirs))
      let lines = isOurs ? self.ours.lines.indices : self.theirs.lines.indices
      pieces = [.lines(Slice(isTheirs: !isOurs, lines: lines))]
      conflicts = []
      return
    }
    merge(old.numbers, mine.match, other.match)
  }

  /// Which lines of theirs are which of ours, and the other way; the same whichever side is called ours.
  private mutating func between(_ mine: [UInt8], _ other: [UInt8], count: Int) -> (toOurs: [Int], toTheirs: [Int]) {
    let startsWithOurs = mine.lexicographicallyPrecedes(other)
    let (first, second) = startsWithOurs ? (ours, theirs) : (theirs, ours)
    let matching = LineMatching(first.numbers, second.numbers, count: count)
    effort += matching.effort
    var inverse = Array(repeating: -1, count: second.numbers.count)
    for (line, twin) in matching.match.enumerated() where twin >= 0 { inverse[twin] = line }
    return startsWithOurs ? (inverse, matching.match) : (matching.match, inverse)
  }

  /// Whether a text is shorter than the other; of two that are as long, the one that sorts first counts.
  private static func isShorter(_ text: [UInt8], _ other: [UInt8]) -> Bool {
    text.count == other.count ? text.lexicographicallyPrecedes(other) : text.count < other.count
  }

  /// Goes on from one text to the next.
  private static func follow(_ match: [Int], _ next: [Int]) -> [Int] {
    match.map { line in line < 0 ? -1 : next[line] }
  }

  /// The merged text, in conflicts as one side has it.
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
      // To the next line that all three have.
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

/// The lines of a text, without their endings, and a number for each that equal lines share.
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
