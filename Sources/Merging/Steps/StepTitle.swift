import JSONText

/// A title taken apart, to tell how much two of them are alike.
struct StepTitle {
  /// A word of it, in lower case.
  struct Word {
    let text: String
    /// Pairs of letters that follow each other, its beginning and its end among them, sorted.
    let pairs: [UInt64]
    let isNumber: Bool

    init(_ text: String) {
      self.text = text
      isNumber = text.unicodeScalars.contains { $0.properties.numericType != nil }
      pairs = StepTitle.pairs(of: text)
    }

    /// Whether two words are one that was bent, or mistyped.
    func isLike(_ other: Word) -> Bool {
      if text.utf8.elementsEqual(other.text.utf8) { return true }
      return !isNumber && !other.isNumber && StepTitle.dice(pairs, other.pairs) >= 0.6
    }
  }

  let words: [Word]
  private let pairs: [UInt64]
  private let sides: OpposedWords.Sides
  /// The numbers in it, in order.
  let numbers: [String]
  /// The title without its numbers: what numbered steps have in common.
  let template: String

  /// Longer titles are compared by their beginnings.
  private static let longest = 300
  private static let mostWords = 24

  /// Takes a string.
  init(_ text: String) {
    var found: [String] = []
    var word = ""
    for scalar in text.lowercased().unicodeScalars.prefix(Self.longest) {
      if scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "'" {
        word.unicodeScalars.append(scalar)
      } else if !word.isEmpty {
        found.append(word)
        word = ""
      }
    }
    if !word.isEmpty { found.append(word) }
    words = found.prefix(Self.mostWords).map(Word.init)
    sides = OpposedWords.sides(of: found)
    numbers = words.filter(\.isNumber).map(\.text)
    template = words.map { $0.isNumber ? "#" : $0.text }.joined(separator: " ")
    pairs = Self.pairs(of: found.joined(separator: " "))
  }

  /// How much two titles are alike, from 0 to 1: their words by their weights, and their letters.
  ///
  /// Letters alone take `Check the bilge pump` for nearly the same as `Check the gas bottle`; words alone do not see
  /// what was mistyped.
  /// - Parameter weight: how much a word says in this checklist.
  func likeness(_ other: StepTitle, weight: (Word) -> Double) -> Double {
    let letters = Self.dice(pairs, other.pairs)
    guard letters >= 0.2 || words.count != other.words.count else { return 0 }
    var used = [Bool](repeating: false, count: other.words.count)
    var shared = 0.0
    var mine = 0.0
    for word in words {
      let own = weight(word)
      mine += own
      // Equal words first: a bent one must not take what another word of the title is.
      let twin =
        other.words.indices.first { !used[$0] && other.words[$0].text.utf8.elementsEqual(word.text.utf8) }
        ?? other.words.indices.first { !used[$0] && other.words[$0].isLike(word) }
      guard let twin else { continue }
      used[twin] = true
      shared += (own + weight(other.words[twin])) / 2
    }
    let theirs = other.words.reduce(0) { $0 + weight($1) }
    guard mine > 0, theirs > 0 else { return letters }
    let both = 0.6 * (2 * shared / (mine + theirs)) + 0.4 * letters
    // Nearly all that one says is in the other, as when words were added: then it says at least one thing of its own.
    let shorter = min(mine, theirs)
    return shorter >= 0.9 && shared >= 0.85 * shorter ? max(both, 0.6) : both
  }

  /// Whether one title says what the other one says the opposite of.
  func opposes(_ other: StepTitle) -> Bool { OpposedWords.opposes(sides, other.sides) }

  // MARK: Pairs of letters

  private static func pairs(of text: String) -> [UInt64] {
    var pairs: [UInt64] = []
    var last: UInt64 = 32
    for scalar in text.unicodeScalars {
      pairs.append(last << 32 | UInt64(scalar.value))
      last = UInt64(scalar.value)
    }
    if !pairs.isEmpty { pairs.append(last << 32 | 32) }
    return pairs.sorted()
  }

  /// Dice's coefficient: how many of both sets are in both.
  private static func dice(_ mine: [UInt64], _ theirs: [UInt64]) -> Double {
    guard !mine.isEmpty, !theirs.isEmpty else { return 0 }
    var i = 0
    var j = 0
    var shared = 0
    while i < mine.count, j < theirs.count {
      if mine[i] == theirs[j] {
        shared += 1
        i += 1
        j += 1
      } else if mine[i] < theirs[j] {
        i += 1
      } else {
        j += 1
      }
    }
    return 2 * Double(shared) / Double(mine.count + theirs.count)
  }
}
