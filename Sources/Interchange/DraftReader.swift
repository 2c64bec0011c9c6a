import Content
import Diagnostics
import Foundation
import JSONText
import Synchronization

/// Finds the records of a source, one after another. A format that reads text implements this protocol; records,
/// batches and places are derived from it.
package protocol DraftSource: AnyObject {
  /// Returns the next record; nil at the end.
  /// - Throws: `RunFailure` if the rest of the source cannot be read.
  func next() throws -> SourceDraft?

  /// The number of bytes read, and the total.
  var progress: (done: Int, total: Int?) { get }

  /// The origin of the ranges of the last draft that was returned.
  var origin: DraftOrigin { get }
}

extension DraftSource {
  /// The ranges are relative to the file.
  package var origin: DraftOrigin { .file }
}

/// The origin that the ranges of a draft are relative to.
package enum DraftOrigin: Sendable {
  /// The bytes of the file.
  case file
  /// The bytes of a text inside the file, which is called a member in places: a value of a property list, or a file of
  /// a folder.
  case member(String, Data)
  /// The bytes of one line of the file, or of a text inside it.
  case line(number: Int, member: String?, bytes: [UInt8])
  /// A row of a database. Each range is inside the range of one of these columns.
  case row(table: String, id: String, columns: [(name: String, range: Range<Int>)])
}

/// Makes records from the drafts of a source, which are read ahead on a separate thread.
///
/// Memory is bounded by a batch, or by the largest items. An item that cannot become a record is rejected with the
/// places of its problems.
package final class DraftReader: ContentReader {
  private static let batchBytes = 1 << 18
  /// The maximum number of rejects in a batch. A batch with more rejects is passed on, however few records it has.
  private static let batchRejects = 1000

  private let drafts: BoundedQueue<DraftBlock>
  private var block = DraftBlock()
  /// The position of the next draft in the block.
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
  ///   - idScope: the scope from which, together with their type and title, the ids of items without an id are derived.
  ///   - mentionsUnknown: whether members unknown to FleetKit are reported; false if the format keeps another app's
  ///     members on purpose.
  ///   - open: opens the source, with a log for its findings. It is called again without a log to find places; each
  ///     draft must then have the same ranges.
  /// - Throws: what `open` throws.
  package init(
    of name: Source, idScope: [String], traits: SourceTraits, context: RunContext, mentionsUnknown: Bool = true,
    open: @escaping @Sendable (DiagnosticLog?) throws -> any DraftSource
  ) throws {
    let findings = DiagnosticLog(keepPerCode: context.findings.keepPerCode)
    // From here on, only the thread that reads ahead uses the source.
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
      json.append(rejected.json.span)
      return reject(
        draft, rejected.problems.map { Problem(code: $0.code, message: $0.message, range: $0.range, fix: $0.fix) },
        batch)
    }
    let start = batch.canonical.count
    // Members that were written as JSON may be invalid.
    guard let parse = try? tape.parse(json.bytes.span) else {
      return reject(draft, [Problem(code: .notJSON, message: "its other members are not JSON")], batch)
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
    return CanonicalUUID.derived(parts + (number == 0 ? [] : [String(number)]))
  }

  /// A problem of a draft.
  private struct Problem {
    var code: DiagnosticCode
    var message: String
    /// The pointer to the value with the problem, if `range` does not give the value.
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

/// A block of drafts that were read ahead.
private struct DraftBlock {
  /// The number of bytes of a source that are read ahead, unless a single draft is larger.
  static let most = 1 << 18

  var drafts: [SourceDraft] = []
  /// The findings before each draft, and the findings after the last one.
  var findings: [DiagnosticLog?] = []
  var progress: (done: Int, total: Int?) = (0, nil)
  /// The number of bytes of the source that the drafts cover.
  var bytes = 0

  /// Reads a source to its end.
  fileprivate static func readAll(
    of source: any DraftSource, _ findings: DiagnosticLog, into queue: BoundedQueue<DraftBlock>
  ) throws {
    var isAtEnd = false
    while !isAtEnd {
      var block = DraftBlock()
      let result = Result { isAtEnd = try block.fill(from: source, findings) }
      block.progress = source.progress
      // Drafts that precede an error are still used.
      guard queue.send(block) else { return }
      try result.get()
    }
  }

  /// Reads the drafts of a block.
  /// - Returns: Whether the source is at its end.
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
  /// The number of bytes of the source that the draft covers.
  fileprivate var size: Int { range(of: JSONPointer(), .value).count }
}

/// Finds values of records from draft readers by reading the source again, up to the requested draft.
///
/// The place is exact, and costs nothing until it is requested. Places that are requested in order need only one pass.
final class DraftLocator: RecordLocator {
  private struct State {
    var source: (any DraftSource)?
    var index = -1
    var draft: SourceDraft?
    /// The last text that was read, and its member; nil for the file itself.
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

  /// Returns the place of a value of the draft with this number.
  /// - Parameter range: the value's range, if the pointer does not determine it.
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

  /// Returns a place in the current text, with its line if the line cannot be read again.
  private static func place(
    _ range: Range<Int>, _ place: Place, isMember: Bool, _ state: inout State
  ) -> LocatedPlace {
    guard let text = state.text?.bytes, range.upperBound <= text.count else { return LocatedPlace(place) }
    return text.withUnsafeBytes { bytes in
      let bytes = bytes.bindMemory(to: UInt8.self)
      var place = place
      let start = state.counter.position(of: range.lowerBound, in: bytes.span)
      let end = state.counter.position(of: range.upperBound, in: bytes.span)
      place.line = start.line
      place.column = start.column
      place.endColumn = end.line == start.line && !range.isEmpty ? end.column : nil
      guard isMember else { return LocatedPlace(place) }
      // Only as much is read as an excerpt may need, because a file may be one line.
      let before = bytes[max(0, range.lowerBound - longestExcerpt)..<range.lowerBound]
      let from = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? before.startIndex
      let after = bytes[range.lowerBound..<min(bytes.count, from + longestExcerpt + 1)]
      let to = after.firstIndex(of: 0x0A) ?? after.endIndex
      let isWhole = to - from <= longestExcerpt && (from == 0 || bytes[from - 1] == 0x0A)
      let line = isWhole ? String(decoding: bytes[from..<to], as: UTF8.self) : nil
      return LocatedPlace(place, excerpt: line)
    }
  }

  /// The maximum length of a line that is shown.
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
