import Content
import Diagnostics
import Foundation
import JSONText
import Synchronization

/// Finds the records of a source, one after another. A format that reads text implements this; records, batches and
/// places follow from it.
package protocol DraftSource: AnyObject {
  /// The next record; nil at the end.
  /// - Throws: `RunFailure` when the source cannot be read on.
  func next() throws -> SourceDraft?

  /// How far it is, in bytes, and how far it has to go.
  var progress: (done: Int, total: Int?) { get }

  /// What the ranges of the draft count from that was handed out last.
  var origin: DraftOrigin { get }
}

extension DraftSource {
  /// The file.
  package var origin: DraftOrigin { .file }
}

/// What the ranges of a draft count from.
package enum DraftOrigin: Sendable {
  /// The bytes of the file.
  case file
  /// The bytes of a text inside the file, which places name as a member: a value of a property list, a file of a folder.
  case member(String, Data)
  /// The bytes of one line of the file, or of a text inside it.
  case line(number: Int, member: String?, bytes: [UInt8])
  /// A row of a database: a range that is in one of these belongs to the column.
  case row(table: String, id: String, columns: [(name: String, range: Range<Int>)])
}

/// Makes records of the drafts of a source, which are read ahead on a thread of their own.
///
/// Memory is bounded by a batch, or by the largest items. An item that cannot be a record is rejected with the places of
/// what is wrong.
package final class DraftReader: ContentReader {
  private static let batchBytes = 1 << 18
  /// A batch with more rejects than this goes on its way, however little else it has.
  private static let batchRejects = 1000

  private let drafts: BoundedQueue<DraftBlock>
  private var block = DraftBlock()
  /// The next draft of the block.
  private var at = 0
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
  ///   - mentionsUnknown: whether members that FleetKit does not know are reported; not where the format keeps another
  ///     app's members on purpose.
  ///   - open: opens the source, with a log for its findings. Asked again without one when places are asked for: each
  ///     draft must then know where its texts came from.
  /// - Throws: what `open` throws.
  package init(
    of name: Source, idScope: [String], traits: SourceTraits, context: RunContext, mentionsUnknown: Bool = true,
    open: @escaping @Sendable (DiagnosticLog?) throws -> any DraftSource
  ) throws {
    let findings = DiagnosticLog(keepPerCode: context.findings.keepPerCode)
    // The thread that reads ahead is the only one that uses it from here on.
    nonisolated(unsafe) let source = try open(findings)
    block.progress = source.progress
    drafts = BoundedQueue.filled(capacity: DraftBlock.most, cost: { $0.bytes }) { queue in
      try DraftBlock.readAll(of: source, findings, into: queue)
    }
    self.idScope = idScope
    self.traits = traits
    self.context = context
    locator = DraftLocator(name) { try open(nil) }
    canonicalizer.limitsSize = true
    canonicalizer.mentionsUnknown = mentionsUnknown
  }

  deinit { drafts.abandon() }

  package var progress: (done: Int, total: Int?) { block.progress }

  package func next() throws -> RecordBatch? {
    if isAtEnd { return nil }
    let batch = RecordBatch(
      locator: locator, traits: traits, capacity: Self.batchBytes + Self.batchBytes / 4, memory: memory)
    while batch.canonical.count < Self.batchBytes, batch.rejected.count < Self.batchRejects {
      try Interruption.check()
      guard let draft = try nextDraft() else {
        isAtEnd = true
        break
      }
      add(draft, to: batch)
    }
    return batch.slots.isEmpty && batch.rejected.isEmpty ? nil : batch
  }

  private func nextDraft() throws -> SourceDraft? {
    while true {
      if at < block.findings.count, let findings = block.findings[at] { context.findings.add(findings) }
      if at < block.drafts.count {
        at += 1
        return block.drafts[at - 1]
      }
      guard let next = try drafts.receive() else { return nil }
      (block, at) = (next, 0)
    }
  }

  private func add(_ draft: SourceDraft, to batch: RecordBatch) {
    defer { count += 1 }
    json.removeAll()
    tape.removeAll()
    switch draft {
    case .item(let item): item.write(into: &json)
    case .record(let record): record.write(into: &json)
    case .rejected(let rejected):
      rejected.json.withUnsafeBufferPointer { json.append($0) }
      return reject(
        draft, rejected.problems.map { Problem(code: $0.code, message: $0.message, range: $0.range, fix: $0.fix) },
        batch)
    }
    let start = batch.canonical.count
    // Members that were written as JSON may be none.
    guard let parse = try? tape.parse(json.bytes) else {
      return reject(draft, [Problem(code: .notJSON, message: "its further members are not JSON")], batch)
    }
    let node = JSONNode(text: json.start, tokens: tape.tokens, index: parse.root)
    canonicalizer.writeRecord(node, kind: draft.kind, derivedID: { self.derivedID(draft) }, into: &batch.canonical)
    guard !canonicalizer.rejected else {
      batch.canonical.truncate(to: start)
      let issues = canonicalizer.issues.filter { $0.code.severity == .error }
      return reject(
        draft, issues.map { Problem(code: $0.code, message: $0.message, pointer: $0.pointer, fix: $0.fix) }, batch)
    }
    batch.appendSlot(draft.kind, from: start)
    batch.slots[batch.slots.count - 1].sourceFile = Int32(clamping: count)
    for issue in canonicalizer.issues {
      context.findings.report(
        Diagnostic(
          issue.code, issue.message, at: locator.place(of: issue.pointer, inDraft: count).place,
          record: draft.kind.name, title: draft.title, severity: issue.severity, fix: issue.fix))
    }
  }

  private func derivedID(_ draft: SourceDraft) -> String {
    var parts = idScope + [draft.kind.name]
    if case .item(let item) = draft { parts.append(item.type.rawValue) }
    parts.append(draft.title)
    let key = parts.joined(separator: "\0")
    let number = repeats[key, default: 0]
    repeats[key] = number + 1
    return UUIDText.derived(parts + (number == 0 ? [] : [String(number)]))
  }

  /// Something that is wrong with a draft.
  private struct Problem {
    var code: DiagnosticCode
    var message: String
    /// The value that is meant, where `range` does not tell.
    var pointer = JSONPointer()
    var range: Range<Int>?
    var fix: String?
  }

  private func reject(_ draft: SourceDraft, _ problems: [Problem], _ batch: RecordBatch) {
    var reasons: [RejectReason] = []
    for problem in problems {
      let found = locator.place(of: problem.pointer, inDraft: count, at: problem.range)
      context.findings.report(
        Diagnostic(
          problem.code, problem.message, at: found.place, record: draft.kind.name, title: draft.title,
          fix: problem.fix, excerpt: found.excerpt))
      reasons.append(RejectReason(code: problem.code.id, message: problem.message, place: found.place.description))
    }
    batch.rejected.append(
      RejectedRecord(
        kind: draft.kind, bytes: json.copy(0..<json.count),
        place: locator.place(of: JSONPointer(), inDraft: count).place.description, reasons: reasons))
  }
}

/// Drafts that were read ahead.
private struct DraftBlock {
  /// How many bytes of a source are read ahead, unless one draft has more.
  static let most = 1 << 18

  var drafts: [SourceDraft] = []
  /// The findings from before each draft, and from behind the last one.
  var findings: [DiagnosticLog?] = []
  var progress: (done: Int, total: Int?) = (0, nil)
  /// The bytes of the source that the drafts are of.
  var bytes = 0

  /// Reads a source to its end.
  static func readAll(
    of source: any DraftSource, _ findings: DiagnosticLog, into queue: BoundedQueue<DraftBlock>
  ) throws {
    var isAtEnd = false
    while !isAtEnd {
      var block = DraftBlock()
      let result = Result { isAtEnd = try block.fill(from: source, findings) }
      block.progress = source.progress
      // What came before an error is used.
      guard queue.send(block) else { return }
      try result.get()
    }
  }

  /// Reads the drafts of a block.
  /// - Returns: whether the source is at its end.
  private mutating func fill(from source: any DraftSource, _ log: DiagnosticLog) throws -> Bool {
    defer { if findings.count == drafts.count { findings.append(log.moved()) } }
    while bytes < Self.most / 2, drafts.count < 512 {
      guard let draft = try source.next() else { return true }
      findings.append(log.moved())
      drafts.append(draft)
      bytes += draft.size
    }
    return false
  }
}

extension SourceDraft {
  /// How many bytes of the source it is of.
  fileprivate var size: Int { range(of: JSONPointer(), .value).count }
}

/// Finds values of records whose readers make drafts: reads the source again, up to the draft that is meant.
///
/// Exact, and free for callers that never ask. Places that are asked for in their order cost one pass.
final class DraftLocator: RecordLocator {
  private struct State {
    var source: (any DraftSource)?
    var index = -1
    var draft: SourceDraft?
    /// The text that was looked at last, and the member that it is; nil for the file itself.
    var text: (member: String?, bytes: Data)?
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
    place(of: pointer, inDraft: Int(record.slot.sourceFile), part)
  }

  /// The place of a value of the draft of this number.
  /// - Parameter range: where it is, if that does not follow from the pointer.
  func place(
    of pointer: JSONPointer, inDraft number: Int, _ part: ValuePart = .value, at range: Range<Int>? = nil
  ) -> LocatedPlace {
    let place = Place(file: file, pointer: pointer.description)
    return state.withLock { state in
      guard let draft = draft(number, &state) else { return LocatedPlace(place) }
      let range = range ?? draft.range(of: pointer, part)
      switch state.source?.origin ?? .file {
      case .file:
        if state.text == nil || state.text?.member != nil {
          let bytes = try? Data(contentsOf: URL(fileURLWithPath: path), options: .mappedIfSafe)
          state.text = (nil, bytes ?? Data())
          state.counter = PlaceCounter()
        }
        return Self.place(range, place, isMember: false, &state)
      case .member(let name, let bytes):
        if state.text?.member != name {
          state.text = (name, bytes)
          state.counter = PlaceCounter()
        }
        var place = place
        place.member = name
        return Self.place(range, place, isMember: true, &state)
      case .line(let number, let member, let bytes):
        state.text = ("line \(number)", Data(bytes))
        state.counter = PlaceCounter()
        var found = Self.place(range, place, isMember: member != nil, &state)
        state.text = nil
        found.place.member = member
        found.place.line = number + (found.place.line ?? 1) - 1
        return found
      case .row(let table, let id, let columns):
        var place = place
        let column = columns.first { $0.range.contains(range.lowerBound) && range.upperBound <= $0.range.upperBound }
        place.row = Place.Row(table: table, id: id, column: column?.name)
        return LocatedPlace(place)
      }
    }
  }

  /// A place in the text that is looked at, with its line if that cannot be read again.
  private static func place(
    _ range: Range<Int>, _ place: Place, isMember: Bool, _ state: inout State
  ) -> LocatedPlace {
    guard let text = state.text?.bytes, range.upperBound <= text.count else { return LocatedPlace(place) }
    return text.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      var place = place
      let start = state.counter.position(of: range.lowerBound, in: bytes)
      let end = state.counter.position(of: range.upperBound, in: bytes)
      place.line = start.line
      place.column = start.column
      place.endColumn = end.line == start.line && !range.isEmpty ? end.column : nil
      guard isMember else { return LocatedPlace(place) }
      // No further than an excerpt reaches: a file may be one line.
      let before = bytes[max(0, range.lowerBound - longestExcerpt)..<range.lowerBound]
      let from = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
      let after = bytes[range.lowerBound..<min(bytes.count, from + longestExcerpt + 1)]
      let to = after.firstIndex(of: 0x0A) ?? after.endIndex
      let isWhole = to - from <= longestExcerpt && (from == 0 || bytes[from - 1] == 0x0A)
      let line = isWhole ? String(decoding: bytes[from..<to], as: UTF8.self) : nil
      return LocatedPlace(place, excerpt: line)
    }
  }

  /// Longer lines are not shown.
  private static let longestExcerpt = 1 << 14

  private func draft(_ number: Int, _ state: inout State) -> SourceDraft? {
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
