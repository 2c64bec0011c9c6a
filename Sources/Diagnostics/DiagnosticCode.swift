/// What kind of finding something is: a stable code with the words that explain it.
///
/// Codes are an interface: scripts match on `id`. A code is never reused and never changes its meaning.
public struct DiagnosticCode: Hashable, Sendable {
  /// Family and number, `LIB0103`.
  public let id: String
  /// A readable name in kebab case, `missing-member`.
  public let name: String
  /// How much it matters unless a place says otherwise.
  public let severity: Severity
  /// One sentence: what was found, in general.
  public let summary: String
  /// Why it matters: what somebody will lose or see.
  public let why: String
  /// What to do about it.
  public let fix: String
  /// The page that explains it, `docs/rules/empty-section.md`, or an address; nil when there is none.
  public let helpPath: String?

  /// Declares a code. Two codes with one id count as the same, so an id must be unique in a program.
  public init(
    _ id: String, _ name: String, _ severity: Severity, _ summary: String, why: String, fix: String,
    helpPath: String? = nil
  ) {
    self.id = id
    self.name = name
    self.severity = severity
    self.summary = summary
    self.why = why
    self.fix = fix
    // A rule has a page of its own; every other code has its part of one page.
    let isRule = id.hasPrefix("LNT") || id.hasPrefix("PUB")
    self.helpPath = helpPath ?? (isRule ? "docs/rules/\(name).md" : "docs/findings.md#\(id.lowercased())-\(name)")
  }

  /// Codes are the same when their ids are.
  public static func == (left: DiagnosticCode, right: DiagnosticCode) -> Bool { left.id == right.id }
  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// Every code, by family and number.
  public static let all: [DiagnosticCode] =
    jsonText + library + bundle + writing + importing + merging + validating + markdown + bag + pack + packReading
    + packTrust + backup + table + tableRows + delimited + workbook + todoist + proof + intake
}
