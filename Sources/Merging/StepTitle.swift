import JSONText

/// A parsed title, for measuring the similarity of two titles.
struct StepTitle {
  /// A word in lower case.
  struct Word {
    let text: String
    /// Pairs of adjacent letters, including the word's beginning and end, sorted.
    let pairs: [UInt64]
    let isNumber: Bool

    init(_ text: String) {
      self.text = text
      isNumber = text.unicodeScalars.contains { $0.properties.numericType != nil }
      pairs = StepTitle.pairs(of: text)
    }

    /// Whether two words are inflections or misspellings of one word.
    func isLike(_ other: Word) -> Bool {
      if text.utf8.elementsEqual(other.text.utf8) { return true }
      return !isNumber && !other.isNumber && StepTitle.dice(pairs, other.pairs) >= 0.6
    }
  }

  let words: [Word]
  private let pairs: [UInt64]
  private let sides: Antonyms.Sides
  /// The numbers, in order.
  let numbers: [String]
  /// The title without its numbers, which numbered steps have in common.
  let template: String

  /// The maximum length. Longer titles are compared by their beginnings.
  private static let longest = 300
  private static let mostWords = 24

  /// Parses a title.
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
    sides = Antonyms.sides(of: found)
    numbers = words.filter(\.isNumber).map(\.text)
    template = words.map { $0.isNumber ? "#" : $0.text }.joined(separator: " ")
    pairs = Self.pairs(of: found.joined(separator: " "))
  }

  /// Returns the similarity of two titles from 0 to 1, by their weighted words and by their letters.
  ///
  /// By letters alone, `Check the bilge pump` would be nearly the same as `Check the gas bottle`. By words alone,
  /// misspellings would not be recognized.
  /// - Parameter weight: returns how significant a word is in this checklist.
  func likeness(_ other: StepTitle, weight: (Word) -> Double) -> Double {
    let letters = Self.dice(pairs, other.pairs)
    guard letters >= 0.2 || words.count != other.words.count else { return 0 }
    var used = [Bool](repeating: false, count: other.words.count)
    var shared = 0.0
    var mine = 0.0
    for word in words {
      let own = weight(word)
      mine += own
      // Equal words come first, so that an inflected word does not take the match of an equal one.
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
    // Nearly all words of one title are in the other title, for example because words were added. The title must have
    // at least one significant word.
    let shorter = min(mine, theirs)
    return shorter >= 0.9 && shared >= 0.85 * shorter ? max(both, 0.6) : both
  }

  /// Whether the titles are opposites.
  func opposes(_ other: StepTitle) -> Bool { Antonyms.opposes(sides, other.sides) }

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

  /// Returns Dice's coefficient, which measures the overlap of two sets.
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

/// The significance of words in one checklist. Words that occur in many of its titles distinguish little.
struct WordWeights {
  private var counts: [String: Int] = [:]
  private var titles = 0

  /// Words that are nearly insignificant everywhere.
  private static let fillers: Set<String> = [
    "a", "all", "an", "and", "are", "as", "at", "be", "both", "by", "each", "every", "for", "from", "in", "is", "it",
    "its", "of", "on", "or", "our", "that", "the", "their", "them", "then", "this", "to", "up", "with", "your",
    "в", "во", "все", "для", "до", "и", "из", "или", "к", "на", "об", "от", "по", "с", "со", "у",
  ]

  /// Counts the words of a title.
  mutating func add(_ title: StepTitle) {
    titles += 1
    for word in Set(title.words.map(\.text)) { counts[word, default: 0] += 1 }
  }

  /// Returns the weight of a word, from 0 to 1.
  func weight(_ word: StepTitle.Word) -> Double {
    if word.isNumber { return 0.3 }
    if Self.fillers.contains(word.text) { return 0.1 }
    let count = counts[word.text, default: 0]
    return count >= 3 && count * 8 >= titles ? 0.4 : 1
  }
}

/// Pairs of opposite words. Two titles that differ in such a pair are two steps, however similar they are otherwise. A
/// tick for the port engine is not a tick for the starboard engine.
enum Antonyms {
  /// Beginnings of words in lower case. Beginnings that end with a space are whole words.
  private static let pairs: [(String, String)] = [
    ("port ", "starboard"), ("bow ", "stern "), ("fore ", "aft "), ("forward", "aft "), ("port ", "stbd "),
    ("left ", "right "),
    ("windward", "leeward"), ("upper", "lower "), ("inner", "outer"), ("inside", "outside"), ("on ", "off "),
    ("in ", "out "), ("up ", "down "), ("open", "clos"), ("open", "shut"), ("start", "stop"), ("hoist", "lower"),
    ("raise", "lower"), ("before", "after"), ("first", "last"), ("first", "second"), ("connect", "disconnect"),
    ("lock", "unlock"), ("fill", "empty"), ("fill", "drain"), ("add ", "remove"), ("with ", "without"),
    ("arriv", "depart"), ("main", "spare"), ("engage", "disengage"),
    ("лев", "прав"), ("нос", "корм"), ("откр", "закр"), ("включ", "выключ"), ("подня", "опуст"), ("до ", "после "),
    ("перв", "последн"), ("перв", "втор"), ("верх", "ниж"), ("внутр", "снаруж"), ("подключ", "отключ"),
    ("запуст", "останов"), ("запуст", "заглуш"), ("с ", "без "), ("осн", "запасн"),
  ]

  /// Words that negate a title.
  private static let negations: Set<String> = ["not", "never", "no", "don't", "dont", "не", "никогда", "нет", "без"]

  /// The sides of the pairs that a title's words are on.
  struct Sides: Equatable {
    fileprivate var left: UInt64 = 0
    fileprivate var right: UInt64 = 0
    fileprivate var isNegated = false
  }

  /// Returns the sides of a title's words, which are in lower case.
  static func sides(of words: [String]) -> Sides {
    var sides = Sides()
    for word in words {
      if negations.contains(word) { sides.isNegated = true }
      let whole = Array((word + " ").utf8)
      for entry in buckets[bucket(whole)] where whole.starts(with: entry.bytes) {
        if entry.isLeft { sides.left |= 1 << entry.pair } else { sides.right |= 1 << entry.pair }
      }
    }
    return sides
  }

  /// Whether two titles are opposites.
  static func opposes(_ one: Sides, _ other: Sides) -> Bool {
    if one.isNegated != other.isNegated { return true }
    let onlyLeft = one.left & ~one.right
    let onlyRight = one.right & ~one.left
    return onlyLeft & other.right & ~other.left != 0 || onlyRight & other.left & ~other.right != 0
  }

  private struct Entry {
    let bytes: [UInt8]
    let pair: Int
    let isLeft: Bool
  }

  /// The words, grouped by a byte of their beginnings, so that a title's word is compared with only two or three of
  /// them.
  private static let buckets: [[Entry]] = {
    var buckets = [[Entry]](repeating: [], count: 256)
    for (index, pair) in pairs.enumerated() {
      for (text, isLeft) in [(pair.0, true), (pair.1, false)] {
        let bytes = Array(text.utf8)
        buckets[bucket(bytes)].append(Entry(bytes: bytes, pair: index, isLeft: isLeft))
      }
    }
    return buckets
  }()

  /// Returns the bucket of a word. Cyrillic letters have one of two first bytes, so the second byte distinguishes them.
  private static func bucket(_ word: [UInt8]) -> Int { Int(word.count > 1 && word[0] >= 0x80 ? word[1] : word[0]) }
}
