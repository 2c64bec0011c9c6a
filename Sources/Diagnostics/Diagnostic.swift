import Synchronization

/// A finding about content: what was found, where, why it matters and how to fix it. A renderer prints it.
public struct Diagnostic: Sendable {
  /// The kind of finding.
  public let code: DiagnosticCode
  /// The severity of this finding.
  public let severity: Severity
  /// What was found, in one sentence without the place.
  public let message: String
  /// The place of the finding.
  public var place: Place
  /// The record, such as `checklist 3F2A…`; nil for a whole file.
  public let record: String?
  /// The record's title, for people, cut if it is very long; nil without a title.
  public let title: String?
  /// What to do about this finding. May be more specific than the code's advice.
  public let fix: String
  /// Why this finding matters. May be more specific than the code's reason.
  public let why: String
  /// A word or two that describe the content at the place, such as `string`. A code frame prints the label after the
  /// carets.
  public let label: String?
  /// The whole line of text that contains the place, for sources that cannot be read again, such as a database cell.
  ///
  /// The place's `column` refers to this line. Nil if the place's file can be read again.
  public let excerpt: String?

  /// Makes a finding. Severity, reason and advice default to those of the code.
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

  /// Returns the beginning of a string, because thousands of findings may repeat it.
  package static func beginning(of text: String, _ length: Int = 60) -> String {
    let scalars = text.unicodeScalars
    guard text.utf8.count > length,
      let end = scalars.index(scalars.startIndex, offsetBy: length, limitedBy: scalars.endIndex), end < scalars.endIndex
    else { return text }
    return String(scalars[..<end]) + "…"
  }
}

/// The severity of a finding.
public enum Severity: Int, Comparable, Sendable, CaseIterable, CustomStringConvertible {
  /// Information; no action is needed.
  case note
  /// Something that the user would not expect.
  case warning
  /// Content is lost, hidden or refused unless something is done.
  case error

  /// Orders notes before warnings, and warnings before errors.
  public static func < (left: Severity, right: Severity) -> Bool { left.rawValue < right.rawValue }

  /// The word that reports print.
  public var description: String {
    switch self {
    case .note: "note"
    case .warning: "warning"
    case .error: "error"
    }
  }

  /// Returns the counts as a phrase: `3 errors, 1 warning`, or `no findings`.
  package static func summary(_ count: (Severity) -> Int) -> String {
    let parts = allCases.reversed().compactMap { severity in
      let count = count(severity)
      return count > 0 ? "\(count) \(severity)\(count == 1 ? "" : "s")" : nil
    }
    return parts.isEmpty ? "no findings" : parts.joined(separator: ", ")
  }
}

/// The place of a finding: a line and column of a file, or a value inside a column of a library's row.
///
/// Reports print it as `guides/anchor.json:14:3` or `library.sqlite#checklists/3F2A…/content:/0/items/3/title`.
public struct Place: Hashable, Sendable, CustomStringConvertible {
  /// The row of a library that contains the place.
  public struct Row: Hashable, Sendable {
    /// The table's name in the library.
    public let table: String
    /// The row's id.
    public let id: String
    /// The column; nil for the whole row.
    public let column: String?

    /// Names a row or one of its columns.
    public init(table: String, id: String, column: String? = nil) {
      self.table = table
      self.id = id
      self.column = column
    }
  }

  /// The file's path as the user gave it; `-` for standard input.
  public var file: String
  /// The member of an archive or folder, if the file has members.
  public var member: String?
  /// The line from 1, in the file or in the text of the row's column.
  public var line: Int?
  /// The column from 1, in Unicode scalars.
  public var column: Int?
  /// The column after the place's last one, on the same line; nil if unknown.
  public var endColumn: Int?
  /// The row, for databases.
  public var row: Row?
  /// The JSON Pointer inside the file, line or column; empty for all of it.
  public var pointer: String

  /// Names a place.
  public init(
    file: String, member: String? = nil, line: Int? = nil, column: Int? = nil, endColumn: Int? = nil,
    row: Row? = nil, pointer: String = ""
  ) {
    self.file = file
    self.member = member
    self.line = line
    self.column = column
    self.endColumn = endColumn
    self.row = row
    self.pointer = pointer
  }

  /// The form in which every report prints the place.
  public var description: String {
    var text = file
    if let member { text += "!" + member }
    if let row {
      text += "#\(row.table)/\(row.id)"
      if let column = row.column {
        text += "/\(column)"
        text += pointer.isEmpty ? position : ":" + pointer
      }
      return text
    }
    return text + (line == nil && !pointer.isEmpty ? "#" + pointer : position)
  }

  /// Line and column, such as `:14:3`. Unknown numbers are omitted.
  private var position: String {
    guard let line else { return "" }
    return ":\(line)" + (column.map { ":\($0)" } ?? "")
  }
}

/// Collects the findings of a run: counts all of them, and keeps the first ones of each kind in full.
///
/// A kind is a code with a severity, so thousands of notes never hide a warning of the same code. Memory is bounded by
/// the number of kinds and files, not by the content. The limit applies to the findings that are kept, never to the
/// counts. The class is thread-safe.
public final class DiagnosticLog: Sendable {
  /// Findings that are reported as one group: the same code and severity.
  public struct Kind: Hashable, Sendable {
    /// The kind of finding.
    public let code: DiagnosticCode
    /// The severity.
    public let severity: Severity

    init(_ finding: Diagnostic) { (code, severity) = (finding.code, finding.severity) }
  }

  /// The findings of a kind.
  public struct Group: Sendable {
    /// The kind.
    public let kind: Kind
    /// The number of findings, kept or not.
    public let count: Int
    /// The findings that were kept, in the order of arrival.
    public let kept: [Diagnostic]
  }

  /// The number of findings of a kind, in total and in each file.
  private struct Counter {
    var count = 0
    var files: [String: Int] = [:]

    /// Adds a number of findings.
    /// - Returns: The previous number, and whether these are the first findings in the file.
    mutating func add(_ number: Int, in file: String) -> (before: Int, isFirst: Bool) {
      count += number
      guard files.count < DiagnosticLog.mostFiles || files[file] != nil else { return (count - number, true) }
      let known = files[file, default: 0]
      files[file] = known + number
      return (count - number, known == 0)
    }
  }

  private struct State {
    var kept: [Diagnostic] = []
    var counters: [Kind: Counter] = [:]
    /// The first finding of each file that has no finding in `kept`.
    var firsts: [Diagnostic] = []

    mutating func add(_ finding: Diagnostic, keeping limit: Int) {
      let (before, isFirst) = counters[Kind(finding), default: Counter()].add(1, in: finding.place.file)
      if before < limit {
        kept.append(finding)
      } else if limit > 0, isFirst, firsts.count < DiagnosticLog.mostFirsts {
        firsts.append(finding)
      }
    }
  }

  /// The number of files whose findings are counted separately. Findings in further files count only towards the total.
  private static let mostFiles = 20_000
  private static let mostFirsts = 5_000

  private let state = Mutex(State())
  /// The number of findings of one kind that are kept in full.
  public let keepPerCode: Int

  /// Makes an empty log.
  public init(keepPerCode: Int = 500) { self.keepPerCode = keepPerCode }

  /// Adds a finding.
  public func report(_ diagnostic: Diagnostic) {
    state.withLock { $0.add(diagnostic, keeping: keepPerCode) }
  }

  /// The findings that were kept, in the order of arrival.
  public var kept: [Diagnostic] { state.withLock { $0.kept } }

  /// Removes and returns the kept findings and resets all counts, for logs that are reused for each record.
  package func drain() -> [Diagnostic] {
    state.withLock { state in
      let kept = state.kept
      if !kept.isEmpty { state = State() }
      return kept
    }
  }

  /// Moves all findings to a new log and returns that log. Returns nil if this log is empty.
  package func moved() -> DiagnosticLog? {
    let taken = state.withLock { state in
      let taken = state
      if !taken.counters.isEmpty { state = State() }
      return taken
    }
    if taken.counters.isEmpty { return nil }
    let log = DiagnosticLog(keepPerCode: keepPerCode)
    log.state.withLock { $0 = taken }
    return log
  }

  /// Adds the findings of another log, as if they were reported now.
  package func add(_ other: DiagnosticLog) {
    let added = other.state.withLock { $0 }
    state.withLock { state in
      var left = added.counters
      for finding in added.kept + added.firsts {
        left[Kind(finding)]?.count -= 1
        left[Kind(finding)]?.files[finding.place.file]? -= 1
        state.add(finding, keeping: keepPerCode)
      }
      // Findings that the other log counted but did not keep.
      for (kind, counter) in left where counter.count > 0 {
        var rest = counter.count
        for (file, count) in counter.files where count > 0 {
          _ = state.counters[kind, default: Counter()].add(count, in: file)
          rest -= count
        }
        state.counters[kind, default: Counter()].count += rest
      }
    }
  }

  /// Returns a log with the findings of one code.
  public func only(_ code: DiagnosticCode) -> DiagnosticLog {
    let log = DiagnosticLog(keepPerCode: keepPerCode)
    for finding in kept where finding.code == code { log.report(finding) }
    return log
  }

  /// Returns the findings grouped by kind. Groups are sorted by severity, then by the place of their first finding.
  /// - Parameter isWanted: whether the findings of a file are included; nil for all.
  public func groups(where isWanted: ((String) -> Bool)? = nil) -> [Group] {
    let state = state.withLock { $0 }
    var kept: [Kind: [Diagnostic]] = [:]
    var order: [Kind] = []
    for finding in state.kept + state.firsts where isWanted?(finding.place.file) ?? true {
      let kind = Kind(finding)
      if kept[kind] == nil { order.append(kind) }
      kept[kind, default: []].append(finding)
    }
    let groups = order.map { kind in
      let counter = state.counters[kind] ?? Counter()
      let count =
        isWanted.map { isWanted in
          counter.files.reduce(0) { $0 + (isWanted($1.key) ? $1.value : 0) }
        } ?? counter.count
      return Group(kind: kind, count: count, kept: (kept[kind] ?? []).inFileOrder())
    }
    // Libraries are read on several threads, so their groups are ordered only by code.
    func line(_ group: Group) -> Int { group.kept.first.flatMap { $0.place.row == nil ? $0.place.line : nil } ?? 0 }
    func file(_ group: Group) -> String { group.kept.first?.place.file ?? "" }
    return groups.sorted {
      ($1.kind.severity.rawValue, file($0), line($0), $0.kind.code.id)
        < ($0.kind.severity.rawValue, file($1), line($1), $1.kind.code.id)
    }
  }

  /// The number of findings of a severity.
  public func count(_ severity: Severity) -> Int {
    state.withLock { $0.counters.reduce(0) { $0 + ($1.key.severity == severity ? $1.value.count : 0) } }
  }

  /// The number of findings.
  public var total: Int { state.withLock { $0.counters.values.reduce(0) { $0 + $1.count } } }

  /// The number of findings of each code.
  public var counts: [DiagnosticCode: Int] {
    state.withLock { state in
      Dictionary(state.counters.map { ($0.key.code, $0.value.count) }, uniquingKeysWith: +)
    }
  }

  /// The highest severity of all findings; nil if the log is empty.
  public var worst: Severity? { state.withLock { $0.counters.keys.map(\.severity).max() } }
}

extension Sequence<Diagnostic> {
  /// Returns the findings grouped by file and, within each file, sorted by line and column.
  ///
  /// Files and workbook sheets keep their order of arrival. So do findings at the same place and findings in libraries,
  /// whose line numbers refer to a cell. Findings about a whole file come first in that file.
  public func inFileOrder() -> [Diagnostic] {
    var files: [[UInt8]: Int] = [:]
    let keyed = enumerated().map { number, finding in
      let place = finding.place
      let name = Array(place.file.utf8) + [0] + Array((place.member ?? "").utf8)
      let file = files[name] ?? files.count
      files[name] = file
      let isText = place.row == nil
      return (file, isText ? place.line ?? 0 : 0, isText ? place.column ?? 0 : 0, number, finding)
    }
    return keyed.sorted { ($0.0, $0.1, $0.2, $0.3) < ($1.0, $1.1, $1.2, $1.3) }.map(\.4)
  }
}

/// The kind of a finding: a stable code with explanatory texts.
///
/// Codes are an interface: scripts match on `id`. A code is never reused and never changes its meaning.
public struct DiagnosticCode: Hashable, Sendable {
  /// Family and number, such as `LIB0103`.
  public let id: String
  /// A readable name in kebab case, such as `missing-member`.
  public let name: String
  /// The default severity of its findings.
  public let severity: Severity
  /// One sentence that describes such findings in general.
  public let summary: String
  /// Why such findings matter: what the user loses or sees.
  public let why: String
  /// What to do about such findings.
  public let fix: String
  /// The path or address of the page that explains the code, such as `docs/rules/empty-section.md`. Nil without a page.
  public let helpPath: String?

  /// Declares a code. Codes with the same id are equal, so ids must be unique in a program.
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
    // Each rule has its own page; all other codes share one page.
    let isRule = id.hasPrefix("LNT") || id.hasPrefix("PUB")
    self.helpPath = helpPath ?? (isRule ? "docs/rules/\(name).md" : "docs/findings.md#\(id.lowercased())-\(name)")
  }

  /// Codes are equal if their ids are equal.
  public static func == (left: DiagnosticCode, right: DiagnosticCode) -> Bool { left.id == right.id }
  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }

  /// The codes that several formats or commands report. The codes of a single format are in its descriptor.
  public static let all: [DiagnosticCode] =
    jsonText + library + bundle + shared + writing + importing + merging + validating + packTrust + backup + proof
    + intake + files
}
