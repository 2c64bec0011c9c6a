/// Texts that may be the merge of two versions of a file: what a person would have typed, most likely first.
///
/// Each keeps the typing of what it takes over, and none is trusted: whoever asks reads a candidate, and takes it only
/// if it says what the merge of the records says.
struct TextCandidates {
  private let base: [UInt8]?
  private let ours: [UInt8]
  private let theirs: [UInt8]

  /// How many ways of taking what is in doubt are tried.
  private static let ways = 48
  /// What may be read in all, in bytes.
  private static let effort = 48 << 20

  init(base: [UInt8]?, ours: [UInt8], theirs: [UInt8]) {
    self.base = base
    self.ours = ours
    self.theirs = theirs
  }

  /// A text that is good.
  struct Found {
    let text: [UInt8]
    /// Lines that both sides changed, where it makes no difference to the reader whose are taken: what nobody but
    /// people reads. Lines from 1, of the text.
    var doubts: [Int] = []
    /// The text with the other side's lines in their place.
    var flipped: [UInt8]
  }

  /// The first that is good; nil when none is.
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
    let strict = TextWeave(base: lines.0, ours: lines.1, theirs: lines.2, touching: .conflicts)
    if strict.isClean {
      let text = Self.text(strict.pieces, separator: 0x0A)
      if try isNew(text) { return Found(text: text, flipped: text) }
    }
    let loose = TextWeave(base: lines.0, ours: lines.1, theirs: lines.2, touching: .merges)
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

  /// How many texts there are with what is in doubt taken from ours, from theirs, and from both, one behind the other.
  private static func count(_ doubts: Int) -> Int {
    var count = 1
    for _ in 0..<doubts where count < ways { count *= 3 }
    return min(count, ways)
  }

  private static func choose(_ pieces: [TextWeave.Piece], _ doubts: [Int], _ way: Int) -> [TextWeave.Piece] {
    var chosen = pieces
    var rest = way
    for index in doubts {
      guard case .conflict(_, let mine, let other) = pieces[index] else { continue }
      chosen[index] = .units([mine, other, mine + other][rest % 3][...])
      rest /= 3
    }
    return chosen
  }

  /// The text, and where the other side's lines would have been as good.
  private func found(
    _ text: [UInt8], _ pieces: [TextWeave.Piece], _ doubts: [Int], _ chosen: [TextWeave.Piece],
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

  /// Whether lines are the same but for white space.
  static func isSame(_ left: [ArraySlice<UInt8>], _ right: [ArraySlice<UInt8>]) -> Bool {
    func letters(_ lines: [ArraySlice<UInt8>]) -> [UInt8] {
      lines.joined().filter { $0 != 0x20 && $0 != 0x09 && $0 != 0x0D }
    }
    return letters(left) == letters(right)
  }

  /// What both changed of the same lines, put together word by word where that goes.
  static func wordByWord(_ piece: TextWeave.Piece) -> TextWeave.Piece {
    guard case .conflict(let base, let mine, let other) = piece, !base.isEmpty else { return piece }
    func words(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
      Self.words(lines.flatMap { $0 + [0x0A] })
    }
    let weave = TextWeave(base: words(base), ours: words(mine), theirs: words(other), touching: .merges)
    guard weave.isClean else { return piece }
    let text = Self.text(weave.pieces, separator: nil)
    guard text.last == 0x0A || text.isEmpty else { return piece }
    return .units(Self.lines(text).dropLast()[...])
  }

  // MARK: Units

  private static func text(_ pieces: [TextWeave.Piece], separator: UInt8?) -> [UInt8] {
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

  /// What stands between line ends: a last line is like all others whether one follows it or not.
  static func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
    text.split(separator: 0x0A, omittingEmptySubsequences: false)
  }

  /// Words, spaces between them, and signs, one by one.
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
