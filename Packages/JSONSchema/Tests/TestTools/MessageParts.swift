/// The parts of a message that tests compare. The text between them may change.
extension String {
  /// The whole numbers in the message, sorted.
  public var numbers: [Int] { matches(of: /[0-9]+/).compactMap { Int($0.output) }.sorted() }

  /// The names in quotation marks of any kind, in order.
  public var quoted: [String] {
    matches(of: /'([^']*)'|“([^”]*)”|"([^"]*)"/).compactMap { match in
      (match.output.1 ?? match.output.2 ?? match.output.3).map(String.init)
    }
  }
}
