import JSONText

/// A title taken apart, to tell how much two of them are alike.
struct StepTitle {
  /// Pairs of characters that follow each other, sorted.
  private let pairs: [UInt64]
  private let sides: OpposedWords.Sides
  /// The numbers in it, in order.
  let numbers: [String]
  /// The title without its numbers: what numbered steps have in common.
  let template: String

  /// Longer titles are compared by their beginnings.
  private static let longest = 400

  /// Takes a string.
  init(_ text: String) {
    var words: [String] = []
    var word = ""
    for scalar in text.lowercased().unicodeScalars.prefix(Self.longest) {
      if scalar.properties.isAlphabetic || scalar.properties.numericType != nil || scalar == "'" {
        word.unicodeScalars.append(scalar)
      } else if !word.isEmpty {
        words.append(word)
        word = ""
      }
    }
    if !word.isEmpty { words.append(word) }
    sides = OpposedWords.sides(of: words)
    let isNumber = words.map { $0.unicodeScalars.contains { $0.properties.numericType != nil } }
    numbers = zip(words, isNumber).filter(\.1).map(\.0)
    template = zip(words, isNumber).map { $1 ? "#" : $0 }.joined(separator: " ")
    var pairs: [UInt64] = []
    var last: UInt64 = 32
    for scalar in words.joined(separator: " ").unicodeScalars {
      pairs.append(last << 32 | UInt64(scalar.value))
      last = UInt64(scalar.value)
    }
    if !pairs.isEmpty { pairs.append(last << 32 | 32) }
    self.pairs = pairs.sorted()
  }

  /// How much two titles are alike, from 0 to 1: the greater of Dice's coefficient of pairs of characters, and 0.6 when
  /// nearly all of one is in the other, as when words were added at its end.
  func likeness(_ other: StepTitle) -> Double {
    let mine = pairs.count
    let theirs = other.pairs.count
    guard mine > 0, theirs > 0 else { return 0 }
    var i = 0
    var j = 0
    var shared = 0
    while i < mine, j < theirs {
      if pairs[i] == other.pairs[j] {
        shared += 1
        i += 1
        j += 1
      } else if pairs[i] < other.pairs[j] {
        i += 1
      } else {
        j += 1
      }
    }
    let dice = 2 * Double(shared) / Double(mine + theirs)
    let shorter = min(mine, theirs)
    return shorter >= 6 && Double(shared) >= 0.85 * Double(shorter) ? max(dice, 0.6) : dice
  }

  /// Whether one title says what the other one says the opposite of.
  func opposes(_ other: StepTitle) -> Bool { OpposedWords.opposes(sides, other.sides) }
}
