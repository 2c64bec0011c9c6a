import Content
import Diagnostics
import JSONSchema
import JSONText
import Validation

/// Applies the rules to batches that were validated against the schemas. There is one validator for each configuration,
/// and it runs on one thread.
final class RecordValidator {
  /// The maximum number of findings that are sorted together.
  private static let mostSorted = 65_536

  private let runner: RuleRunner
  private let wants: (DiagnosticCode, Severity, String) -> Bool
  private let outlet: Outlet
  private var spoken = FindingDeduplicator()

  /// Passes findings on, even from inside a rule, which cannot throw.
  private final class Outlet {
    let receive: ([RuleReport.Entry]) throws -> Void
    var failure: (any Error)?

    init(_ receive: @escaping ([RuleReport.Entry]) throws -> Void) { self.receive = receive }

    func add(_ entries: [RuleReport.Entry]) {
      guard failure == nil else { return }
      do { try receive(entries) } catch { failure = error }
    }

    func end() throws {
      if let failure { throw failure }
    }
  }

  /// - Parameter receive: receives the findings in the order of their places, unless one record or batch has tens of
  ///   thousands of findings.
  init(
    rules: [any Rule.Type], limits: RuleLimits, severity: (DiagnosticCode) -> Severity?,
    wants: @escaping (DiagnosticCode, Severity, String) -> Bool, listens: @escaping () -> Bool,
    receive: @escaping ([RuleReport.Entry]) throws -> Void
  ) {
    self.wants = wants
    let outlet = Outlet(receive)
    self.outlet = outlet
    runner = RuleRunner(
      rules, limits: limits, severity: severity,
      wants: { code, severity, record in record.map { wants(code, severity, $0.batch.locator.file(of: $0)) } ?? true },
      wantsLate: { code, severity, place in wants(code, severity, place.file) }, listens: listens,
      onMany: { outlet.add($0) })
  }

  /// Codes that readers use for types, members and values. The schemas report these problems more precisely.
  private static let schemaCodes: Set<DiagnosticCode> = [
    .typeMismatch, .requiredMember, .unknownContentType, .invalidDate,
  ]

  /// Checks the records of a batch.
  /// - Throws: any error that `receive` throws.
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
        add(findings(next.violations, record))
        invalid.removeFirst()
      }
      add(runner.check(record))
      let codes = runner.spoken
      if !codes.isEmpty { spoken.record(codes, of: record) }
    }
    var entries: [RuleReport.Entry] = []
    var saidBetter: Set<String> = []
    for (record, reasons, violations) in checked.refused {
      add(findings(violations, record))
      // A mistake in one step must not hide findings about the other steps.
      add(runner.check(refused: record, wrong: violations.map(\.pointer)))
      if violations.isEmpty { continue }
      for reason in reasons { saidBetter.insert(reason.place + reason.code) }
    }
    for finding in checked.reported {
      if Self.schemaCodes.contains(finding.code), saidBetter.contains(finding.place.description + finding.code.id) {
        continue
      }
      if spoken.covers(finding) { continue }
      entries.append(RuleReport.Entry(finding: finding.located(batch.locator.refine(finding.place)), fix: nil))
    }
    entries += own
    outlet.add(Self.sorted(entries, isOneFile: isOneFile))
    try outlet.end()
  }

  /// Sorts findings in text order, or by row and cell. The sort is stable: findings at the same place keep their order.
  private static func sorted(_ entries: [RuleReport.Entry], isOneFile: Bool) -> [RuleReport.Entry] {
    guard entries.count > 1 else { return entries }
    guard isOneFile else { return sortedByFile(entries) }
    // The findings of a record's rows stay together, in their order of arrival. So do the findings of a row's cells.
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

  /// Sorts findings note by note, each note's findings in text order.
  private static func sortedByFile(_ entries: [RuleReport.Entry]) -> [RuleReport.Entry] {
    let names = Set(entries.map(\.finding.place.file)).sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    let ranks = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, $0) })
    let keys = entries.enumerated().map { offset, entry in
      let place = entry.finding.place
      return (ranks[place.file] ?? 0, place.line ?? 0, place.column ?? 0, offset)
    }
    return keys.sorted { $0 < $1 }.map { entries[$0.3] }
  }

  /// Reports the findings that are known only after the last record.
  /// - Throws: any error that `receive` throws.
  func finish() throws {
    outlet.add(runner.finish())
    try outlet.end()
  }

  // MARK: Findings of schemas

  private func findings(_ violations: [SchemaViolation], _ record: Record) -> [RuleReport.Entry] {
    let id = record.id
    let title = record.title
    return violations.compactMap { violation in
      let code = SchemaCodes.code(ofKeyword: violation.keyword)
      guard wants(code, code.severity, record.batch.locator.file(of: record)) else { return nil }
      let located = record.locate(violation.pointer, part: violation.isAboutName ? .name : .value)
      let finding = Diagnostic(
        violation, at: located, record: id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)", title: title)
      let fix = violation.replacement.map { number in
        Fix(
          record: record.place(), pointer: violation.pointer, edit: .json(number), before: "\"\(number)\"",
          value: located.place)
      }
      return RuleReport.Entry(finding: finding, fix: fix)
    }
  }
}

/// Drops findings of the library reader that a rule has also reported, because the rule gives the exact place.
///
/// A reader reports a row when it reads the row or later, never earlier. Memory grows only with the number of rows that
/// such a rule reported.
private struct FindingDeduplicator {
  /// For each code of a reader, the rules that report the same problem.
  private static let rules: [DiagnosticCode: Set<String>] = [
    .duplicateItemID: ["LNT0102"],
    .payloadUndecodable: ["PUB0101", "PUB0102", "PUB0117", "PUB0118"],
    .payloadMissing: ["PUB0119"],
    .payloadNotForkable: ["PUB0118"],
    .metadataWithoutBody: ["PUB0102"],
  ]
  private static let all = rules.values.reduce(into: Set<String>()) { $0.formUnion($1) }

  private var file = ""
  /// The rules with findings, by row id.
  private var spoken: [String: Set<String>] = [:]

  /// Records the rules with findings about a record.
  mutating func record(_ codes: [DiagnosticCode], of record: Record) {
    let own = codes.lazy.map(\.id).filter(Self.all.contains)
    guard !own.isEmpty, let row = record.place().row else { return }
    begin(record.batch.locator.file(of: record))
    spoken[row.id, default: []].formUnion(own)
  }

  /// Whether a rule has already reported the problem of a reader's finding.
  mutating func covers(_ finding: Diagnostic) -> Bool {
    guard let row = finding.place.row, let rules = Self.rules[finding.code] else { return false }
    begin(finding.place.file)
    return !(spoken[row.id]?.isDisjoint(with: rules) ?? true)
  }

  /// Begins a file. Files are read one after the other.
  private mutating func begin(_ file: String) {
    guard self.file != file else { return }
    self.file = file
    spoken.removeAll()
  }
}

/// A batch that was validated against the schemas, with its violations.
///
/// Made on the reading thread, so that schema validation and rules run in parallel. The receiver adds places and texts.
struct StructuredBatch {
  /// The records.
  let batch: RecordBatch
  /// The reader's findings about the records.
  let reported: [Diagnostic]
  /// Records that violate their schema, in batch order.
  var records: [(index: Int, violations: [SchemaViolation])] = []
  /// Records that the reader refused, as written in their sources, with the reader's reasons and the schema violations.
  var refused: [(record: Record, reasons: [RejectReason], violations: [SchemaViolation])] = []
}

/// Validates batches against the schemas. Used by one thread at a time and for all sources in turn, because the schemas
/// are compiled only once.
final class BatchStructure: @unchecked Sendable {
  private let structure: StructureCheck
  private var tape = JSONTape(capacity: 4096)

  init() throws { structure = try StructureCheck() }

  /// Validates every record against the schema of its kind.
  func check(_ batch: RecordBatch, reported: [Diagnostic]) throws -> StructuredBatch {
    var checked = StructuredBatch(batch: batch, reported: reported)
    for rejected in batch.rejected {
      guard let record = Self.record(rejected, batch) else { continue }
      let own = record.batch
      let node = JSONNode(text: own.source.start, tokens: own.tape.tokens, index: record.slot.root)
      let violations = try structure.violations(of: node, kind: rejected.kind)
      checked.refused.append((record, rejected.reasons, violations))
    }
    for (index, slot) in batch.slots.enumerated() {
      let violations: [SchemaViolation]
      if slot.inSource, let node = batch.node(slot) {
        violations = try structure.violations(of: node, kind: slot.kind)
      } else if slot.sourceLength > 0 {
        // The source text as written, if there is one. For a library's rows, the reader makes the text.
        let text = UnsafeBufferPointer(start: batch.source.start + slot.sourceStart, count: slot.sourceLength)
        violations = try self.violations(of: text, kind: slot.kind)
      } else {
        // The rules and the observer read the same tokens.
        violations = try batch.parsed(index).map { try structure.violations(of: $0, kind: slot.kind) } ?? []
      }
      if !violations.isEmpty { checked.records.append((index, violations)) }
    }
    return checked
  }

  /// Parses a refused record again, as written in its source. Returns nil if the record is not JSON, has no place, or
  /// is too large to be parsed again.
  private static func record(_ rejected: RejectedRecord, _ batch: RecordBatch) -> Record? {
    guard let position = rejected.position,
      !rejected.reasons.contains(where: { $0.code == DiagnosticCode.recordTooLarge.id })
    else { return nil }
    var source = ByteBuffer(capacity: rejected.bytes.count)
    source.append(rejected.bytes.span)
    let own = RecordBatch(locator: batch.locator, traits: batch.traits, origin: batch.origin, source: source)
    guard let parse = try? own.tape.parse(own.source.bytes.span) else { return nil }
    let length = own.source.count
    var slot = RecordSlot(kind: rejected.kind, inSource: true, start: 0, length: length, root: parse.root)
    slot.sourceLength = length
    slot.sourceLine = position.line
    slot.sourceColumn = position.column
    slot.sourceFile = rejected.file
    own.slots.append(slot)
    return Record(batch: own, index: 0)
  }

  private func violations(of text: UnsafeBufferPointer<UInt8>, kind: RecordKind) throws -> [SchemaViolation] {
    tape.removeAll()
    guard let start = text.baseAddress, let parse = try? tape.parse(text.span) else { return [] }
    return try structure.violations(
      of: JSONNode(text: start, tokens: tape.tokens, index: parse.root), kind: kind)
  }
}

extension Diagnostic {
  /// Returns the finding with a more exact place.
  fileprivate func located(_ located: LocatedPlace) -> Diagnostic {
    Diagnostic(
      code, message, at: located.place, record: record, title: title, severity: severity, fix: fix, why: why,
      label: label, excerpt: located.excerpt ?? excerpt)
  }
}
