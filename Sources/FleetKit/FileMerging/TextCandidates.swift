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

  /// The first that is good; nil when none is.
  func first(where isGood: ([UInt8]) throws -> Bool) rethrows -> [UInt8]? {
    var tried: Set<[UInt8]> = []
    var left = Self.effort
    func isNew(_ text: [UInt8]) throws -> Bool {
      guard left > 0, tried.insert(text).inserted else { return false }
      left -= text.count
      return try isGood(text)
    }
    if try isNew(ours) { return ours }
    if try isNew(theirs) { return theirs }
    guard let base else { return nil }
    let lines = (Self.lines(base), Self.lines(ours), Self.lines(theirs))
    let strict = TextWeave(base: lines.0, ours: lines.1, theirs: lines.2, touching: .conflicts)
    if strict.isClean {
      let text = Self.text(strict.pieces, separator: 0x0A)
      if try isNew(text) { return text }
    }
    let loose = TextWeave(base: lines.0, ours: lines.1, theirs: lines.2, touching: .merges)
    for byWords in [true, false] {
      let pieces = byWords ? loose.pieces.map(Self.wordByWord) : loose.pieces
      for text in Self.ways(pieces) where try isNew(text) { return text }
    }
    return nil
  }

  // MARK: Ways

  /// Texts with what is in doubt taken from ours, from theirs, and from both, one behind the other.
  private static func ways(_ pieces: [TextWeave.Piece]) -> some Sequence<[UInt8]> {
    let doubts = pieces.indices.filter { if case .conflict = pieces[$0] { true } else { false } }
    var count = 1
    for _ in doubts where count < ways { count *= 3 }
    return (0..<min(count, ways)).lazy.map { way in
      var chosen = pieces
      var rest = way
      for index in doubts {
        guard case .conflict(_, let mine, let other) = pieces[index] else { continue }
        chosen[index] = .units([mine, other, mine + other][rest % 3][...])
        rest /= 3
      }
      return text(chosen, separator: 0x0A)
    }
  }

  /// What both changed of the same lines, put together word by word where that goes.
  static func wordByWord(_ piece: TextWeave.Piece) -> TextWeave.Piece {
    guard case .conflict(let base, let mine, let other) = piece, !base.isEmpty else { return piece }
    func words(_ lines: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
      Self.words(Array(lines.joined(separator: [0x0A])))
    }
    let weave = TextWeave(base: words(base), ours: words(mine), theirs: words(other), touching: .merges)
    guard weave.isClean else { return piece }
    return .units(Self.lines(text(weave.pieces, separator: nil))[...])
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
