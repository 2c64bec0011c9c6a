import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteLibrary

extension LibraryImportWriter {
  func stage(
    _ incoming: Incoming, target: String, before: [UInt8]?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    let before = before.map(Digest.hex)
    if incoming.isDeck {
      try observeBeside(incoming, id: target, line.bytes)
      try ledger.keep(.item, id: target, line: line.bytes)
      keptBeside += 1
      if before != nil { tally[.item].updated += 1 } else { tally[.item].created += 1 }
      incoming.delta.add(to: &tally.rows)
      return
    }
    if library.isNew, incoming.kind != .execution {
      let node = try parse(line.bytes, &existingTape)
      return try write(node, incoming, over: before, &tally, rejects)
    }
    let list = changes[incoming.kind] ?? StagedRecords(in: staging)
    changes[incoming.kind] = list
    try list.add(
      incoming.kind, place: incoming.place().description, file: incoming.file, before: before,
      original: incoming.original, line: line.bytes, rows: incoming.delta, after: hashAfter)
  }

  func apply(_ kind: RecordKind, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    try changes[kind]?.drain { entry in
      let node = try parse(entry.line, &existingTape)
      try entry.original.withUnsafeBufferPointer { original in
        var incoming = Incoming(kind: kind, node: node, line: entry.line, original: original, file: entry.file) {
          Place(file: entry.place)
        }
        incoming.rows = entry.rows.rows
        incoming.delta = entry.rows
        hashAfter = entry.after
        try write(node, incoming, over: entry.before, &tally, rejects)
      }
    }
  }

  /// Writes a row and counts what became of it.
  /// - Parameter before: the hash of the record that it goes over; nil for a new one.
  func write(
    _ node: JSONNode, _ incoming: Incoming, over before: String?, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    let id = observer == nil ? "" : node.member("id")?.string ?? ""
    let old = observer == nil || before == nil ? nil : try record(incoming.kind, id: id).map { Array($0) }
    endLookingAhead()
    let outcome = try put(node, incoming.kind, isUpdate: before != nil, place: incoming.place)
    try count(outcome, incoming, &tally, rejects)
    if observer != nil { try observe(outcome, incoming, id, before: old) }
    switch outcome {
    case .created, .updated:
      rowsWritten += 1
      if incoming.kind == .item, !library.isNew { try publishedRows?.complete(node.member("id")?.string ?? "") }
      guard witnesses.count < 64 else { return }
      let id = node.member("id")?.string ?? ""
      witnesses.append(Ledger.Witness(kind: incoming.kind, id: id, before: before, after: nil))
    default: return
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

  func count(
    _ outcome: RowOutcome, _ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter
  ) throws {
    switch outcome {
    case .created, .updated: incoming.delta.add(to: &tally.rows)
    case .skipped: tally.rows.skipped += incoming.rows
    case .waiting, .rejected: break
    }
    switch outcome {
    case .skipped, .rejected:
      // What the library did not take is no base for the next import.
      if let source { try ledger.takeBack(source.id, file: incoming.file, incoming.kind, target: incoming.idText) }
    case .created, .updated, .waiting: break
    }
    switch outcome {
    case .created: tally[incoming.kind].created += 1
    case .updated: tally[incoming.kind].updated += 1
    case .skipped(let reason): tally[incoming.kind].skipped[reason, default: 0] += 1
    case .waiting: tally[incoming.kind].skipped[.unwritten, default: 0] += 1
    case .rejected(let code, let message): try reject(incoming, code, message, &tally, rejects)
    }
  }

  func reject(
    _ incoming: Incoming, _ code: DiagnosticCode, _ message: String, _ tally: inout Tally, _ rejects: RejectsWriter,
    _ sides: Rejecting? = nil
  ) throws {
    let place = incoming.place()
    context.findings.report(
      Diagnostic(
        code, message, at: place, record: "\(incoming.kind.name) \(incoming.idText)", title: incoming.title,
        fix: code == .importConflict && incoming.said != nil ? Self.tableConflictAdvice : nil))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(message); nothing was imported") }
    tally[incoming.kind].rejected += 1
    tally.rows.rejected += incoming.rows
    let rows = incoming.originalRows()
    rejecting = sides ?? Rejecting(incoming: incoming)
    defer { rejecting = nil }
    try rejects.add(
      RejectedRecord(
        kind: incoming.kind,
        bytes: rows?.bytes ?? Array(incoming.original.isEmpty ? incoming.line : incoming.original),
        place: place.description,
        reasons: [RejectReason(code: code.id, message: message, place: place.description)],
        rows: Int32(clamping: rows?.count ?? incoming.rows), table: rows?.table))
  }

  private static let tableConflictAdvice =
    "export the library again and edit that table, its column 'updated' included; or import with --on-conflict replace "
    + "to take the table, keep to take the library"

  func takeBeside(_ incoming: Incoming, _ tally: inout Tally, _ rejects: RejectsWriter) throws {
    let kind = incoming.kind
    guard !incoming.idText.isEmpty, kind.name != "member" else {
      let reason = SkipReason.noID(kind)
      context.losses.record(kind, id: incoming.idText, field: "", reason: reason.text)
      tally[kind].skipped[reason, default: 0] += 1
      return
    }
    let old = try ledger.record(kind, id: incoming.idText)
    if let old, old.elementsEqual(incoming.line) {
      // The record may have come without its bytes before.
      try keepBytes(of: incoming)
      tally[kind].unchanged += 1
      return
    }
    let conflict = MergeConflict(
      pointer: "", label: "the record", base: nil, ours: old.map { String(decoding: $0, as: UTF8.self) },
      theirs: String(decoding: incoming.line, as: UTF8.self))
    switch old == nil ? .theirs : try whoWins(incoming, conflict) {
    case .theirs:
      if let old { try old.withUnsafeBufferPointer { try replaced.add($0) } }
      try keepBytes(of: incoming)
      try observeBeside(incoming, id: incoming.idText, incoming.line)
      try ledger.keep(kind, id: incoming.idText, line: incoming.line)
      keptBeside += 1
      if old == nil { tally[kind].created += 1 } else { tally[kind].updated += 1 }
    case .ours:
      let reason: SkipReason = onConflict == .keep ? .libraryKept : .libraryWon
      try observe(.keep, incoming, reason: reason.text)
      tally[kind].skipped[reason, default: 0] += 1
    case .undecided:
      try reject(
        incoming, .importConflict, "the library has another version of it", &tally, rejects,
        Rejecting(incoming: incoming, before: old, conflicts: [conflict]))
      try report([conflict], of: incoming, nil)
    }
  }

  /// Which version of a record beside the library stays.
  private func whoWins(_ incoming: Incoming, _ conflict: MergeConflict) throws -> MergeConflict.Choice {
    switch onConflict {
    case .replace, .newest: return .theirs
    case .keep: return .ours
    case .fail:
      throw RunFailure(
        .refused,
        "\(incoming.place()): the library has another version, and --on-conflict fail forbids it; "
          + "nothing was imported")
    // What is said of a file of a vault follows from the file and the notes that use it: there is nothing to merge.
    case .merge where isByHand && incoming.kind == .attachment: return .theirs
    case .merge: return try settle(conflict, incoming, nil)
    }
  }

  /// Puts an attachment's bytes beside the library, before anything there refers to them.
  private func keepBytes(of incoming: Incoming) throws {
    guard !context.dryRun, let path = incoming.media, let hash = incoming.node.member("sha256")?.string else { return }
    try media.keep(path, sha256: hash)
  }
}
