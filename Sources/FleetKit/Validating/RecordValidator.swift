import FleetKitCore
import JSONSchema
import Validation

/// Asks the rules about batches that were held against the schemas before; one for each configuration, on one thread.
final class RecordValidator {
  private let runner: RuleRunner
  private let wants: (DiagnosticCode, Severity, String) -> Bool
  private var spoken = SpokenRecords()

  init(
    rules: [any Rule.Type], limits: RuleLimits, severity: (DiagnosticCode) -> Severity?,
    wants: @escaping (DiagnosticCode, Severity, String) -> Bool
  ) {
    self.wants = wants
    runner = RuleRunner(rules, limits: limits, severity: severity) { code, severity, record in
      record.map { wants(code, severity, $0.batch.locator.file) } ?? true
    }
  }

  /// What readers say about types, members and words; the schemas say it more exactly.
  private static let saidBySchemas: Set<DiagnosticCode> = [
    .typeMismatch, .requiredMember, .unknownContentType, .invalidDate,
  ]

  /// Looks at the records of a batch.
  /// - Returns: findings in the order of their places.
  func check(_ checked: StructuredBatch) -> [RuleReport.Entry] {
    let batch = checked.batch
    var own: [RuleReport.Entry] = []
    var invalid = checked.records[...]
    for index in 0..<batch.count {
      let record = Record(batch: batch, index: index)
      if let next = invalid.first, next.index == index {
        own += findings(next.violations, record).map { RuleReport.Entry(finding: $0, fix: nil) }
        invalid.removeFirst()
      }
      own += runner.check(record)
      let codes = runner.spoken
      if !codes.isEmpty { spoken.note(codes, record) }
    }
    for (rejected, violations) in checked.rejected { own += check(rejected, violations, batch) }
    var entries: [RuleReport.Entry] = []
    var saidBetter: Set<String> = []
    for (rejected, violations) in checked.rejected {
      entries += findings(violations, rejected, batch).map { RuleReport.Entry(finding: $0, fix: nil) }
      for reason in rejected.reasons { saidBetter.insert(reason.place + reason.code) }
    }
    for finding in checked.reported {
      if Self.saidBySchemas.contains(finding.code), saidBetter.contains(finding.place.description + finding.code.id) {
        continue
      }
      if spoken.covers(finding) { continue }
      entries.append(RuleReport.Entry(finding: finding.located(batch.locator.refine(finding.place)), fix: nil))
    }
    entries += own
    guard entries.count > 1 else { return entries }
    // Stable: what was found first at one place stays first.
    return entries.enumerated().sorted { left, right in
      let (a, b) = (left.element.finding.place, right.element.finding.place)
      if a.row != nil || b.row != nil { return left.offset < right.offset }
      return (a.line ?? 0, a.column ?? 0, left.offset) < (b.line ?? 0, b.column ?? 0, right.offset)
    }.map(\.element)
  }

  /// What lint has to say about the sound parts of an item that the reader refused.
  private func check(
    _ rejected: RejectedRecord, _ violations: [SchemaViolation], _ batch: RecordBatch
  ) -> [RuleReport.Entry] {
    guard rejected.kind == .item, let position = rejected.position else { return [] }
    var source = ByteBuffer(capacity: rejected.bytes.count)
    rejected.bytes.withUnsafeBufferPointer { source.append($0) }
    let own = RecordBatch(locator: batch.locator, source: source)
    guard let parse = try? own.tape.parse(own.source.bytes) else { return [] }
    let length = own.source.count
    var slot = RecordSlot(kind: .item, inSource: true, start: 0, length: length, root: parse.root)
    slot.sourceLength = length
    slot.sourceLine = position.line
    slot.sourceColumn = position.column
    own.slots.append(slot)
    return runner.check(refused: Record(batch: own, index: 0), wrong: violations.map(\.pointer))
  }

  /// What the rules have to say when every record was seen.
  func finish() -> [RuleReport.Entry] { runner.finish() }

  // MARK: What schemas said

  private func findings(_ violations: [SchemaViolation], _ record: Record) -> [Diagnostic] {
    let id = record.id
    let title = record.title
    return violations.compactMap { violation in
      let code = SchemaCodes.code(ofKeyword: violation.keyword)
      guard wants(code, code.severity, record.batch.locator.file) else { return nil }
      let located = record.locate(violation.pointer, part: violation.isAboutName ? .name : .value)
      return Diagnostic(
        violation, at: located, record: id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)", title: title)
    }
  }

  /// A record that the reader refused: places count in its own bytes.
  private func findings(
    _ violations: [SchemaViolation], _ rejected: RejectedRecord, _ batch: RecordBatch
  ) -> [Diagnostic] {
    guard let position = rejected.position else { return [] }
    let root = (try? JSONDocument(parsing: rejected.bytes))?.root
    let title = (root?["title"] ?? root?["name"])?.string
    return rejected.bytes.withUnsafeBufferPointer { text in
      var counter = PlaceCounter()
      return violations.map { violation in
        let from = counter.position(of: violation.span.lowerBound, in: text)
        let to = counter.position(of: violation.span.upperBound, in: text)
        func column(_ place: TextPosition) -> Int {
          place.line == 1 ? position.column + place.column - 1 : place.column
        }
        let place = Place(
          file: batch.locator.file, line: position.line + from.line - 1, column: column(from),
          endColumn: from.line == to.line ? column(to) : nil, pointer: violation.pointer.description)
        return Diagnostic(violation, at: LocatedPlace(place), record: rejected.kind.name, title: title)
      }
    }
  }
}
