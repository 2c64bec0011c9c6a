import Content
import CSQLite
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Writes a new library as the app would, in the newest schema or an older one, with the newest encodings.
///
/// Rows are written to a temporary file without a journal and with large pages. Indexes are created after the rows.
/// Then the file is checked, synced and renamed. Rows that would violate a foreign key are rejected.
final class SQLiteLibraryWriter: ContentWriter {
  private let target: Target
  private let context: RunContext
  private let file: AtomicFile
  private let schema: AppSchema
  private var connection: SQLiteConnection?
  private var rows: LibraryRows?
  private var writeBack: WriteBack?
  private var bytesTaken = 0
  private var tape = JSONTape(capacity: 1024)
  /// The records that were read before the records that they refer to.
  private var waiting: LineSpool?
  /// Adds the queue rows that the app needs to withdraw public items; nil for a schema without a queue.
  private var published: PublishedRows?
  private var isSelection: Bool { target.selection != nil }
  /// The items with publications that were not sent. An item may also be in `sent`.
  private var unsent = Set<String>()
  private var sent = Set<String>()
  /// The rewritten line of an item that becomes private.
  private var privateLine = ByteBuffer(capacity: 1024)
  private var privateTape = JSONTape(capacity: 1024)

  init(_ target: Target, context: RunContext) throws {
    self.target = target
    self.context = context
    if target.isStandardOutput {
      throw RunFailure(.usage, "a library cannot be written to standard output", advice: "Specify a file with --to.")
    }
    if target.overwrites, access(target.path, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(target.path)': a file of that name exists, and a library is never replaced",
        advice: "Choose another name.")
    }
    schema = try Self.schema(of: target)
    file = try NewLibraryFile.reserve(target.path)
    do throws(SQLiteError) {
      let connection = try NewLibraryFile.open(file, schema)
      self.connection = connection
      rows = try LibraryRows(
        connection: connection, tables: schema.columns, version: schema.version, context: context)
      published = try PublishedRows(connection, schema.columns, now: context.now)
    } catch {
      throw Self.failure(error, target.path)
    }
    writeBack = WriteBack(descriptor: file.descriptor)
  }

  private static func schema(of target: Target) throws -> AppSchema {
    do {
      guard let version = target.schemaVersion else { return try AppSchema.newest() }
      if let schema = try AppSchema.of(version) { return schema }
      throw RunFailure(
        .usage, "write '\(target.path)': the app has no schema version \(version)",
        advice: "The versions are \(AppSchema.versions.joined(separator: ", ")).")
    } catch let error as SQLiteError {
      throw failure(error, target.path)
    }
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for index in batch.slots.indices {
      let slot = batch.slots[index]
      let node: JSONNode
      if slot.root >= 0 {
        node = JSONNode(text: batch.base(slot), tokens: batch.tape.tokens, index: slot.root)
      } else {
        node = try parse(batch.line(slot))
      }
      let record = Record(batch: batch, index: index)
      if slot.kind == .syncOperation, let selection = target.selection, !selection.takes(record) {
        recordPublicationState(of: node)
        tally[slot.kind].skipped[.notSelected, default: 0] += 1
        tally.rows.skipped += Int(slot.rows)
        continue
      }
      let outcome = try insert(node, slot.kind, isLast: false) { record.place() }
      switch outcome {
      case .created, .updated: tally[slot.kind].created += 1
      case .skipped(let reason):
        tally[slot.kind].skipped[reason, default: 0] += 1
        tally.rows.skipped += Int(slot.rows)
      case .rejected(let code, let message):
        tally.rows.rejected += Int(slot.rows)
        try reject(code, message, record.place(), &tally, rejects) {
          RejectedRecord(record, place: record.place().description, reasons: $0)
        }
      case .waiting: try wait(batch.line(slot).span, source: record.sourceBytes.span, place: record.place())
      }
      bytesTaken += slot.length
    }
    writeBack?.grown(to: bytesTaken)
  }

  private func parse(_ line: UnsafeBufferPointer<UInt8>) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line.span)
      return JSONNode(text: line.baseAddress ?? EncodedColumn.nowhere, tokens: tape.tokens, index: parse.root)
    } catch {
      throw RunFailure.damagedRecord(error)
    }
  }

  private func insert(
    _ node: JSONNode, _ kind: RecordKind, isLast: Bool, place: () -> Place
  ) throws -> RowOutcome {
    guard let rows else { return .skipped(.unwritten) }
    do throws(SQLiteError) {
      switch kind {
      case .item: return try rows.insertItem(try fitting(node, place), place: place)
      case .charter: return try rows.insertCharter(node, place: place)
      case .execution: return try rows.insertExecution(node, mayWait: !isLast, place: place)
      case .syncOperation: return try rows.insertOperation(node, mayWait: !isLast, place: place)
      default:
        let reason = SkipReason.noTable(kind)
        context.losses.record(kind, id: node.member("id")?.string ?? "", field: "", reason: .skipped(reason))
        return .skipped(reason)
      }
    } catch {
      throw Self.failure(error, target.path)
    }
  }

  // MARK: Publication

  /// Returns the item in the form that is valid in this library. An item may be public only if it can be withdrawn, and
  /// a selected item must not wait for operations that are not part of the selection.
  private func fitting(_ node: JSONNode, _ place: () -> Place) throws(SQLiteError) -> JSONNode {
    let hasIDs = PublishedRows.hasPublicIDs(schema.columns)
    let isPublic = node.member("visibility")?.equals("public") ?? false
    let becomesPrivate = isPublic && (!hasIDs || isSelection && node.isPublicWithoutID)
    let status = isSelection ? node.member("sync_status") : nil
    let waits = status?.equals("queued") ?? false || status?.equals("syncing") ?? false
    guard becomesPrivate || waits else { return node }
    let id = node.member("id")?.string ?? ""
    func lose(_ member: String, _ reason: LossReason) {
      context.losses.record(.item, id: id, field: "/" + member, reason: reason)
    }
    privateLine.removeAll()
    var separator = UInt8(ascii: "{")
    node.forEachMember { name, value in
      privateLine.append(separator)
      separator = UInt8(ascii: ",")
      privateLine.append(name.raw.span)
      privateLine.append(UInt8(ascii: ":"))
      if becomesPrivate, name.equals("visibility") {
        privateLine.append("\"private\"")
        lose("visibility", .publicWithoutID)
      } else if becomesPrivate, name.equals("published_at") || name.equals("public_metadata"), !value.isNull {
        privateLine.append("null")
        if hasIDs { lose(name.string ?? "", .itemIsPrivate) }
      } else if waits, name.equals("sync_status") {
        privateLine.append("\"pending\"")
        lose("sync_status", .operationNotSelected)
      } else {
        privateLine.append(value.raw.span)
      }
    }
    privateLine.append(UInt8(ascii: "}"))
    if becomesPrivate { reportPrivate(node, place()) }
    privateTape.removeAll()
    do throws(JSONError) {
      let parse = try privateTape.parse(privateLine.bytes.span)
      return JSONNode(
        text: privateLine.bytes.baseAddress ?? EncodedColumn.nowhere, tokens: privateTape.tokens, index: parse.root)
    } catch {
      return node
    }
  }

  /// Completes the publications of selected items. For a complete copy, reports the public items that cannot be
  /// withdrawn.
  private func finishPublications() throws(SQLiteError) {
    guard let published else { return }
    if isSelection {
      for id in unsent.subtracting(sent).sorted() {
        if let item = try published.makePrivate(id) { reportUnsent(item) }
      }
      return try published.completeAll()
    }
    for item in try published.incomplete() {
      let place = Place(
        file: target.name, row: Place.Row(table: "library_content", id: item.id, column: "visibility"))
      let code: DiagnosticCode = item.publicID == nil ? .publicWithoutID : .publicWithoutRow
      let what = item.publicID.map { "it is public as '\($0)', but the app could not withdraw it" }
      context.findings.report(
        Diagnostic(
          code, what ?? "it is marked as public but has no public id", at: place, record: "item \(item.id)",
          title: item.title, severity: .warning))
    }
  }

  /// Records the publication state of the item that a queued operation outside the selection refers to.
  private func recordPublicationState(of operation: JSONNode) {
    guard operation.member("operation")?.equals("publish") ?? false, let id = operation.member("content_id")?.string
    else { return }
    if operation.member("synced_at")?.kind == .string { sent.insert(id) } else { unsent.insert(id) }
  }

  /// Reports that an item becomes private here, because its publication is waiting or was refused in the source
  /// library.
  private func reportUnsent(_ item: PublishedRows.Item) {
    for member in ["visibility", "public_id", "published_at", "public_metadata", "sync_status"] {
      context.losses.record(
        .item, id: item.id, field: "/" + member, reason: .publicationNotSent)
    }
    let place = Place(
      file: target.name, row: Place.Row(table: "library_content", id: item.id, column: "visibility"))
    context.findings.report(
      Diagnostic(
        .publicationLeftOut, "its publication was never sent, so the item is private in the copy", at: place,
        record: "item \(item.id)", title: item.title, severity: .warning,
        fix: "publish it from the source library, or convert everything, including the queue",
        why: "the copy has no queue from which it could be sent"))
  }

  private func reportPrivate(_ node: JSONNode, _ place: Place) {
    let publicID = node.member("public_id")?.string ?? ""
    let record = "item \(node.member("id")?.string ?? "")"
    let title = node.member("title")?.string
    context.findings.report(
      publicID.isEmpty
        ? Diagnostic(
          .publicWithoutID, "it is marked as public but has no public id; it becomes private", at: place,
          record: record, title: title, severity: .warning, fix: "publish it again if it is meant to be public")
        : Diagnostic(
          .publicationLeftOut,
          "it is public as '\(publicID)', but becomes private, because schema \(schema.version) has no public ids",
          at: place,
          record: record, title: title, severity: .warning, fix: "if it should not stay public, withdraw it first",
          why: "it could not be withdrawn from the new library"))
  }

  private func reject(
    _ code: DiagnosticCode, _ message: String, _ place: Place, _ tally: inout Tally, _ rejects: RejectsWriter,
    _ make: ([RejectReason]) -> RejectedRecord
  ) throws {
    context.findings.report(Diagnostic(code, message, at: place))
    if context.onInvalid == .stop {
      throw RunFailure(.failed, "\(place): \(message); nothing was written")
    }
    let record = make([RejectReason(code: code.id, message: message, place: place.description)])
    tally[record.kind].rejected += 1
    try rejects.add(record)
  }

  /// Spools a record until all other records have been read. Its place, its source and the record itself take one line
  /// each.
  private func wait(
    _ line: Span<UInt8>, source: Span<UInt8>, place: Place
  ) throws {
    if waiting == nil { waiting = try LineSpool() }
    var head = ByteBuffer(capacity: 256)
    head.appendJSONString(place.description)
    try waiting?.append(head.bytes.span)
    head.removeAll()
    head.appendJSONString(source)
    try waiting?.append(head.bytes.span)
    try waiting?.append(line)
  }

  private func insertWaiting(_ tally: inout Tally, _ rejects: RejectsWriter) throws {
    guard let waiting else { return }
    try waiting.rewind()
    while try waiting.advance() {
      let text = (try? JSONDocument(parsing: waiting.line.span))?.root.string ?? ""
      guard try waiting.advance() else { return }
      let source = (try? JSONDocument(parsing: waiting.line.span))?.root.string ?? ""
      guard try waiting.advance() else { return }
      let line = waiting.line
      let kind = RecordLine.kind(of: line.span) ?? .foreign
      let place = Place(file: text)
      switch try insert(try parse(line), kind, isLast: true, place: { place }) {
      case .created, .updated: tally[kind].created += 1
      case .skipped(let reason): tally[kind].skipped[reason, default: 0] += 1
      case .waiting: tally[kind].skipped[.unwritten, default: 0] += 1
      case .rejected(let code, let message):
        let bytes = source.isEmpty ? Array(line) : Array(source.utf8)
        try reject(code, message, place, &tally, rejects) {
          var rejected = RejectedRecord(kind: kind, bytes: bytes, place: place.description, reasons: $0)
          rejected.id = RecordLine.id(of: line.span) ?? ""
          return rejected
        }
      }
    }
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    try insertWaiting(&tally, rejects)
    do throws(SQLiteError) {
      guard let holds = try finishRows() else { return }
      connection = nil
      writeBack?.rested()
      let complaint =
        holds
        ? try NewLibraryCheck.complaint(file.temporary) : "foreign keys do not hold"
      if let complaint {
        throw SQLiteError(code: SQLITE_CORRUPT, message: complaint, operation: "check the new library")
      }
    } catch {
      throw Self.failure(error, target.path)
    }
    stopWriteBack()
  }

  /// Creates the indexes and commits. Returns whether foreign keys hold, or nil if the library is already closed.
  private func finishRows() throws(SQLiteError) -> Bool? {
    rows = nil
    guard let connection else { return nil }
    try schema.makeIndexes(connection)
    // Queue rows are looked up by item, which requires the index.
    try finishPublications()
    published = nil
    try connection.execute("COMMIT")
    return try connection.rows("PRAGMA foreign_key_check").isEmpty
  }

  private func stopWriteBack() {
    writeBack?.stop()
    writeBack = nil
  }

  func finish() throws -> Int {
    return try file.publish()
  }

  func abort() {
    stopWriteBack()
    rows = nil
    published = nil
    connection = nil
    file.discard()
  }

  private static func failure(_ error: SQLiteError, _ path: String) -> RunFailure {
    RunFailure(
      .failed, "write library '\(path)': \(error.message) (while trying to \(error.operation))",
      advice: error.isFull ? "Free some space and run it again; nothing was changed." : nil)
  }
}

/// The file of a library that is being created. Reserves its name and configures SQLite for the fastest writing.
package enum NewLibraryFile {
  /// Reserves the name of a new library.
  /// - Throws: `RunFailure`: 4 if a file of that name exists, or a journal or log for it; 2 if the folder is not
  ///   writable.
  package static func reserve(_ path: String) throws -> AtomicFile {
    for suffix in ["-journal", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(path)': another library's '\(path)\(suffix)' exists",
        advice: "SQLite would apply it to the new library. Remove it, or choose another name.")
    }
    return try AtomicFile(path, overwrites: false)
  }

  /// Opens a reserved file and creates the tables, inside a transaction. No journal is used, because no other process
  /// can see the file yet. Indexes are created after the rows.
  static func open(_ file: AtomicFile, _ schema: AppSchema) throws(SQLiteError) -> SQLiteConnection {
    let connection = try SQLiteConnection(file.temporary, .create, .own)
    try connection.execute(
      """
      PRAGMA page_size = 16384; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;
      PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -24576; PRAGMA secure_delete = OFF;
      PRAGMA cell_size_check = OFF; PRAGMA foreign_keys = OFF; BEGIN
      """, as: "prepare a new library")
    try schema.makeTables(connection)
    return connection
  }
}

/// Checks a library that was just written, before it is renamed.
package enum NewLibraryCheck {
  /// Mapped pages are not cached, so checking their cells at every access would take most of the time. The check visits
  /// every cell anyway.
  private static let settings =
    "PRAGMA cache_size = -8192; PRAGMA mmap_size = 1099511627776; PRAGMA cell_size_check = OFF"

  /// Checks every page and the format of every row in a file that is not open for writing.
  ///
  /// Index entries are not compared with their tables. SQLite has just created the indexes from the tables, and
  /// comparing them would take as long as writing them.
  /// - Returns: the problem, or nil.
  /// - Throws: `SQLiteError` if the check could not run.
  static func complaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(path: path, access: .readImmutable, .own, setting: settings).wait()
  }

  /// Checks a file that replaces a user's library. In addition to the checks of `complaint`, compares every index entry
  /// with its table.
  /// - Returns: the problem, or nil.
  /// - Throws: `SQLiteError` if the check could not run.
  package static func thoroughComplaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(
      path: path, access: .readImmutable, .own, depth: .full, setting: settings
    ).wait()
  }
}
