import FleetKit

/// Renders explanations of how notes were classified, for people.
enum ExplanationRenderer {
  /// Prints a run's explanations on standard error, if they were requested.
  static func print(_ context: RunContext) {
    guard context.reading.explains else { return }
    print(context.explanations.all)
  }

  /// Prints explanations on standard error.
  static func print(_ explanations: [Explanation]) {
    for explanation in explanations { Terminal.say(render(explanation)) }
  }

  /// Renders one note: `guides/x.md: practice guide, 97 % sure`, with the reasons and their weights below.
  static func render(_ explanation: Explanation) -> String {
    let name = TerminalEscaping.escape(explanation.file)
    var lines = ["\(name): \(TerminalEscaping.escape(explanation.takenFor)), \(explanation.certainty) % sure"]
    for reason in explanation.reasons {
      let sign = reason.weight > 0 ? "+" : reason.weight < 0 ? "-" : "·"
      let place = reason.line.map { " (line \($0))" } ?? ""
      lines.append("  \(sign) \(TerminalEscaping.escape(reason.text))\(place)")
    }
    return lines.joined(separator: "\n")
  }
}
