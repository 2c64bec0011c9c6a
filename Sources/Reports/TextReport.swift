import Diagnostics
import JSONText

/// Reports findings for people, each with its line of source text.
///
/// ```
/// guides/breath.md:14:3: error[SCH0403] 'duration' must be a whole number of minutes
///    14 │ duration: "5 min"
///       │           ^^^^^^^ string
///    why: practice_guide schedules by minutes
///    fix: duration: 5
/// ```
/// Lines are read from the file again when they are shown. If the file is missing, or was changed and has no such line,
/// the finding is shown without the line.
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

  /// Writes nothing.
  public func begin() throws {}

  /// Writes a finding.
  public func add(_ finding: Diagnostic) throws {
    let severity = paint.severity(finding.severity.description, finding.severity)
    var text = "\(Self.place(finding.place)): \(severity)[\(ReportEscaping.line(finding.code.id))] "
    text += ReportEscaping.line(finding.message)
    if let title = finding.title { text += " (in “\(ReportEscaping.line(title, limit: ReportEscaping.word))”)" }
    text += "\n" + (frame(of: finding) ?? "")
    text += "   why: \(ReportEscaping.line(finding.why))\n"
    text += "   fix: \(ReportEscaping.line(finding.fix))\n\n"
    try output.write(text)
  }

  /// Writes the counts and the omissions.
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

  /// Returns a place for the beginning of a line. In a CI log, a file named `::error::` would otherwise begin a
  /// command.
  private static func place(_ place: Place) -> String {
    let text = ReportEscaping.line(place.description)
    return text.drop(while: \.isWhitespace).hasPrefix("::") ? "./" + text : text
  }
}

/// Terminal colours, or no colours.
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

/// Makes content safe for a line of a report: visible, on one line, and of bounded length.
enum ReportEscaping {
  /// The maximum number of characters shown of a message, a reason or advice.
  static let sentence = 2000
  /// The maximum number of characters shown of a title or label.
  static let word = 200

  /// Returns `text` with all control characters for terminals and CI logs made visible, truncated after `limit`
  /// characters.
  static func line(_ text: String, limit: Int = sentence) -> String {
    // Fast path: most text is plain, and most reports are long.
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

  /// Returns `text`, truncated after `sentence` characters, because many findings may repeat a title.
  static func cut(_ text: String) -> String {
    guard text.utf8.count > sentence, text.unicodeScalars.count > sentence else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.prefix(sentence))) + "…"
  }

  private static func isPlain(_ byte: UInt8) -> Bool { byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "[") }

  /// Returns the replacement for a character; nil if it is safe.
  /// - Parameter hashes: the number of `#` directly before it. `##[` is a command anywhere in GitHub's logs.
  static func escape(_ scalar: UnicodeScalar, hashes: Int) -> String? {
    scalar == "[" && hashes >= 2 ? "\\u{5B}" : TerminalEscaping.escape(scalar)
  }
}

/// The counts at the end of a run, including findings that are not shown.
public struct ReportSummary: Sendable {
  /// The number of findings of each severity, without those in the baseline.
  public var severities: [Severity: Int]
  /// The number of findings of each code, without those in the baseline.
  public var codes: [DiagnosticCode: Int]
  /// The number of counted findings that were not shown because the limit was reached.
  public var hidden: Int
  /// The number of findings that were not reported because they are in the baseline.
  public var baseline: Int
  /// The number of files that were checked.
  public var files: Int
  /// The number of files with findings.
  public var filesWithFindings: Int
  /// The number of records that were checked.
  public var records: Int
  /// The exit status of the run.
  public var status: Int32
  /// The lowest severity that makes the run fail; nil if no finding does.
  public var failOn: Severity?

  /// Makes a summary. The default of each count is 0.
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

  /// The number of findings.
  public var total: Int { severities.values.reduce(0, +) }

  /// Whether the run was completed, with or without findings.
  var isComplete: Bool { status == 0 || status == 1 }

  /// The counts as a phrase: `3 errors, 1 warning in 2 of 14 files (412 records)`. The records are omitted if their
  /// number is 0.
  public var sentence: String {
    let found = Severity.allCases.reversed().compactMap { severity -> String? in
      let count = severities[severity, default: 0]
      return count > 0 ? Plural.count(count, severity.description) : nil
    }
    // Findings about a whole folder do not belong to one of the folder's files.
    let place =
      found.isEmpty || filesWithFindings == 0
      ? "in \(Plural.count(files, "file"))" : "in \(filesWithFindings) of \(Plural.count(files, "file"))"
    return (found.isEmpty ? "no findings" : found.joined(separator: ", ")) + " \(place)"
      + (records > 0 ? " (\(Plural.count(records, "record")))" : "")
  }

  /// Sentences about findings that the report omits; empty if the report is complete.
  public var omissions: [String] { [hiddenSentence, baselineSentence].compactMap(\.self) }

  /// A sentence about hidden findings; nil if all are shown.
  var hiddenSentence: String? {
    hidden > 0 ? "\(Plural.count(hidden, "more finding")) not shown; --max-findings 0 shows all" : nil
  }

  private var baselineSentence: String? {
    baseline > 0 ? "\(Plural.count(baseline, "finding")) in the baseline not shown" : nil
  }
}
