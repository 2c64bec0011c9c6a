import Merging

/// Texts that may be the merge of two versions of a file: what a person would have typed, the most likely text first.
///
/// Each candidate keeps the notation of the lines that it uses. The caller must read a candidate and check that it has
/// the content of the merged records.
struct TextCandidates {
  private let base: [UInt8]?
  private let ours: [UInt8]
  private let theirs: [UInt8]

  /// The maximum number of combinations in which conflicts are resolved.
  private static let ways = 48
  /// The total number of bytes of candidates that are checked.
  private static let effort = 48 << 20

  init(base: [UInt8]?, ours: [UInt8], theirs: [UInt8]) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }

  /// A candidate that passed the check.
  struct Found {
    let text: [UInt8]
    /// Lines that both sides changed and that do not affect the record, whichever side is used. Lines are numbered from
    /// 1 in `text`.
    var doubts: [Int] = []
    /// The text with the other side's lines instead.
    var flipped: [UInt8]
  }

  /// Returns the first candidate that passes the check; nil if all fail.
  func first(where isGood: ([UInt8]) throws -> Bool) rethrows -> Found? {
    var tried: Set<[UInt8]> = []
    var left = Self.effort
    func isNew(_ text: [UInt8]) throws -> Bool {
      guard left > 0, tried.insert(text).inserted else { return false }
      left -= text.count
      return try isGood(text)
    }
    guard let base else {
      for text in [ours, theirs] where try isNew(text) { return Found(text: text, flipped: text) }
      return nil
    }
    let lines = (Self.lines(base), Self.lines(ours), Self.lines(theirs))
    let strict = Diff3(base: lines.0, ours: lines.1, theirs: lines.2, touching: .conflicts)
    if strict.isClean {
      let text = Self.text(strict.pieces, separator: 0x0A)
      if try isNew(text) { return Found(text: text, flipped: text) }
    }
    let loose = Diff3(base: lines.0, ours: lines.1, theirs: lines.2, touching: .merges)
    for byWords in [true, false] {
      let pieces = byWords ? loose.pieces.map(Self.wordByWord) : loose.pieces
      let doubts = pieces.indices.filter { if case .conflict = pieces[$0] { true } else { false } }
      for way in 0..<Self.count(doubts.count) {
        let chosen = Self.choose(pieces, doubts, way)
        let text = Self.text(chosen, separator: 0x0A)
        guard try isNew(text) else { continue }
        return try found(text, pieces, doubts, chosen, isGood)
      }
    }
    return nil
  }

  // MARK: Ways

  /// Returns the number of texts that result if each conflict is resolved to ours, to theirs, or to ours followed by
  /// theirs; at most `ways`.
  private static func count(_ doubts: Int) -> Int {
    var count = 1
    for _ in 0..<doubts where count < ways { count *= 3 }
    return min(count, ways)
  }

  private static func choose(_ pieces: [Diff3.Piece], _ doubts: [Int], _ way: Int) -> [Diff3.Piece] {
    var chosen = pieces
    var rest = way
    for index in doubts {
      guard case .conflict(_, let mine, let other) = pieces[index] else { continue }
      chosen[index] = .units([mine, other, mine + other][rest % 3][...])
      rest /= 3
    }
    return chosen
  }

  /// Returns the text, and the lines for which the other side's lines would also pass the check.
  private func found(
    _ text: [UInt8], _ pieces: [Diff3.Piece], _ doubts: [Int], _ chosen: [Diff3.Piece],
    _ isGood: ([UInt8]) throws -> Bool
  ) rethrows -> Found {
    var found = Found(text: text, flipped: text)
    var all = chosen
    for index in doubts.prefix(Self.ways) {
      guard case .conflict(_, let mine, let other) = pieces[index], case .units(let taken) = chosen[index],
        !Self.isSame(mine, other), Array(taken) == mine || Array(taken) == other
      else { continue }
      var flipped = chosen
      flipped[index] = .units((Array(taken) == mine ? other : mine)[...])
      guard try isGood(Self.text(flipped, separator: 0x0A)) else { continue }
      all[index] = flipped[index]
      found.doubts.append(
        1 + chosen[..<index].reduce(0) { if case .units(let units) = $1 { $0 + units.count } else { $0 } })
    }
    found.flipped = Self.text(all, separator: 0x0A)
    return found
  }

  /// Whether lines are equal apart from white space.
  static func isSame(_ left: [ArraySlice<UInt8>], _ right: [ArraySlice<UInt8>]) -> Bool {
    func letters(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
      lines.joined().filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    }
    return letters(left) == letters(right)
  }

  /// Merges, word by word if possible, what both sides changed on the same lines.
  static func wordByWord(_ piece: Diff3.Piece) -> Diff3.Piece {
    guard case .conflict(let base, let mine, let other) = piece, !base.isEmpty else { return piece }
    func words(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
      Self.words(lines.flatMap { $0 + [0x0A] })
    }
    let weave = Diff3(base: words(base), ours: words(mine), theirs: words(other), touching: .merges)
    guard weave.isClean else { return piece }
    let text = Self.text(weave.pieces, separator: nil)
    guard text.last == 0x0A || text.isEmpty else { return piece }
    return .units(Self.lines(text).dropLast()[...])
  }

  // MARK: Units

  private static func text(_ pieces: [Diff3.Piece], separator: UInt8?) -> [UInt8] {
    var text: [UInt8] = []
    var isFirst = true
    for piece in pieces {
      guard case .units(let units) = piece else { continue }
      for unit in units {
        if !isFirst, let separator { text.append(separator) }
        isFirst = false
        text += unit
      }
    }
    return text
  }

  /// Splits a text at its line feeds. Lines do not include the line feeds, so the last line equals another line with or
  /// without a line feed.
  static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// Splits a line into words, the spaces between them and single punctuation marks.
  private static func words(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    func kind(_ byte: UInt8) -> Int {
      switch byte {
      case 0x20, 0x09, 0x0D: 1
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: 2
      default: 0
      }
    }
    var words: [ArraySlice<UInt8>] = []
    var start = 0
    for at in text.indices where at > start {
      let (before, here) = (kind(text[at - 1]), kind(text[at]))
      if before != here || here == 0 {
        words.append(text[start..<at])
        start = at
      }
    }
    if start < text.count { words.append(text[start...]) }
    return words
  }
}

/// Writes two texts as one, with git's conflict markers around lines that differ.
enum ConflictMarkers {
  /// Returns the text with markers.
  /// - Parameters:
  ///   - ours: the merge with our side of every conflict.
  ///   - theirs: the merge with the other side of every conflict.
  static func text(ours: [UInt8], theirs: [UInt8]) -> [UInt8] {
    let mine = TextCandidates.lines(ours)
    let other = TextCandidates.lines(theirs)
    var numbers: [ArraySlice<UInt8>: Int] = [:]
    func number(_ lines: [ArraySlice<UInt8>]) -> [Int] {
      lines.map { line in
        let next = numbers.count
        if let known = numbers[line] { return known }
        numbers[line] = next
        return next
      }
    }
    let (left, right) = (number(mine), number(other))
    let edits = Diff3Edit.all(
      LineMatching(left, right, count: numbers.count).match, right.count, isTheirs: true)
    // Markers use the line ends of the text.
    let isLong = ours.indices.contains { $0 > 0 && ours[$0] == 0x0A && ours[$0 - 1] == 0x0D }
    let end: [UInt8] = isLong ? [0x0D] : []
    var lines: [[UInt8]] = []
    var at = 0
    for edit in edits {
      lines += mine[at..<edit.base.lowerBound].map(Array.init)
      lines.append(Array("<<<<<<< ours".utf8) + end)
      lines += mine[edit.base].map(Array.init)
      lines.append(Array("=======".utf8) + end)
      lines += other[edit.side].map(Array.init)
      lines.append(Array(">>>>>>> theirs".utf8) + end)
      at = edit.base.upperBound
    }
    lines += mine[at...].map(Array.init)
    return Array(lines.joined(separator: [0x0A]))
  }
}
