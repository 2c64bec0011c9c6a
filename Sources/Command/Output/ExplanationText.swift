import FleetKit

/// Why notes were taken for what they were taken, for people and for scripts.
enum ExplanationText {
  /// Prints the explanations of a run on standard error, when it was asked for them.
  static func print(_ context: RunContext) {
    guard context.reading.explains else { return }
    print(context.explanations.all)
  }

  /// Prints explanations on standard error.
  static func print(_ explanations: [Explanation]) {
    for explanation in explanations { Terminal.say(render(explanation)) }
  }

  /// One note: `guides/x.md: practice guide, 97 % sure`, and its reasons below with what they count.
  static func render(_ explanation: Explanation) -> String {
    let name = TerminalText.escape(explanation.file)
    var lines = ["\(name): \(TerminalText.escape(explanation.takenFor)), \(explanation.certainty) % sure"]
    for reason in explanation.reasons {
      let sign = reason.weight > 0 ? "+" : reason.weight < 0 ? "-" : "·"
      let place = reason.line.map { " (line \($0))" } ?? ""
      lines.append("  \(sign) \(TerminalText.escape(reason.text))\(place)")
    }
    return lines.joined(separator: "\n")
  }
}
