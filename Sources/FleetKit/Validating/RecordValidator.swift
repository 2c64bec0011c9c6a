import FleetKitCore
import JSONSchema
import Validation

/// Holds batches of records against the schemas and asks the rules; one for each configuration, on one thread.
final class RecordValidator {
  private let structure: StructureCheck
  private let runner: RuleRunner
  private let wants: (DiagnosticCode, Severity, String) -> Bool
  private var tape = JSONTape(capacity: 4096)

  init(
    rules: [any Rule.Type], limits: RuleLimits, severity: (DiagnosticCode) -> Severity?,
    wants: @escaping (DiagnosticCode, Severity, String) -> Bool
  ) throws {
    structure = try StructureCheck()
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
  /// - Parameter reported: what the reader said while it read them.
  /// - Returns: findings in the order of their places.
  func check(_ batch: RecordBatch, reported: [Diagnostic]) throws -> [RuleReport.Entry] {
    var entries: [RuleReport.Entry] = []
    var saidBetter: Set<String> = []
    for rejected in batch.rejected {
      let found = try violations(of: rejected, in: batch)
      guard !found.isEmpty else { continue }
      entries += found.map { RuleReport.Entry(finding: $0, fix: nil) }
      for reason in rejected.reasons { saidBetter.insert(reason.place + reason.code) }
    }
    for finding in reported {
      if Self.saidBySchemas.contains(finding.code), saidBetter.contains(finding.place.description + finding.code.id) {
        continue
      }
      entries.append(RuleReport.Entry(finding: finding.located(batch.locator.refine(finding.place)), fix: nil))
    }
    for index in 0..<batch.count {
      let record = Record(batch: batch, index: index)
      entries += try violations(of: record).map { RuleReport.Entry(finding: $0, fix: nil) }
      entries += runner.check(record)
    }
    guard entries.count > 1 else { return entries }
    // Stable: what was found first at one place stays first.
    return entries.enumerated().sorted { left, right in
      let (a, b) = (left.element.finding.place, right.element.finding.place)
      if a.row != nil || b.row != nil { return left.offset < right.offset }
      return (a.line ?? 0, a.column ?? 0, left.offset) < (b.line ?? 0, b.column ?? 0, right.offset)
    }.map(\.element)
  }

  /// What the rules have to say when every record was seen.
  func finish() -> [RuleReport.Entry] { runner.finish() }

  // MARK: Structure

  private func violations(of record: Record) throws -> [Diagnostic] {
    let slot = record.slot
    let batch = record.batch
    if slot.inSource, slot.root >= 0 {
      let node = JSONNode(text: batch.source.start, tokens: batch.tape.tokens, index: slot.root)
      return findings(try structure.violations(of: node, kind: record.kind), record, node)
    }
    // What people wrote, where there is such a text; a library's rows are what the reader makes of them.
    let text = slot.sourceLength > 0 ? record.sourceBytes : batch.line(slot)
    tape.removeAll()
    guard let start = text.baseAddress, let parse = try? tape.parse(text) else { return [] }
    let node = JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    return findings(try structure.violations(of: node, kind: record.kind), record, node)
  }

  private func findings(_ violations: [SchemaViolation], _ record: Record, _ node: JSONNode) -> [Diagnostic] {
    if violations.isEmpty { return [] }
    let id = record.id
    let title = (node.member("title") ?? node.member("name"))?.string
    return violations.compactMap { violation in
      let code = SchemaCodes.code(ofKeyword: violation.keyword)
      guard wants(code, code.severity, record.batch.locator.file) else { return nil }
      let located = record.locate(violation.pointer, part: violation.isAboutName ? .name : .value)
      return Diagnostic(
        violation, at: located, record: id.isEmpty ? record.kind.name : "\(record.kind.name) \(id)", title: title)
    }
  }

  /// A record that the reader refused: its own bytes against the schema.
  private func violations(of rejected: RejectedRecord, in batch: RecordBatch) throws -> [Diagnostic] {
    guard let position = rejected.position else { return [] }
    return try rejected.bytes.withUnsafeBufferPointer { text in
      tape.removeAll()
      guard let start = text.baseAddress, let parse = try? tape.parse(text) else { return [] }
      let node = JSONNode(text: start, tokens: tape.tokens, index: parse.root)
      var counter = PlaceCounter()
      let title = (node.member("title") ?? node.member("name"))?.string
      return try structure.violations(of: node, kind: rejected.kind).map { violation in
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
