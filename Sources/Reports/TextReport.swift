import Diagnostics

/// Reports findings for people, with the line of source text that each is about.
///
/// ```
/// guides/breath.md:14:3: error[SCH0403] 'duration' must be a whole number of minutes
///    14 │ duration: "5 min"
///       │           ^^^^^^^ string
///    why: practice_guide schedules by minutes
///    fix: duration: 5
/// ```
/// Lines are read from the file again when they are shown. A file that is gone, or that was changed so that it has no
/// such line, gives a finding without them.
public final class TextReport: FindingReport {
  private let output: ReportOutput
  private let paths: ReportPath
  private let paint: Paint
  private let frame: CodeFrame
  private let sources = SourceFiles()

  /// Makes a report.
  public init(_ options: ReportOptions, to sink: @escaping ReportSink) {
    output = ReportOutput(options, to: sink)
    paths = ReportPath(relativeTo: options.workingDirectory)
    paint = Paint(isOn: options.colour)
    frame = CodeFrame(width: options.width, paint: paint)
  }

  /// Nothing is before the findings.
  public func begin() throws {}

  /// Writes a finding.
  public func add(_ finding: Diagnostic) throws {
    let severity = paint.severity(finding.severity.description, finding.severity)
    var text = "\(Self.place(finding.place)): \(severity)[\(ReportText.line(finding.code.id))] "
    text += ReportText.line(finding.message)
    if let title = finding.title { text += " (in “\(ReportText.line(title, limit: ReportText.word))”)" }
    text += "\n" + (frame(of: finding) ?? "")
    text += "   why: \(ReportText.line(finding.why))\n"
    text += "   fix: \(ReportText.line(finding.fix))\n\n"
    try output.write(text)
  }

  /// Writes the counts, and what was not shown.
  public func end(_ summary: ReportSummary) throws {
    try output.write(summary.sentence + "\n")
    for sentence in summary.omissions { try output.write("… \(sentence)\n") }
    try output.flush()
  }

  private func frame(of finding: Diagnostic) -> String? {
    let place = finding.place
    let first = frame.firstColumn(for: place.column)
    let line: SourceLine?
    if let excerpt = finding.excerpt {
      line = SourceLine(excerpt, from: first, limit: frame.limit)
    } else if let number = place.line, place.row == nil, place.member == nil, place.file != "-" {
      line = sources.line(number, of: paths.path(place.file), from: first, limit: frame.limit)
    } else {
      line = nil
    }
    return line.flatMap {
      frame.render($0, number: place.line, place: place, label: finding.label, severity: finding.severity)
    }
  }

  /// A place at the beginning of a line. In a CI log, a file named `::error::` would begin a command there.
  private static func place(_ place: Place) -> String {
    let text = ReportText.line(place.description)
    return text.drop(while: \.isWhitespace).hasPrefix("::") ? "./" + text : text
  }
}

/// Colours of a terminal, or none.
struct Paint {
  let isOn: Bool

  func severity(_ text: String, _ severity: Severity) -> String {
    switch severity {
    case .error: paint(text, "31")
    case .warning: paint(text, "33")
    case .note: paint(text, "36")
    }
  }

  func dim(_ text: String) -> String { paint(text, "2") }

  private func paint(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}
