/// Words counts for messages. This is the only place that decides between singular and plural.
package enum Plural {
  /// `1 step`, `3 steps`.
  /// - Parameter many: the plural, if it is not the word with an s.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(word(number, one, many))"
  }

  /// The word after a count that is formatted in another way, such as `45 678`.
  package static func word(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    number == 1 ? one : many ?? one + "s"
  }
}
