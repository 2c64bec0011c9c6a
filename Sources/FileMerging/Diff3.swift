import Merging

/// Merges two versions of a text, unit by unit, against their common base (diff3).
///
/// A unit is a line or a word. The caller splits the texts into units.
struct Diff3 {
  /// Whether changes that touch each other are a conflict.
  enum Touching {
    /// Touching changes are a conflict, as in git, because neighbouring lines may depend on each other.
    case conflicts
    /// Touching changes are not a conflict, because the caller reads the result and checks its content. If both sides
    /// added something at the same position, ours comes first.
    case merges
  }

  /// A part of the result.
  enum Piece {
    /// Units without a conflict.
    case units(ArraySlice<ArraySlice<UInt8>>)
    /// Units that both sides changed differently.
    case conflict(base: [ArraySlice<UInt8>], ours: [ArraySlice<UInt8>], theirs: [ArraySlice<UInt8>])
  }

  private(set) var pieces: [Piece] = []

  /// Whether there are no conflicts.
  var isClean: Bool {
    pieces.allSatisfy { if case .conflict = $0 { false } else { true } }
  }

  /// Merges the versions.
  init(
    base: [ArraySlice<UInt8>], ours: [ArraySlice<UInt8>], theirs: [ArraySlice<UInt8>], touching: Touching
  ) {
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func number(_ units: [ArraySlice<UInt8>]) -> [Int] {
      units.map { unit in
        let next = numbers.count
        if let known = numbers[unit] { return known }
        numbers[unit] = next
        return next
      }
    }
    let (old, mine, other) = (number(base), number(ours), number(theirs))
    let count = numbers.count
    var edits = Diff3Edit.all(LineMatching(old, mine, count: count).match, mine.count, isTheirs: false)
    edits += Diff3Edit.all(LineMatching(old, other, count: count).match, other.count, isTheirs: true)
    edits.sort {
      ($0.base.lowerBound, $0.base.upperBound, $0.isTheirs ? 1 : 0)
        < ($1.base.lowerBound, $1.base.upperBound, $1.isTheirs ? 1 : 0)
    }
    var at = 0
    var index = 0
    while index < edits.count {
      var cluster = [edits[index]]
      var range = edits[index].base
      index += 1
      while index < edits.count, edits[index].meets(range, touching) {
        cluster.append(edits[index])
        range = range.lowerBound..<max(range.upperBound, edits[index].base.upperBound)
        index += 1
      }
      if at < range.lowerBound { pieces.append(.units(base[at..<range.lowerBound])) }
      at = range.upperBound
      add(cluster, range, base, ours, theirs, touching)
    }
    if at < base.count { pieces.append(.units(base[at...])) }
  }

  private mutating func add(
    _ cluster: [Diff3Edit], _ range: Range<Int>, _ base: [ArraySlice<UInt8>], _ ours: [ArraySlice<UInt8>],
    _ theirs: [ArraySlice<UInt8>], _ touching: Touching
  ) {
    func side(_ isTheirs: Bool) -> [ArraySlice<UInt8>] {
      var units: [ArraySlice<UInt8>] = []
      var at = range.lowerBound
      for edit in cluster where edit.isTheirs == isTheirs {
        units += base[at..<edit.base.lowerBound]
        units += (isTheirs ? theirs : ours)[edit.side]
        at = edit.base.upperBound
      }
      return units + base[at..<range.upperBound]
    }
    let hasOurs = cluster.contains { !$0.isTheirs }
    let hasTheirs = cluster.contains { $0.isTheirs }
    guard hasOurs, hasTheirs else {
      pieces.append(.units(side(hasTheirs)[...]))
      return
    }
    let (mine, other) = (side(false), side(true))
    if mine == other {
      pieces.append(.units(mine[...]))
    } else if range.isEmpty, touching == .merges {
      pieces.append(.units((mine + other)[...]))
    } else {
      pieces.append(.conflict(base: Array(base[range]), ours: mine, theirs: other))
    }
  }
}

/// One change of one side: units of the base and their replacement.
struct Diff3Edit {
  let base: Range<Int>
  let side: Range<Int>
  let isTheirs: Bool

  /// Returns the changes that a matching implies.
  static func all(_ match: [Int], _ count: Int, isTheirs: Bool) -> [Diff3Edit] {
    var edits: [Diff3Edit] = []
    var (old, new) = (0, 0)
    func add(_ oldEnd: Int, _ newEnd: Int) {
      if old < oldEnd || new < newEnd {
        edits.append(Diff3Edit(base: old..<oldEnd, side: new..<newEnd, isTheirs: isTheirs))
      }
      old = oldEnd + 1
      new = newEnd + 1
    }
    for (line, twin) in match.enumerated() where twin >= 0 { add(line, twin) }
    add(match.count, count)
    return edits
  }

  /// Whether this change must be merged together with the changes of a range that begins no later.
  func meets(_ range: Range<Int>, _ touching: Diff3.Touching) -> Bool {
    switch touching {
    case .conflicts: base.lowerBound <= range.upperBound
    case .merges:
      // Two insertions at the same position are compared with each other, because they may be equal.
      base.lowerBound < range.upperBound || base.isEmpty && range.isEmpty && base == range
    }
  }
}
