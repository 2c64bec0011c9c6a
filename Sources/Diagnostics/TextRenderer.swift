/// Prints findings for people: place, severity, code, what, why, fix.
public struct TextRenderer: Sendable {
  /// Whether to colour the severity.
  public let colour: Bool

  /// Makes a renderer.
  public init(colour: Bool) { self.colour = colour }

  /// One finding in three lines.
  public func render(_ finding: Diagnostic) -> String {
    let severity = paint(finding.severity.description, finding.severity)
    var text = "\(TerminalText.escape(finding.place.description)): \(severity)[\(finding.code.id)] "
    text += TerminalText.escape(finding.message)
    if let title = finding.title { text += " (in “\(TerminalText.escape(title))”)" }
    text += "\n"
    text += "   why: \(TerminalText.escape(finding.why))\n"
    text += "   fix: \(TerminalText.escape(finding.fix))\n"
    return text
  }

  /// How many findings there were, and how many of them are not shown.
  public func summary(of log: DiagnosticLog, shown: Int) -> String {
    var parts: [String] = []
    for severity in Severity.allCases.reversed() where log.count(severity) > 0 {
      let count = log.count(severity)
      parts.append("\(count) \(severity)\(count == 1 ? "" : "s")")
    }
    guard !parts.isEmpty else { return "no findings" }
    let hidden = log.total - shown
    let more = hidden > 0 ? " (\(hidden) not shown; --json lists more, -v shows more)" : ""
    return parts.joined(separator: ", ") + more
  }

  private func paint(_ word: String, _ severity: Severity) -> String {
    guard colour else { return word }
    let code =
      switch severity {
      case .error: "31"
      case .warning: "33"
      case .note: "36"
      }
    return "\u{1B}[\(code)m\(word)\u{1B}[0m"
  }
}
