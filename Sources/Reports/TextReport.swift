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

  fileprivate func dim(_ text: String) -> String { paint(text, "2") }

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

/// Renders a line of source text, with carets under a place in it.
///
/// ```
///    14 │ duration: "5 min"
///       │           ^^^^^^^ string
/// ```
/// On a terminal, the carets are aligned with the text, even if it contains tabs, wide or combining characters, or
/// characters that are written as escapes. A line that is too long is truncated around the place.
struct CodeFrame {
  /// The maximum width of the source text, in columns.
  let width: Int
  private let paint: Paint

  /// A displayed character.
  private struct Cell {
    let scalar: UnicodeScalar
    /// The replacement for a character that cannot be shown unchanged.
    let escape: String?
    let width: Int
  }

  /// The width of a tab, in columns. It does not depend on tab stops, because a truncated line loses their positions.
  private static let tab = 4

  init(width: Int, paint: Paint) {
    self.width = min(max(20, width), 1000)
    self.paint = paint
  }

  /// Returns the first column to read so that `column` is shown with the text before it.
  func firstColumn(for column: Int?) -> Int { max(1, max(1, column ?? 1) - 2 * width) }

  /// The number of characters to read from the first column.
  var limit: Int { 4 * width }

  /// Returns the frame, with a line break at its end. Returns nil if the line has no such column.
  /// - Parameter number: the line's number, if any.
  func render(_ line: SourceLine, number: Int?, place: Place, label: String?, severity: Severity) -> String? {
    let cells = Self.cells(line)
    guard let column = place.column else {
      let shown = window(cells, around: 0..<0, line)
      return gutter(number) + shown.text + "\n"
    }
    // The column after the last character is the line's end. A CR, which is not shown, may come before the line's end.
    let lineEnd = line.firstColumn + cells.count
    guard column >= line.firstColumn, column <= lineEnd + 1 else { return nil }
    let start = min(column, lineEnd) - line.firstColumn
    let end = min(max(column, place.endColumn ?? column + 1), lineEnd) - line.firstColumn
    let shown = window(cells, around: start..<max(start, end), line)
    let marks = String(repeating: "^", count: max(1, shown.spanWidth))
    let space = String(repeating: " ", count: shown.spanStart)
    let words = label.map { " " + ReportEscaping.line($0, limit: ReportEscaping.word) } ?? ""
    return gutter(number) + shown.text + "\n" + gutter(nil) + space + paint.severity(marks + words, severity) + "\n"
  }

  private func gutter(_ number: Int?) -> String {
    let digits = number.map(String.init) ?? ""
    return paint.dim(String(repeating: " ", count: max(0, 5 - digits.count)) + digits + " │") + " "
  }

  private static func cells(_ line: SourceLine) -> [Cell] {
    var hashes = 0
    return line.scalars.map { scalar in
      let escape = scalar == "\t" ? String(repeating: " ", count: tab) : ReportEscaping.escape(scalar, hashes: hashes)
      hashes = scalar == "#" ? hashes + 1 : 0
      // The replacements are ASCII, so their width is their length.
      return Cell(scalar: scalar, escape: escape, width: escape?.utf8.count ?? DisplayWidth.of(scalar))
    }
  }

  /// Returns the longest range of the line that fits and includes the span.
  private func window(
    _ cells: [Cell], around span: Range<Int>, _ line: SourceLine
  ) -> (text: String, spanStart: Int, spanWidth: Int) {
    let isCutBefore = line.firstColumn > 1
    let before = Self.width(cells[..<span.lowerBound])
    let behind = Self.width(cells[span.lowerBound...])
    var low = 0
    var high = cells.count
    var room = width
    if isCutBefore || line.goesOn || before + behind > width {
      // A third of the width is for the text before the place, or more if there is little text after it.
      let forBefore = line.goesOn ? width / 3 : max(width / 3, width - behind)
      low = span.lowerBound
      var used = 0
      while low > 0, used + cells[low - 1].width <= forBefore - 1 {
        low -= 1
        used += cells[low].width
      }
      if low == 0, !isCutBefore {
        room -= used
      } else {
        // Without its letter, an accent would be drawn on the ellipsis.
        while low < span.lowerBound, cells[low].width == 0 { low += 1 }
        room -= used + 1
      }
      high = span.lowerBound
      while high < cells.count, cells[high].width <= room {
        room -= cells[high].width
        high += 1
      }
      // An ellipsis at the end needs a column.
      if high < cells.count || line.goesOn {
        while high > span.lowerBound + 1, room < 1 {
          high -= 1
          room += cells[high].width
        }
      }
    }
    let cutBefore = low > 0 || isCutBefore
    let cutBehind = high < cells.count || line.goesOn
    var text = cutBefore ? "…" : ""
    for cell in cells[low..<high] {
      if let escape = cell.escape { text += escape } else { text.unicodeScalars.append(cell.scalar) }
    }
    if cutBehind { text += "…" }
    var start = Self.width(cells[low..<span.lowerBound]) + (cutBefore ? 1 : 0)
    let spanWidth = Self.width(cells[span.lowerBound..<max(span.lowerBound, min(span.upperBound, high))])
    // A combining character is drawn on the character before it.
    if spanWidth == 0, !span.isEmpty, start > 0 { start -= 1 }
    return (text, start, spanWidth)
  }

  private static func width(_ cells: ArraySlice<Cell>) -> Int { cells.reduce(0) { $0 + $1.width } }
}

/// The width of a character on a terminal in columns: 0, 1 or 2, like `wcwidth`.
///
/// Each character is measured separately. Some terminals draw an emoji sequence narrower than the sum of its
/// characters.
package enum DisplayWidth {
  /// Returns the width of one character.
  package static func of(_ scalar: UnicodeScalar) -> Int {
    let value = scalar.value
    // Most text takes this fast path.
    if value < 0x300 { return 1 }
    if isZero(scalar) { return 0 }
    return value >= 0x1100 && isWide(value) ? 2 : 1
  }

  private static func isZero(_ scalar: UnicodeScalar) -> Bool {
    switch scalar.value {
    // Joiners and other invisible characters, vowels and finals that combine into a Hangul syllable, variation
    // selectors and tags.
    case 0x1160...0x11FF, 0x200B...0x200D, 0x2060...0x2064, 0xD7B0...0xD7FF, 0xFE00...0xFE0F, 0xE0000...0xE0FFF:
      return true
    default:
      let category = scalar.properties.generalCategory
      return category == .nonspacingMark || category == .enclosingMark
    }
  }

  private static func isWide(_ value: UInt32) -> Bool {
    var low = 0
    var high = wide.count
    while low < high {
      let middle = (low + high) / 2
      if wide[middle].upperBound < value { low = middle + 1 } else { high = middle }
    }
    return low < wide.count && wide[low].contains(value)
  }

  /// East Asian Width W and F (Unicode 16, EastAsianWidth.txt), in order, including unassigned characters between them.
  private static let wide: [ClosedRange<UInt32>] = [
    0x1100...0x115F, 0x231A...0x231B, 0x2329...0x232A, 0x23E9...0x23EC, 0x23F0...0x23F0, 0x23F3...0x23F3,
    0x25FD...0x25FE, 0x2614...0x2615, 0x2630...0x2637, 0x2648...0x2653, 0x267F...0x267F, 0x268A...0x268F,
    0x2693...0x2693, 0x26A1...0x26A1, 0x26AA...0x26AB, 0x26BD...0x26BE, 0x26C4...0x26C5, 0x26CE...0x26CE,
    0x26D4...0x26D4, 0x26EA...0x26EA, 0x26F2...0x26F3, 0x26F5...0x26F5, 0x26FA...0x26FA, 0x26FD...0x26FD,
    0x2705...0x2705, 0x270A...0x270B, 0x2728...0x2728, 0x274C...0x274C, 0x274E...0x274E, 0x2753...0x2755,
    0x2757...0x2757, 0x2795...0x2797, 0x27B0...0x27B0, 0x27BF...0x27BF, 0x2B1B...0x2B1C, 0x2B50...0x2B50,
    0x2B55...0x2B55, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0xA4C6, 0xA960...0xA97C, 0xAC00...0xD7A3,
    0xF900...0xFAD9, 0xFE10...0xFE19, 0xFE30...0xFE6B, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x16FE0...0x1B2FB,
    0x1D300...0x1D376, 0x1F004...0x1F004, 0x1F0CF...0x1F0CF, 0x1F18E...0x1F18E, 0x1F191...0x1F19A, 0x1F200...0x1F320,
    0x1F32D...0x1F335, 0x1F337...0x1F37C, 0x1F37E...0x1F393, 0x1F3A0...0x1F3CA, 0x1F3CF...0x1F3D3, 0x1F3E0...0x1F3F0,
    0x1F3F4...0x1F3F4, 0x1F3F8...0x1F43E, 0x1F440...0x1F440, 0x1F442...0x1F4FC, 0x1F4FF...0x1F53D, 0x1F54B...0x1F54E,
    0x1F550...0x1F567, 0x1F57A...0x1F57A, 0x1F595...0x1F596, 0x1F5A4...0x1F5A4, 0x1F5FB...0x1F64F, 0x1F680...0x1F6C5,
    0x1F6CC...0x1F6CC, 0x1F6D0...0x1F6D2, 0x1F6D5...0x1F6DF, 0x1F6EB...0x1F6EC, 0x1F6F4...0x1F6FC, 0x1F7E0...0x1F7F0,
    0x1F90C...0x1F93A, 0x1F93C...0x1F945, 0x1F947...0x1F9FF, 0x1FA70...0x1FAF8, 0x20000...0x3FFFD,
  ]
}
