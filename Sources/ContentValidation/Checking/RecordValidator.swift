import Content
import Diagnostics
import JSONSchema
import JSONText
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

/// Where a reader of libraries and a rule find the same mistake: the rule says where exactly, so the reader is silent.
///
/// Readers speak when they come to a row or later, never before. Memory grows only with rows that such a rule spoke of.
private struct SpokenRecords {
  /// The rules that say the same as a reader's code.
  private static let rules: [DiagnosticCode: Set<String>] = [
    .duplicateItemID: ["LNT0102"],
    .payloadUndecodable: ["PUB0101", "PUB0102", "PUB0117", "PUB0118"],
    .payloadMissing: ["PUB0119"],
    .payloadNotForkable: ["PUB0118"],
    .metadataWithoutBody: ["PUB0102"],
  ]
  private static let all = rules.values.reduce(into: Set<String>()) { $0.formUnion($1) }

  private var file = ""
  /// The rules that spoke, by the row's id.
  private var spoken: [String: Set<String>] = [:]

  /// Takes note of what rules said about a record.
  mutating func note(_ codes: [DiagnosticCode], _ record: Record) {
    let own = codes.lazy.map(\.id).filter(Self.all.contains)
    guard !own.isEmpty, let row = record.place().row else { return }
    begin(record.batch.locator.file(of: record))
    spoken[row.id, default: []].formUnion(own)
  }

  /// Whether a rule has said what a reader says.
  mutating func covers(_ finding: Diagnostic) -> Bool {
    guard let row = finding.place.row, let rules = Self.rules[finding.code] else { return false }
    begin(finding.place.file)
    return !(spoken[row.id]?.isDisjoint(with: rules) ?? true)
  }

  /// Files are read one after the other.
  private mutating func begin(_ file: String) {
    guard self.file != file else { return }
    self.file = file
    spoken.removeAll()
  }
}

/// A batch that was held against the schemas, with what they said.
///
/// Made on the reading thread, so that schemas and rules overlap; places and words are made by whoever takes it.
struct StructuredBatch {
  /// The records.
  let batch: RecordBatch
  /// What the reader said while it read them.
  let reported: [Diagnostic]
  /// Records that do not fit their schema, in the order of the batch.
  var records: [(index: Int, violations: [SchemaViolation])] = []
  /// Records that the reader refused, as their sources have them, with the reader's reasons and the schema's.
  var refused: [(record: Record, reasons: [RejectReason], violations: [SchemaViolation])] = []
}

/// Holds batches against the schemas; used by one thread at a time, one source after the other, because schemas
/// are compiled once.
final class BatchStructure: @unchecked Sendable {
  private let structure: StructureCheck
  private var tape = JSONTape(capacity: 4096)

  init() throws { structure = try StructureCheck() }

  /// Holds every record against the schema of its kind.
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
        // What people wrote, where there is such a text; a library's rows are what the reader makes of them.
        let text = UnsafeBufferPointer(start: batch.source.start + slot.sourceStart, count: slot.sourceLength)
        violations = try self.violations(of: text, kind: slot.kind)
      } else {
        // The rules, and whoever follows them, read the same tokens.
        violations = try batch.parsed(index).map { try structure.violations(of: $0, kind: slot.kind) } ?? []
      }
      if !violations.isEmpty { checked.records.append((index, violations)) }
    }
    return checked
  }

  /// A record that was refused, parsed again as its source has it; nil where it is no JSON, has no place, or is too
  /// large to be parsed again.
  private static func record(_ rejected: RejectedRecord, _ batch: RecordBatch) -> Record? {
    guard let position = rejected.position,
      !rejected.reasons.contains(where: { $0.code == DiagnosticCode.recordTooLarge.id })
    else { return nil }
    var source = ByteBuffer(capacity: rejected.bytes.count)
    rejected.bytes.withUnsafeBufferPointer { source.append($0) }
    let own = RecordBatch(locator: batch.locator, traits: batch.traits, origin: batch.origin, source: source)
    guard let parse = try? own.tape.parse(own.source.bytes) else { return nil }
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
    guard let start = text.baseAddress, let parse = try? tape.parse(text) else { return [] }
    return try structure.violations(
      of: JSONNode(text: start, tokens: tape.tokens, index: parse.root), kind: kind)
  }
}

extension Diagnostic {
  /// The finding at a more exact place.
  fileprivate func located(_ located: LocatedPlace) -> Diagnostic {
    Diagnostic(
      code, message, at: located.place, record: record, title: title, severity: severity, fix: fix, why: why,
      label: label, excerpt: located.excerpt ?? excerpt)
  }
}
