/// Words of which a step has one or the other: two titles that differ in such a pair are two steps, however alike they
/// are otherwise. A tick for the port engine says nothing of the starboard one.
enum OpposedWords {
  /// Beginnings of words, lower-case; those that end in a blank are whole words.
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

  /// Words that turn what is said into its opposite.
  private static let negations: Set<String> = ["not", "never", "no", "don't", "dont", "не", "никогда", "нет", "без"]

  /// Which side of which pairs a title's words are on.
  struct Sides: Equatable {
    fileprivate var left: UInt64 = 0
    fileprivate var right: UInt64 = 0
    fileprivate var isNegated = false
  }

  /// Looks at the words of a title, in lower case.
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

  /// Whether one title says what the other one says the opposite of.
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

  /// The words by a byte at their beginning, so that a title's word is compared with two or three of them.
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

  /// Cyrillic letters have one of two first bytes; the second one tells them apart.
  private static func bucket(_ word: [UInt8]) -> Int { Int(word.count > 1 && word[0] >= 0x80 ? word[1] : word[0]) }
}
