import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Makes executions from the ticks of checklist notes (`--with-ticks`), and the charter of these executions.
///
/// A note does not name a charter, so all executions from a source belong to one charter, whose id is derived from the
/// source.
/// - Source: formats/markdown.md, "Ticks"
enum NoteTicks {
  /// Returns the charter id of a source.
  static func charterID(of place: VaultPlace) -> String {
    CanonicalUUID.derived(["markdown", "ticks", place.sourceID])
  }

  /// Appends an execution of the item that was appended last.
  /// - Returns: the number of ticks in the execution; 0 if no execution was appended.
  static func appendExecution(
    of note: ParsedNote, charter: String, time: Timestamp, to batch: RecordBatch, _ canonicalizer: inout Canonicalizer
  ) -> Int {
    guard case .checklist(let checklist) = note.content, !checklist.ticked.isEmpty, let last = batch.slots.last,
      last.kind == .item
    else { return 0 }
    let record = Record(batch: batch, index: batch.slots.count - 1)
    let parts = record.withLine { line in
      NoteRecord(line.span).map { (id: $0.id, steps: Self.stepIDs($0)) }
    }
    guard let (id, steps) = parts, let ticked = tickedSteps(checklist, steps), !ticked.isEmpty else { return 0 }
    var json = ByteBuffer(capacity: 256 + ticked.count * 64)
    json.append("{\"kind\":\"execution\",\"id\":")
    json.appendJSONString(CanonicalUUID.derived(["markdown", "execution", charter, id]))
    json.append(",\"checklist_id\":")
    json.appendJSONString(id)
    json.append(",\"charter_id\":")
    json.appendJSONString(charter)
    json.append(",\"item_states\":{")
    for (index, step) in ticked.sorted().enumerated() {
      if index > 0 { json.append(UInt8(ascii: ",")) }
      json.appendJSONString(step)
      json.append(":{\"checked\":true}")
    }
    json.append("},\"created_at\":")
    json.appendJSONString(time.iso8601)
    json.append(",\"last_updated\":")
    json.appendJSONString(time.iso8601)
    json.append("}")
    let isDone = append(json.copy(0..<json.count), .execution, to: batch, last.sourceFile, &canonicalizer)
    return isDone ? checklist.ticked.count : 0
  }

  /// Returns the charter that all executions from a source belong to; nil if there are no executions.
  static func charter(_ counts: NoteCounts, _ paths: VaultPaths, parser: NoteParser) -> RecordBatch? {
    guard counts.madeTicks > 0, let last = counts.lastTick else { return nil }
    let locator = VaultLocator(paths, parser: parser)
    let batch = RecordBatch(locator: locator, traits: locator.traits, origin: locator, capacity: 1 << 12)
    let name = paths.place.name
    var json = ByteBuffer(capacity: 512)
    json.append("{\"kind\":\"charter\",\"id\":")
    json.appendJSONString(charterID(of: paths.place))
    json.append(",\"name\":")
    json.appendJSONString(name.isEmpty || name == "." || name == "-" ? "Ticks" : "Ticks in \(name)")
    for key in ["start_date", "end_date", "created_at", "updated_at"] {
      json.append(",")
      json.appendJSONString(key)
      json.append(":")
      json.appendJSONString(last.time.iso8601)
    }
    json.append("}")
    var canonicalizer = Canonicalizer(mode: .bundle)
    _ = append(json.copy(0..<json.count), .charter, to: batch, locator.add(last.file), &canonicalizer)
    return batch
  }

  /// Appends a record in its canonical form.
  private static func append(
    _ json: [UInt8], _ kind: RecordKind, to batch: RecordBatch, _ file: Int32, _ canonicalizer: inout Canonicalizer
  ) -> Bool {
    guard let document = try? JSONDocument(parsing: json) else { return false }
    let start = batch.canonical.count
    document.withNode(document.root.tokenIndex) { node in
      canonicalizer.writeRecord(node, kind: kind, derivedID: { CanonicalUUID.zero }, into: &batch.canonical)
    }
    batch.appendSlot(kind, from: start)
    batch.slots[batch.slots.count - 1].sourceFile = file
    return true
  }

  private static func stepIDs(_ record: NoteRecord) -> [String] {
    record.withBody { sections in
      var ids: [String] = []
      sections.forEachElement { section in
        section.member("items")?.forEachElement { ids.append($0.member("id")?.string ?? "") }
      }
      return ids
    } ?? []
  }

  /// Returns the ids of the ticked steps. Each tick belongs to the last step that begins at or before the tick.
  private static func tickedSteps(_ checklist: ChecklistDraft, _ ids: [String]) -> Set<String>? {
    let starts = checklist.sections.flatMap { $0.steps.map(\.range.lowerBound) }
    guard starts.count == ids.count else { return nil }
    let order = starts.indices.sorted { starts[$0] < starts[$1] }
    var found: Set<String> = []
    for tick in checklist.ticked {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if starts[order[middle]] <= tick.lowerBound { low = middle + 1 } else { high = middle }
      }
      if low > 0 { found.insert(ids[order[low - 1]]) }
    }
    return found
  }
}
