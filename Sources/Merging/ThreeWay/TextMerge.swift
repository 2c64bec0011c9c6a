/// Merges two versions of a text line by line (what is called diff3).
///
/// Changes are merged where at least one line that nobody changed stands between them; changes that overlap or touch
/// are a conflict, as in git, unless both sides wrote the same. A line's ending belongs to no line: if all lines of all
/// three texts end in `\r\n`, lines are what stands between those; otherwise what stands between `\n`. So the last line
/// is like all others whether an ending follows or not, and endings stay as they are.
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
    let hasLongEndings = [base, ours, theirs].allSatisfy(Lines.hasLongEndings)
    ending = hasLongEndings ? [0x0D, 0x0A] : [0x0A]
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    let old = Lines(base, ending, &numbers)
    self.ours = Lines(ours, ending, &numbers)
    self.theirs = Lines(theirs, ending, &numbers)
    let mine = LineMatching(old.numbers, self.ours.numbers, count: numbers.count)
    let other = LineMatching(old.numbers, self.theirs.numbers, count: numbers.count)
    effort = mine.effort + other.effort + old.numbers.count
    merge(old.numbers, mine.match, other.match)
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

  /// Whether every line ends in `\r\n`; a text of one line does not say otherwise.
  static func hasLongEndings(_ text: [UInt8]) -> Bool {
    for (at, byte) in text.enumerated() where byte == 0x0A {
      if at == 0 || text[at - 1] != 0x0D { return false }
    }
    return true
  }
}
