import Diagnostics

/// Reports findings as GitHub Actions workflow commands. GitHub shows them next to the changed lines.
///
/// Content is escaped and contains no line breaks, so it cannot begin a command.
public final class GitHubReport: FindingReport {
  private let output: ReportOutput
  private let paths: ReportPath

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    output = ReportOutput(options, to: sink)
    paths = options.repositoryPaths
  }

  /// Writes nothing.
  public func begin() throws {}

  /// Writes one command.
  public func add(_ finding: Diagnostic) throws {
    let place = finding.place
    var properties = ["file=" + Self.property(paths.name(place.file))]
    // A line inside a database cell or an archive member is not a line of the file.
    if place.row == nil, place.member == nil, let line = place.line {
      properties.append("line=\(line)")
      if let column = place.column {
        properties.append("col=\(column)")
        if let endColumn = place.endColumn, endColumn > column { properties.append("endColumn=\(endColumn)") }
      }
    }
    properties.append("title=" + Self.property("\(finding.code.id) \(finding.code.name)"))
    var lines = [finding.message]
    if let title = finding.title { lines[0] += " (in “\(title)”)" }
    if place.line == nil || place.row != nil || place.member != nil { lines.append("at: \(place)") }
    lines += ["why: " + finding.why, "fix: " + finding.fix]
    let message = lines.map { Self.data(ReportEscaping.line($0)) }.joined(separator: "%0A")
    try output.write("::\(command(finding.severity)) \(properties.joined(separator: ","))::\(message)\n")
  }

  /// Writes the counts as a plain line and the omissions as notices.
  public func end(_ summary: ReportSummary) throws {
    for sentence in summary.omissions { try output.write("::notice::" + Self.data(sentence) + "\n") }
    try output.write(summary.sentence + "\n")
    try output.flush()
  }

  private func command(_ severity: Severity) -> String {
    switch severity {
    case .error: "error"
    case .warning: "warning"
    case .note: "notice"
    }
  }

  /// Escapes the text after `::`.
  private static func data(_ text: String) -> String {
    escape(text, isProperty: false)
  }

  /// Escapes a property's value.
  private static func property(_ text: String) -> String {
    escape(ReportEscaping.line(text), isProperty: true)
  }

  private static func escape(_ text: String, isProperty: Bool) -> String {
    var safe = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "%": safe += "%25"
      case "\r": safe += "%0D"
      case "\n": safe += "%0A"
      case ":" where isProperty: safe += "%3A"
      case "," where isProperty: safe += "%2C"
      default: safe.unicodeScalars.append(scalar)
      }
    }
    return safe
  }
}
