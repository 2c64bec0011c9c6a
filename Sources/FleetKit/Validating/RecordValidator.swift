import FleetKitCore
import JSONSchema
import Validation

/// Asks the rules about batches that were held against the schemas before; one for each configuration, on one thread.
final class RecordValidator {
  /// How many findings are sorted together.
  private static let mostSorted = 65_536

  private let runner: RuleRunner
  private let wants: (DiagnosticCode, Severity, String) -> Bool
  private let outlet: Outlet
  private var spoken = SpokenRecords()

  /// Hands findings over, also from inside a rule, which cannot throw.
  private final class Outlet {
    let take: ([RuleReport.Entry]) throws -> Void
    var failure: (any Error)?

    init(_ take: @escaping ([RuleReport.Entry]) throws -> Void) { self.take = take }

    func add(_ entries: [RuleReport.Entry]) {
      guard failure == nil else { return }
      do { try take(entries) } catch { failure = error }
    }

    func end() throws {
      if let failure { throw failure }
    }
  }

  /// - Parameter take: takes findings, in the order of their places unless one record or one batch has tens of
  ///   thousands.

  init(
    rules: [any Rule.Type], limits: RuleLimits, severity: (DiagnosticCode) -> Severity?,
    wants: @escaping (DiagnosticCode, Severity, String) -> Bool, listens: @escaping () -> Bool,
    take: @escaping ([RuleReport.Entry]) throws -> Void
  ) {
    self.wants = wants
    let outlet = Outlet(take)
    self.outlet = outlet
    runner = RuleRunner(
      rules, limits: limits, severity: severity,
      wants: { code, severity, record in record.map { wants(code, severity, $0.batch.locator.file(of: $0)) } ?? true },
      wantsLate: { code, severity, place in wants(code, severity, place.file) }, listens: listens,
      onMany: { outlet.add($0) })
  }

  /// What readers say about types, members and words; the schemas say it more exactly.
  private static let saidBySchemas: Set<DiagnosticCode> = [
    .typeMismatch, .requiredMember, .unknownContentType, .invalidDate,
  ]

  /// Looks at the records of a batch.
  /// - Throws: what `take` throws.
  func check(_ checked: StructuredBatch) throws {
    let batch = checked.batch
    let isOneFile = !batch.traits.hasManyFiles
    var own: [RuleReport.Entry] = []
    func add(_ entries: [RuleReport.Entry]) {
      own += entries
      guard own.count > Self.mostSorted else { return }
      outlet.add(Self.sorted(own, isOneFile: isOneFile))
      own = []
    }
    var invalid = checked.records[...]
    for index in 0..<batch.count {
      let record = Record(batch: batch, index: index)
      if let next = invalid.first, next.index == index {
        add(findings(next.violations, record).map { RuleReport.Entry(finding: $0, fix: nil) })
        invalid.removeFirst()
      }
      add(runner.check(record))
      let codes = runner.spoken
      if !codes.isEmpty { spoken.note(codes, record) }
    }
    var entries: [RuleReport.Entry] = []
    var saidBetter: Set<String> = []
    for (record, reasons, violations) in checked.refused {
      add(findings(violations, record).map { RuleReport.Entry(finding: $0, fix: nil) })
      // A mistake in one step does not hide what there is to say about the others.
      add(runner.check(refused: record, wrong: violations.map(\.pointer)))
      if violations.isEmpty { continue }
      for reason in reasons { saidBetter.insert(reason.place + reason.code) }
    }
    for finding in checked.reported {
      if Self.saidBySchemas.contains(finding.code), saidBetter.contains(finding.place.description + finding.code.id) {
        continue
      }
      if spoken.covers(finding) { continue }
      entries.append(RuleReport.Entry(finding: finding.located(batch.locator.refine(finding.place)), fix: nil))
    }
    entries += own
    outlet.add(Self.sorted(entries, isOneFile: isOneFile))
    try outlet.end()
  }

  /// In the order of the text, or of the rows and their cells. Stable: what was found first at one place stays first.
  private static func sorted(_ entries: [RuleReport.Entry], isOneFile: Bool) -> [RuleReport.Entry] {
    guard entries.count > 1 else { return entries }
    guard isOneFile else { return sortedByFile(entries) }
    // A record's rows stay together, in the order in which they came; so do the cells of a row.
    var ranks: [String: Int] = [:]
    func rank(_ text: String) -> Int {
      let next = ranks.count
      if let known = ranks[text] { return known }
      ranks[text] = next
      return next
    }
    let keys = entries.enumerated().map { offset, entry in
      let place = entry.finding.place
      let row = place.row.map { rank($0.id) } ?? -1
      let cell = place.row.map { rank("\($0.id)/\($0.table)/\($0.column ?? "")") } ?? -1
      return (row, cell, place.line ?? 0, place.column ?? 0, offset)
    }
    return keys.sorted { $0 < $1 }.map { entries[$0.4] }
  }

  /// Note by note, each in the order of its text.
  private static func sortedByFile(_ entries: [RuleReport.Entry]) -> [RuleReport.Entry] {
    let names = Set(entries.map(\.finding.place.file)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let ranks = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    let keys = entries.enumerated().map { offset, entry in
      let place = entry.finding.place
      return (ranks[place.file] ?? 0, place.line ?? 0, place.column ?? 0, offset)
    }
    return keys.sorted { $0 < $1 }.map { entries[$0.3] }
  }

  /// What the rules have to say when every record was seen.
  /// - Throws: what `take` throws.
  func finish() throws {
    outlet.add(runner.finish())
    try outlet.end()
  }

  // MARK: What schemas said

  private func findings(_ violations: [SchemaViolation], _ record: Record) -> [Diagnostic] {
    let id = record.id
    let title = record.title
    return violations.compactMap { violation in
      let code = SchemaCodes.code(ofKeyword: violation.keyword)
      guard wants(code, code.severity, record.batch.locator.file(of: record)) else { return nil }
      let located = record.locate(violation.pointer, part: violation.isAboutName ? .name : .value)
      return Diagnostic(
        violation, at: located, record: id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)", title: title)
    }
  }
}
