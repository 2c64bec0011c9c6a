/// A finding about content: what, where, why it matters and how to fix it. Data; a renderer prints it.
public struct Diagnostic: Sendable {
  /// The kind of finding.
  public let code: DiagnosticCode
  /// How much it matters here.
  public let severity: Severity
  /// What was found here, in one sentence without the place.
  public let message: String
  /// Where.
  public var place: Place
  /// The record that it concerns, `checklist 3F2A…` or nil for a whole file.
  public let record: String?
  /// What the record is called, so that a person knows it, cut where it is very long; nil when it has no title.
  public let title: String?
  /// What to do here, when that is more exact than the code's general advice.
  public let fix: String
  /// Why it matters here, when that is more exact than the code's general reason.
  public let why: String
  /// What stands at the place, in a word or two: `string`. A code frame prints it behind the carets.
  public let label: String?
  /// The whole line of text that the place lies in, for sources that cannot be read again, such as a database's cell.
  ///
  /// The place's `column` counts in this line. Nil where the place's file can be read again.
  public let excerpt: String?

  /// Makes a finding; severity, reason and advice come from the code unless given.
  public init(
    _ code: DiagnosticCode, _ message: String, at place: Place, record: String? = nil, title: String? = nil,
    severity: Severity? = nil, fix: String? = nil, why: String? = nil, label: String? = nil, excerpt: String? = nil
  ) {
    self.code = code
    self.severity = severity ?? code.severity
    self.message = message
    self.place = place
    self.record = record
    self.title = title.flatMap { $0.isEmpty ? nil : Self.beginning(of: $0, 200) }
    self.fix = fix ?? code.fix
    self.why = why ?? code.why
    self.label = label.flatMap { $0.isEmpty ? nil : $0 }
    self.excerpt = excerpt
  }

  /// The first characters of a text: findings repeat it thousands of times.
  package static func beginning(of text: String, _ length: Int = 60) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > length,
      let end = scalars.index(scalars.startIndex, offsetBy: length, limitedBy: scalars.endIndex), end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}
