/// How much words say in one checklist: those that many of its titles have tell little apart.
struct WordWeights {
  private var counts: [String: Int] = [:]
  private var titles = 0

  /// Words that say next to nothing anywhere.
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

  /// The weight of a word, from 0 to 1.
  func weight(_ word: StepTitle.Word) -> Double {
    if word.isNumber { return 0.3 }
    if Self.fillers.contains(word.text) { return 0.1 }
    let count = counts[word.text, default: 0]
    return count >= 3 && count * 8 >= titles ? 0.4 : 1
  }
}
