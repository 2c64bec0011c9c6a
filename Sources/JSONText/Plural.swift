/// Counts as messages word them: the one place that decides between one and many.
package enum Plural {
  /// `1 step`, `3 steps`.
  /// - Parameter many: the plural, where it is not the word with an s.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(word(number, one, many))"
  }

  /// The word behind a count that is written in another way, such as `45 678`.
  package static func word(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    number == 1 ? one : many ?? one + "s"
  }
}
