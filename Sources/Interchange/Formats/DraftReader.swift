import Content
import Diagnostics
import Foundation
import JSONText
import Synchronization

/// Finds the items of a source, one after another. A format that reads text implements this; records, batches and
/// places follow from it.
package protocol DraftSource: AnyObject {
  /// The next item; nil at the end.
  /// - Throws: `RunFailure` when the source cannot be read on.
  func next() throws -> ItemDraft?

  /// How far it is, in bytes, and how far it has to go.
  var progress: (done: Int, total: Int?) { get }
}

/// Makes records of the drafts of a source.
///
/// Memory is bounded by a batch, or by the largest item. An item that cannot be a record is rejected with the places of
/// what is wrong.
package final class DraftReader: ContentReader {
  private static let batchBytes = 1 << 18

  private let source: any DraftSource
  private let locator: DraftLocator
  private let traits: SourceTraits
  private let idScope: [String]
  private let context: RunContext
  private let memory = BatchMemory(largest: 4 * DraftReader.batchBytes)
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var json = ByteBuffer(capacity: 1 << 14)
  private var tape = JSONTape(capacity: 1024)
  private var repeats: [String: Int] = [:]
  private var count = 0
  private var isAtEnd = false

  /// - Parameters:
  ///   - name: the source as the user named it.
  ///   - idScope: what ids of items without one are derived from, together with their type and title.
  ///   - reopen: opens the source again, so that each draft knows where its texts came from; asked when a place is.
  package init(
    _ source: any DraftSource, of name: Source, idScope: [String], traits: SourceTraits, context: RunContext,
    reopen: @escaping @Sendable () throws -> any DraftSource
  ) {
    self.source = source
    self.idScope = idScope
    self.traits = traits
    self.context = context
    locator = DraftLocator(name, reopen: reopen)
    canonicalizer.limitsSize = true
  }

  package var progress: (done: Int, total: Int?) { source.progress }

  package func next() throws -> RecordBatch? {
    if isAtEnd { return nil }
    let batch = RecordBatch(
      locator: locator, traits: traits, capacity: Self.batchBytes + Self.batchBytes / 4, memory: memory)
    while batch.canonical.count < Self.batchBytes {
      try Interruption.check()
      guard let draft = try source.next() else {
        isAtEnd = true
        break
      }
      add(draft, to: batch)
    }
    return batch.slots.isEmpty && batch.rejected.isEmpty ? nil : batch
  }

  private func add(_ draft: ItemDraft, to batch: RecordBatch) {
    defer { count += 1 }
    json.removeAll()
    tape.removeAll()
    draft.write(into: &json)
    let start = batch.canonical.count
    // Members that were written as JSON may be none.
    guard let parse = try? tape.parse(json.bytes) else {
      return reject(draft, [(.notJSON, "its further members are not JSON", JSONPointer(), nil)], batch)
    }
    let node = JSONNode(text: json.start, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: .item, derivedID: { self.derivedID(draft) }, into: &batch.canonical)
    guard !canonicalizer.rejected else {
      batch.canonical.truncate(to: start)
      let issues = canonicalizer.issues.filter { $0.code.severity == .error }
      return reject(draft, issues.map { ($0.code, $0.message, $0.pointer, $0.fix) }, batch)
    }
    batch.appendSlot(.item, from: start)
    batch.slots[batch.slots.count - 1].sourceFile = Int32(clamping: count)
    for issue in canonicalizer.issues {
      context.findings.report(
        Diagnostic(
          issue.code, issue.message, at: locator.place(ofItem: count, at: issue.pointer), record: "item",
          title: draft.title.string, severity: issue.severity, fix: issue.fix))
    }
  }

  private func derivedID(_ draft: ItemDraft) -> String {
    let parts = idScope + ["item", draft.type.rawValue, draft.title.string]
    let key = parts.joined(separator: "\0")
    let number = repeats[key, default: 0]
    repeats[key] = number + 1
    return UUIDText.derived(parts + (number == 0 ? [] : [String(number)]))
  }

  private func reject(
    _ draft: ItemDraft, _ problems: [(code: DiagnosticCode, message: String, pointer: JSONPointer, fix: String?)],
    _ batch: RecordBatch
  ) {
    var reasons: [RejectReason] = []
    for problem in problems {
      let place = locator.place(ofItem: count, at: problem.pointer)
      context.findings.report(
        Diagnostic(
          problem.code, problem.message, at: place, record: "item", title: draft.title.string, fix: problem.fix))
      reasons.append(RejectReason(code: problem.code.id, message: problem.message, place: place.description))
    }
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: json.copy(0..<json.count),
        place: locator.place(ofItem: count, at: JSONPointer()).description, reasons: reasons))
  }
}

/// Finds values of records whose readers make drafts: reads the source again, up to the item that is meant.
///
/// Exact, and free for everyone who never asks. Places that are asked for in their order cost one pass.
final class DraftLocator: RecordLocator {
  private struct State {
    var source: (any DraftSource)?
    var index = -1
    var draft: ItemDraft?
    var text: Data?
    var counter = PlaceCounter()
  }

  let file: String
  private let path: String
  private let reopen: @Sendable () throws -> any DraftSource
  private let state = Mutex(State())

  init(_ source: Source, reopen: @escaping @Sendable () throws -> any DraftSource) {
    file = source.name
    path = source.path
    self.reopen = reopen
  }

  func place(of record: Record, at pointer: JSONPointer) -> Place { locate(.value, of: record, at: pointer).place }

  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    LocatedPlace(place(ofItem: Int(record.slot.sourceFile), at: pointer, part))
  }

  /// The place of a value of the item of this number.
  func place(ofItem number: Int, at pointer: JSONPointer, _ part: ValuePart = .value) -> Place {
    var place = Place(file: file, pointer: pointer.description)
    state.withLock { state in
      guard let draft = draft(number, &state) else { return }
      let range = draft.range(of: pointer, part)
      if state.text == nil {
        state.text = (try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)) ?? Data()
      }
      guard let text = state.text, range.upperBound <= text.count else { return }
      text.withUnsafeBytes { bytes in
        let bytes = bytes.bindMemory(to: UInt8.self)
        let start = state.counter.position(of: range.lowerBound, in: bytes)
        let end = state.counter.position(of: range.upperBound, in: bytes)
        place.line = start.line
        place.column = start.column
        place.endColumn = end.line == start.line && !range.isEmpty ? end.column : nil
      }
    }
    return place
  }

  private func draft(_ number: Int, _ state: inout State) -> ItemDraft? {
    if state.index == number { return state.draft }
    if state.source == nil || state.index > number {
      state.source = try? reopen()
      state.index = -1
    }
    while state.index < number {
      state.draft = try? state.source?.next()
      state.index += 1
      if state.draft == nil { return nil }
    }
    return state.draft
  }
}
