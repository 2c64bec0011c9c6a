import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO
import SQLiteLibrary

/// Brings records into a library that is there already: looks each of them up, decides, stages what changes, and
/// commits everything in one transaction.
///
/// Records are staged until the end of their file, executions until the end of their source, so that the order in which
/// a source lists them does not matter.
final class LibraryImportWriter: ContentWriter {
  let library: WritableLibrary
  let ledger: Ledger
  let context: RunContext
  let lookup: LibraryLookup
  private let rows: LibraryRows
  private let onConflict: OnConflict
  private let origin: (String) -> SourceFile
  private let candidates: [RecordKind: Candidate] = [
    .item: Candidate(.item), .charter: Candidate(.charter), .execution: Candidate(.execution),
  ]
  let replaced: ReplacedRecords
  private var witnesses: [Ledger.Witness] = []
  /// How many published items were changed.
  private(set) var publishedChanged = 0
  /// How many records live beside the library, because the app has no table for them.
  private(set) var keptBeside = 0

  private var source: (name: String, id: Int64, isKnown: Bool, hasLostFiles: Bool)?
  private var file: (name: String, id: Int64, isKnown: Bool)?
  /// Files of the current source that were read in this run.
  private(set) var filesRead = Set<Int64>()
  private var changes: [RecordKind: StagedRecords] = [:]
  private var executions: StagedRecords
  var unmatched: StagedRecords
  private let staging: String?

  private var tape = JSONTape(capacity: 1024)
  private var existingTape = JSONTape(capacity: 1024)
  private var line = ByteBuffer(capacity: 1 << 14)

  /// Begins.
  /// - Parameter origin: which source a file belongs to.
  init(
    _ library: WritableLibrary, ledger: Ledger, onConflict: OnConflict, context: RunContext,
    origin: @escaping (String) -> SourceFile
  ) throws {
    self.library = library
    self.ledger = ledger
    self.onConflict = onConflict
    self.context = context
    self.origin = origin
    staging = try library.sidecar.folder(.staging)
    executions = StagedRecords(in: staging)
    unmatched = StagedRecords(in: staging)
    replaced = ReplacedRecords(library.sidecar)
    do {
      lookup = try LibraryLookup(library)
      rows = try LibraryRows(
        connection: library.connection, tables: library.schema.tables, version: library.schema.version ?? "",
        context: context)
    } catch {
      throw WritableLibrary.failure(error, library.path)
    }
  }

  // MARK: Reading along

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      let file = try begin(batch.locator.file, &tally, rejects)
      for index in batch.slots.indices {
        let slot = batch.slots[index]
        let record = Record(batch: batch, index: index)
        let node: JSONNode
        if slot.root >= 0 {
          node = JSONNode(text: batch.base(slot), tokens: batch.tape.tokens, index: slot.root)
        } else {
          node = try parse(batch.line(slot), &tape)
        }
        let incoming = Incoming(
          kind: slot.kind, node: node, line: batch.line(slot), original: record.sourceBytes, file: file
        ) { record.place() }
        try take(incoming, &tally, rejects)
      }
    }
  }

  /// Takes note of the file that is read now; the source before is finished when it is another's.
  private func begin(_ name: String, _ tally: inout Tally, _ rejects: RejectsWriter) throws -> Int64 {
    if let file, file.name == name { return file.id }
    // What this file says is held against what the one before said.
    try apply(.charter, &tally, rejects)
    try apply(.item, &tally, rejects)
    let origin = origin(name)
    if source?.name != origin.source {
      try finishSource(&tally, rejects)
      let (id, isKnown) = try ledger.source(origin.source)
      let hasLostFiles = try ledger.files(of: id).contains { access(origin.source + "/" + $0, F_OK) != 0 }
      source = (origin.source, id, isKnown, hasLostFiles)
    }
    let (id, isKnown) = try ledger.file(origin.path, of: source?.id ?? 0)
    filesRead.insert(id)
    file = (name, id, isKnown)
    return id
  }

  private func take(_ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    switch incoming.kind {
    case .syncOperation:
      tally[.syncOperation].skipped["the queue is not imported: publishing is for you to say", default: 0] += 1
    case .execution:
      // Decided when all charters and checklists of the source are in.
      try executions.add(
        .execution, place: incoming.place().description, file: incoming.file, isUpdate: false,
        original: incoming.original,
        line: incoming.line)
    case .item, .charter:
      let existing = try find(incoming)
      if existing == nil, source?.hasLostFiles ?? false || file?.isKnown ?? false {
        // It may be a record that has got another id: known when all of the source was seen.
        return try unmatched.add(
          incoming.kind, place: incoming.place().description, file: incoming.file, isUpdate: false,
          original: incoming.original,
          line: incoming.line)
      }
      try settle(incoming, existing, &tally, rejects)
    default: try takeBeside(incoming, &tally, rejects)
    }
  }

  /// Decisions that had to wait for the end of a source, then its changes.
  func finishSource(_ tally: inout Tally, _ rejects: RejectsWriter) throws {
    guard let source else { return }
    try library.finishCheck()
    var lastFile: Int64?
    try RenamedRecords(self, source.id, folder: source.name).settle { incoming, existing in
      if incoming.file != lastFile {
        try apply(.charter, &tally, rejects)
        try apply(.item, &tally, rejects)
      }
      lastFile = incoming.file
      // Another file may have brought a record of this id meanwhile.
      try settle(incoming, try existing ?? find(incoming), &tally, rejects)
    }
    try apply(.charter, &tally, rejects)
    try apply(.item, &tally, rejects)
    let waiting = executions
    executions = StagedRecords(in: staging)
    try waiting.drain { entry in
      var own = JSONTape(capacity: 256)
      let node = try parse(entry.line, &own)
      try entry.original.withUnsafeBufferPointer { original in
        let incoming = Incoming(kind: .execution, node: node, line: entry.line, original: original, file: entry.file) {
          Place(file: entry.place)
        }
        try settle(incoming, try find(incoming), &tally, rejects)
      }
    }
    try apply(.execution, &tally, rejects)
    self.source = nil
    file = nil
    filesRead.removeAll()
  }

  // MARK: Looking up

  /// The library's record of the same identity: by id, then by where this source's record went before; an execution
  /// also by its checklist and charter, which the app allows one of.
  private func find(_ incoming: Incoming) throws -> UnsafeBufferPointer<UInt8>? {
    // Nothing can be found in a library that is being made from its first source.
    if library.isNew, witnesses.isEmpty, incoming.kind != .execution { return nil }
    if let line = try lookup.record(incoming.kind, id: incoming.id) { return line }
    guard let source else { return nil }
    if source.isKnown, let target = try ledger.target(source.id, incoming.kind, id: incoming.id) {
      var id = target
      if let line = try id.withUTF8({ try lookup.record(incoming.kind, id: $0) }) { return line }
    }
    if incoming.kind == .execution, let checklist = incoming.node.member("checklist_id")?.string,
      let charter = incoming.node.member("charter_id")?.string
    {
      let moved = candidates[.execution]?.moved ?? [:]
      return try Array((moved[checklist] ?? checklist).utf8).withUnsafeBufferPointer { first in
        try Array((moved[charter] ?? charter).utf8).withUnsafeBufferPointer { second in
          try lookup.execution(checklist: first, charter: second)
        }
      }
    }
    if incoming.isDeck, let line = try ledger.record(.item, id: incoming.idText) {
      deck.removeAll()
      line.withUnsafeBufferPointer { deck.append($0) }
      return deck.bytes
    }
    return nil
  }

  /// The deck that was found last; kept here because it is no row.
  private var deck = ByteBuffer(capacity: 64)

  // MARK: Deciding

  /// Decides about one record and stages what follows.
  func settle(
    _ incoming: Incoming, _ existing: UnsafeBufferPointer<UInt8>?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    guard let candidate = candidates[incoming.kind], let source else { return }
    if let existing, Self.isEqual(existing, incoming.line) {
      // The library would give out the very same line: nothing to compare, member by member.
      let hash = Digest.sha256(existing)
      _ = try ledger.remember(
        source.id, file: incoming.file, incoming.kind, id: incoming.id, target: nil, hash: hash)
      tally[incoming.kind].unchanged += 1
      return
    }
    let other = try existing.map { try parse($0, &existingTape) }
    candidate.load(incoming.node, existing: other)
    candidate.unitesTicks = onConflict != .replace
    let target = other?.member("id")?.string
    if let target, target != incoming.idText { for one in candidates.values { one.moved[incoming.idText] = target } }
    let before = existing.map { Digest.sha256($0) }
    let decision = Decision.make(candidate, hasExisting: existing != nil, onConflict)
    var hash: [UInt8]?
    switch decision {
    case .create, .update: hash = compose(candidate, incoming, target: target)
    case .unchanged: hash = before
    case .keep, .conflict, .refuse, .withoutBody: break
    }
    let isFirst = try ledger.remember(
      source.id, file: incoming.file, incoming.kind, id: incoming.id,
      target: target == incoming.idText ? nil : target, hash: hash)
    if !isFirst {
      if try hash != nil && hash == ledger.hash(source.id, file: incoming.file, incoming.kind, id: incoming.id) {
        tally[incoming.kind].unchanged += 1
        return
      }
      let message = "another \(incoming.kind.name) of this file has the same id; the first one is taken"
      return try reject(incoming, .duplicateRecord, message, &tally, rejects)
    }
    switch decision {
    case .unchanged: tally[incoming.kind].unchanged += 1
    case .keep(let reason): tally[incoming.kind].skipped[reason, default: 0] += 1
    case .conflict(let message):
      if onConflict == .fail {
        throw RunFailure(
          .refused, "\(incoming.place()): \(message), and --on-conflict fail forbids it; nothing was imported")
      }
      try reject(incoming, .importConflict, message, &tally, rejects)
    case .withoutBody:
      let message = "the item has no body (content_data is null), and the library has none for it"
      try reject(incoming, .itemWithoutBody, message, &tally, rejects)
    case .refuse(let message): try reject(incoming, .publishedNotReplaced, message, &tally, rejects)
    case .create, .update:
      if let existing { try replaced.add(existing) }
      if candidate.isPublished { publishedChanged += 1 }
      noteLosses(candidate, incoming, isNew: existing == nil)
      try stage(incoming, target: target ?? incoming.idText, before: before, &tally, rejects)
    }
  }

  private static func isEqual(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Bool {
    guard left.count == right.count, let first = left.baseAddress, let second = right.baseAddress else { return false }
    return memcmp(first, second, left.count) == 0
  }

  /// Writes what the library would hold into `line`; its hash without what no column takes.
  private func compose(_ candidate: Candidate, _ incoming: Incoming, target: String?) -> [UInt8] {
    line.removeAll()
    if target == nil, candidate.isPlain {
      line.append(incoming.line)
      return Digest.sha256(line.bytes)
    }
    let id = Array((target ?? incoming.idText).utf8)
    return id.withUnsafeBufferPointer { id in
      candidate.write(id: id, now: context.now, withUnknown: false, into: &line)
      let hash = Digest.sha256(line.bytes)
      line.removeAll()
      candidate.write(id: id, now: context.now, withUnknown: true, into: &line)
      return hash
    }
  }

  private func noteLosses(_ candidate: Candidate, _ incoming: Incoming, isNew: Bool) {
    if isNew, candidate.isPublishedElsewhere {
      context.findings.report(
        Diagnostic(
          .publicationLeftOut, "it is published where it comes from; here it is private", at: incoming.place(),
          record: "\(incoming.kind.name) \(incoming.idText)",
          title: (incoming.node.member("title") ?? incoming.node.member("name"))?.string))
    }
    candidate.extras?.forEachMember { name, _ in
      // Why a record was put aside is no part of it.
      if name.equals("quarantine") { return }
      context.losses.record(
        incoming.kind, id: incoming.idText, field: "/extras/\(name.string ?? "")",
        reason: "the app's tables have no column for it")
    }
  }

  // MARK: Staging and writing

  private func stage(
    _ incoming: Incoming, target: String, before: [UInt8]?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    if witnesses.count < 64 {
      witnesses.append(
        Ledger.Witness(kind: incoming.kind, id: target, before: before.map(Digest.hex), after: nil))
    }
    let isUpdate = before != nil
    if incoming.isDeck {
      witnesses.removeAll { $0.id == target }
      try ledger.keep(.item, id: target, line: line.bytes)
      keptBeside += 1
      if isUpdate { tally[.item].updated += 1 } else { tally[.item].created += 1 }
      return
    }
    if library.isNew, incoming.kind != .execution {
      let node = try parse(line.bytes, &existingTape)
      try count(put(node, incoming.kind, isUpdate: isUpdate, place: incoming.place), incoming, &tally, rejects)
      return
    }
    let list = changes[incoming.kind] ?? StagedRecords(in: staging)
    changes[incoming.kind] = list
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, isUpdate: isUpdate,
      original: incoming.original,
      line: line.bytes)
  }

  private func apply(_ kind: RecordKind, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    try changes[kind]?.drain { entry in
      let node = try parse(entry.line, &existingTape)
      try entry.original.withUnsafeBufferPointer { original in
        let incoming = Incoming(kind: kind, node: node, line: entry.line, original: original, file: entry.file) {
          Place(file: entry.place)
        }
        try count(put(node, kind, isUpdate: entry.isUpdate, place: incoming.place), incoming, &tally, rejects)
      }
    }
  }

  private func put(
    _ node: JSONNode, _ kind: RecordKind, isUpdate: Bool, place: () -> Place
  ) throws -> RowOutcome {
    switch kind {
    case .charter: return try rows.insertCharter(node, replacing: isUpdate, place: place)
    case .execution: return try rows.insertExecution(node, replacing: isUpdate, mayWait: false, place: place)
    default: return isUpdate ? try rows.updateItem(node, place: place) : try rows.insertItem(node, place: place)
    }
  }

  private func count(
    _ outcome: RowOutcome, _ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    switch outcome {
    case .created: tally[incoming.kind].created += 1
    case .updated: tally[incoming.kind].updated += 1
    case .skipped(let reason): tally[incoming.kind].skipped[reason, default: 0] += 1
    case .waiting: tally[incoming.kind].skipped["internal", default: 0] += 1
    case .rejected(let code, let message): try reject(incoming, code, message, &tally, rejects)
    }
  }

  func reject(
    _ incoming: Incoming, _ code: DiagnosticCode, _ message: String, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    let place = incoming.place()
    context.findings.report(
      Diagnostic(code, message, at: place, record: "\(incoming.kind.name) \(incoming.idText)", title: incoming.title))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(message); nothing was imported") }
    tally[incoming.kind].rejected += 1
    try rejects.add(
      RejectedRecord(
        kind: incoming.kind, bytes: Array(incoming.original.isEmpty ? incoming.line : incoming.original),
        place: place.description,
        reasons: [RejectReason(code: code.id, message: message, place: place.description)]))
  }

  // MARK: Records that the app has no table for

  private func takeBeside(_ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    let kind = incoming.kind
    guard !incoming.idText.isEmpty, kind.name != "member" else {
      let reason = "a library has no place for \(kind.plural) without an id"
      context.losses.record(kind, id: incoming.idText, field: "", reason: reason)
      tally[kind].skipped[reason, default: 0] += 1
      return
    }
    let old = try ledger.record(kind, id: incoming.idText)
    if let old, old.elementsEqual(incoming.line) {
      tally[kind].unchanged += 1
    } else if old == nil || onConflict == .replace || onConflict == .newest {
      if let old { try old.withUnsafeBufferPointer { try replaced.add($0) } }
      try ledger.keep(kind, id: incoming.idText, line: incoming.line)
      keptBeside += 1
      if old == nil { tally[kind].created += 1 } else { tally[kind].updated += 1 }
    } else if onConflict == .keep {
      tally[kind].skipped[Decision.kept, default: 0] += 1
    } else if onConflict == .fail {
      throw RunFailure(
        .refused,
        "\(incoming.place()): the library has another version, and --on-conflict fail forbids it; "
          + "nothing was imported")
    } else {
      try reject(incoming, .importConflict, "the library has another version of it", &tally, rejects)
    }
  }

  // MARK: The end

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try guarding {
      try finishSource(&tally, rejects)
      for index in witnesses.indices {
        let witness = witnesses[index]
        var id = witness.id
        let after = try id.withUTF8 { try lookup.record(witness.kind, id: $0).map { Digest.hex(Digest.sha256($0)) } }
        witnesses[index] = Ledger.Witness(kind: witness.kind, id: id, before: witness.before, after: after)
      }
      witnesses.removeAll { $0.before == $0.after }
    }
  }

  func finish() throws -> Int {
    try replaced.publish()
    do {
      try ledger.intend(witnesses)
    } catch {
      throw StateStore.failure(error, library.sidecar.path + "/state.sqlite")
    }
    if witnesses.isEmpty, !library.isNew {
      library.rollback()
    } else {
      do {
        try library.commit()
      } catch {
        ledger.forget()
        throw error
      }
      // The library has it; if this cannot be noted now, the next run finds it out by hash.
      try? ledger.done()
    }
    let attributes = try? FileManager.default.attributesOfItem(atPath: library.path)
    return attributes?[.size] as? Int ?? 0
  }

  func abort() {
    library.rollback()
    ledger.forget()
    replaced.discard()
  }

  /// Whether anything was changed in the library.
  var hasChanges: Bool { !witnesses.isEmpty }

  func parse(_ line: UnsafeBufferPointer<UInt8>, _ tape: inout JSONTape) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      return JSONNode(text: start, tokens: tape.tokens, index: parse.root)
    } catch {
      throw RunFailure(.internalError, "a record is not JSON: \(error.message)", advice: "Please report this.")
    }
  }

  private func guarding(_ body: () throws -> Void) throws {
    do {
      try body()
    } catch let error as SQLiteError {
      throw error.operation.hasPrefix("write the ledger") || error.isConstraint
        ? StateStore.failure(error, library.sidecar.path + "/state.sqlite")
        : WritableLibrary.failure(error, library.path)
    }
  }
}
