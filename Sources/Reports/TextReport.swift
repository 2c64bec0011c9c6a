import Diagnostics
import JSONText

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

/// Text from content as it may stand on a line of a report: visible, on one line, and of bounded length.
enum ReportText {
  /// How many characters of a message, a reason or an advice are shown.
  static let sentence = 2000
  /// How many characters of a title or label are shown.
  static let word = 200

  /// `text` with everything that a terminal or a CI log would obey made visible, cut after `limit` characters.
  static func line(_ text: String, limit: Int = sentence) -> String {
    // Most text is plain, and most reports are long.
    if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
    var safe = ""
    var hashes = 0
    var count = 0
    for scalar in text.unicodeScalars {
      count += 1
      if count > limit { return safe + "…" }
      if let escape = escape(scalar, hashes: hashes) { safe += escape } else { safe.unicodeScalars.append(scalar) }
      hashes = scalar == "#" ? hashes + 1 : 0
    }
    return safe
  }

  /// `text` as it is, cut after `sentence` characters: a long title would stand in each of a thousand findings.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > sentence, text.unicodeScalars.count > sentence else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(sentence))) + "…"
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "[") }

  /// What stands for a character; nil when it may stand as it is.
  /// - Parameter hashes: how many `#` stand right before it. `##[` begins a command in GitHub's logs, wherever it
  ///   stands.
  static func escape(_ scalar: UnicodeScalar, hashes: Int) -> String? {
    scalar == "[" && hashes >= 2 ? "\\u{5B}" : TerminalText.escape(scalar)
  }
}

/// The counts at the end of a run: every finding counts, shown or not.
public struct ReportSummary: Sendable {
  /// How many findings there were of each severity, without those of the baseline.
  public var severities: [Severity: Int]
  /// How many findings there were of each code, without those of the baseline.
  public var codes: [DiagnosticCode: Int]
  /// How many of the counted findings were not shown, because there were too many.
  public var hidden: Int
  /// How many findings were left out because the baseline knows them.
  public var baseline: Int
  /// How many files were checked.
  public var files: Int
  /// How many of them have findings.
  public var filesWithFindings: Int
  /// How many records were checked.
  public var records: Int
  /// The exit status of the run.
  public var status: Int32
  /// The least severity that fails the run; nil when nothing does.
  public var failOn: Severity?

  /// Makes a summary; counts that are not given are 0.
  public init(
    severities: [Severity: Int] = [:], codes: [DiagnosticCode: Int] = [:], hidden: Int = 0, baseline: Int = 0,
    files: Int = 0, filesWithFindings: Int = 0, records: Int = 0, status: Int32 = 0, failOn: Severity? = .error
  ) {
    self.severities = severities
    self.codes = codes
    self.hidden = hidden
    self.baseline = baseline
    self.files = files
    self.filesWithFindings = filesWithFindings
    self.records = records
    self.status = status
    self.failOn = failOn
  }

  /// Counts one finding.
  public mutating func count(_ finding: Diagnostic) {
    severities[finding.severity, default: 0] += 1
    codes[finding.code, default: 0] += 1
  }

  /// How many findings there were.
  public var total: Int { severities.values.reduce(0, +) }

  /// Whether the run got to its end; findings do not stop it.
  var isComplete: Bool { status == 0 || status == 1 }

  /// `3 errors, 1 warning in 2 of 14 files (412 records)`; without records where none were counted.
  public var sentence: String {
    let found = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = severities[severity, default: 0]
      return count > 0 ? Plural.count(count, severity.description) : nil
    }
    // Findings about a whole folder are in none of its files.
    let place =
      found.isEmpty || filesWithFindings == 0
      ? "in \(Plural.count(files, "file"))" : "in \(filesWithFindings) of \(Plural.count(files, "file"))"
    return (found.isEmpty ? "no findings" : found.joined(separator: ", ")) + " \(place)"
      + (records > 0 ? " (\(Plural.count(records, "record")))" : "")
  }

  /// What was left out of the report, one sentence each; empty when nothing was.
  public var omissions: [String] { [hiddenSentence, baselineSentence].compactMap(\.self) }

  /// Says that the report was cut; nil when it was not.
  var hiddenSentence: String? {
    hidden > 0 ? "\(Plural.count(hidden, "more finding")) not shown; --max-findings 0 shows all" : nil
  }

  private var baselineSentence: String? {
    baseline > 0 ? "\(Plural.count(baseline, "finding")) of the baseline not shown" : nil
  }
}
