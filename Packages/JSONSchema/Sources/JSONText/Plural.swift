/// Formats counts for messages. Only this type decides between singular and plural.
package enum Plural {
  /// Returns a number with its noun, such as `1 step` or `3 steps`.
  /// - Parameter many: the plural, if it is not formed with an s.
  package static func count(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    "\(number) \(word(number, one, many))"
  }

  /// Returns the noun that follows a count which is formatted differently, such as `45 678`.
  package static func word(_ number: Int, _ one: String, _ many: String? = nil) -> String {
    number == 1 ? one : many ?? one + "s"
  }
}
