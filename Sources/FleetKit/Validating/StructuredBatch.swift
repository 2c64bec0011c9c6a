import FleetKitCore
import JSONSchema
import Validation

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
