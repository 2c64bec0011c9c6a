import Content
import CSQLite
import Diagnostics
import Foundation
import Interchange
import JSONText
import SQLiteIO

/// Writes a new library as the app would have made it: today's schema or an older one, today's encodings.
///
/// Rows go into a temporary file without a journal and with large pages, indexes follow after the rows; then
/// the file is checked, synced and named. Rows that would break a foreign key are rejected.
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
  /// Records whose reference was not there yet when they came.
  private var waiting: LineSpool?
  /// Makes public items withdrawable; nil for a schema without a queue.
  private var published: PublishedRows?
  private var isSelection: Bool { target.selection != nil }
  /// Items with publications that were not sent, and those with publications that were.
  private var unsent = Set<String>()
  private var sent = Set<String>()
  /// An item that becomes private.
  private var privateLine = ByteBuffer(capacity: 1024)
  private var privateTape = JSONTape(capacity: 1024)

  init(_ target: Target, context: RunContext) throws {
    self.target = target
    self.context = context
    if target.isStandardOutput {
      throw RunFailure(.usage, "a library cannot be written to standard output", advice: "Name a file with --to.")
    }
    if target.overwrites, access(target.path, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(target.path)': a file of that name is there, and a library is never replaced",
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
        .usage, "write '\(target.path)': the app had no schema \(version)",
        advice: "Versions are: \(AppSchema.versions.joined(separator: ", ")).")
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
        note(leftOut: node)
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
      case .waiting: try wait(batch.line(slot), source: record.sourceBytes, place: record.place())
      }
      bytesTaken += slot.length
    }
    writeBack?.grown(to: bytesTaken)
  }

  private func parse(_ line: UnsafeBufferPointer<UInt8>) throws -> JSONNode {
    tape.removeAll()
    do throws(JSONError) {
      let parse = try tape.parse(line)
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

  /// The item as this library can have it: nothing is public here that nobody could withdraw, and of selected items
  /// nothing waits for operations that were left behind.
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
      privateLine.append(name.raw)
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
        privateLine.append(value.raw)
      }
    }
    privateLine.append(UInt8(ascii: "}"))
    if becomesPrivate { reportPrivate(node, place()) }
    privateTape.removeAll()
    do throws(JSONError) {
      let parse = try privateTape.parse(privateLine.bytes)
      return JSONNode(
        text: privateLine.bytes.baseAddress ?? EncodedColumn.nowhere, tokens: privateTape.tokens, index: parse.root)
    } catch {
      return node
    }
  }

  /// Completes what was selected, and says what a faithful copy has that cannot be withdrawn.
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
      let what = item.publicID.map { "it is public as '\($0)', and the app could not withdraw it" }
      context.findings.report(
        Diagnostic(
          code, what ?? "it is marked as public and has no public id", at: place, record: "item \(item.id)",
          title: item.title, severity: .warning))
    }
  }

  /// Remembers what a queued operation that was not selected says of its item.
  private func note(leftOut operation: JSONNode) {
    guard operation.member("operation")?.equals("publish") ?? false, let id = operation.member("content_id")?.string
    else { return }
    if operation.member("synced_at")?.kind == .string { sent.insert(id) } else { unsent.insert(id) }
  }

  /// Says of an item that it is private here, because its publication waits, or was refused, where it comes from.
  private func reportUnsent(_ item: PublishedRows.Item) {
    for member in ["visibility", "public_id", "published_at", "public_metadata", "sync_status"] {
      context.losses.record(
        .item, id: item.id, field: "/" + member, reason: .publicationNotSent)
    }
    let place = Place(
      file: target.name, row: Place.Row(table: "library_content", id: item.id, column: "visibility"))
    context.findings.report(
      Diagnostic(
        .publicationLeftOut, "its publication was not sent where it comes from; here it is private", at: place,
        record: "item \(item.id)", title: item.title, severity: .warning,
        fix: "publish it there, or convert everything: the queue comes along then",
        why: "nothing would send it from the copy"))
  }

  private func reportPrivate(_ node: JSONNode, _ place: Place) {
    let publicID = node.member("public_id")?.string ?? ""
    let record = "item \(node.member("id")?.string ?? "")"
    let title = node.member("title")?.string
    context.findings.report(
      publicID.isEmpty
        ? Diagnostic(
          .publicWithoutID, "it is marked as public and has no public id; it becomes private", at: place,
          record: record, title: title, severity: .warning, fix: "publish it again if it is meant to be public")
        : Diagnostic(
          .publicationLeftOut,
          "it is public as '\(publicID)'; schema \(schema.version) has no public ids, so it is private there",
          at: place,
          record: record, title: title, severity: .warning, fix: "withdraw it first if it should not stay public",
          why: "from there it could not be withdrawn"))
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

  /// Keeps a record until everything was read: its place, its source and itself, a line each.
  private func wait(
    _ line: UnsafeBufferPointer<UInt8>, source: UnsafeBufferPointer<UInt8>, place: Place
  ) throws {
    if waiting == nil { waiting = try LineSpool() }
    var head = ByteBuffer(capacity: 256)
    head.appendJSONString(place.description)
    try waiting?.append(head.bytes)
    head.removeAll()
    head.appendJSONString(source)
    try waiting?.append(head.bytes)
    try waiting?.append(line)
  }

  private func insertWaiting(_ tally: inout Tally, _ rejects: RejectsWriter) throws {
    guard let waiting else { return }
    try waiting.rewind()
    while try waiting.advance() {
      let text = (try? JSONDocument(parsing: waiting.line))?.root.string ?? ""
      guard try waiting.advance() else { return }
      let source = (try? JSONDocument(parsing: waiting.line))?.root.string ?? ""
      guard try waiting.advance() else { return }
      let line = waiting.line
      let kind = RecordLine.kind(of: line) ?? .foreign
      let place = Place(file: text)
      switch try insert(try parse(line), kind, isLast: true, place: { place }) {
      case .created, .updated: tally[kind].created += 1
      case .skipped(let reason): tally[kind].skipped[reason, default: 0] += 1
      case .waiting: tally[kind].skipped[.unwritten, default: 0] += 1
      case .rejected(let code, let message):
        let bytes = source.isEmpty ? Array(line) : Array(source.utf8)
        try reject(code, message, place, &tally, rejects) {
          var rejected = RejectedRecord(kind: kind, bytes: bytes, place: place.description, reasons: $0)
          rejected.id = RecordLine.id(of: line) ?? ""
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

  /// Makes the indexes and commits; whether foreign keys hold, nil when the library is closed already.
  private func finishRows() throws(SQLiteError) -> Bool? {
    rows = nil
    guard let connection else { return nil }
    try schema.makeIndexes(connection)
    // Rows of the queue are looked up by item: not before there is an index.
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

/// The file of a library that is being made: how its name is reserved and how SQLite writes it fastest.
package enum NewLibraryFile {
  /// Reserves the name of a new library.
  /// - Throws: `RunFailure`: 4 when a file of that name, or a journal or log for it, is there; 2 when the folder cannot
  ///   be written.
  package static func reserve(_ path: String) throws -> AtomicFile {
    for suffix in ["-journal", "-wal", "-shm"] where access(path + suffix, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(path)': '\(path)\(suffix)' of another library lies there",
        advice: "SQLite would mix the two up. Remove it, or choose another name.")
    }
    return try AtomicFile(path, overwrites: false)
  }

  /// Opens a reserved file and makes the tables, inside a transaction; nothing else can see the file yet, so there is
  /// no journal. Indexes follow after the rows.
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

/// Checks a library that was just written, before it gets its name.
package enum NewLibraryCheck {
  /// Mapped pages are not cached, so looking at their cells at every visit would take most of the time; the check itself
  /// looks at each of them.
  private static let settings =
    "PRAGMA cache_size = -8192; PRAGMA mmap_size = 1099511627776; PRAGMA cell_size_check = OFF"

  /// Checks every page and the form of every row of a file that is not open for writing.
  ///
  /// What indexes say is not held against their tables, which would take as long as writing them: SQLite made them of
  /// these tables a moment ago.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  static func complaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(path: path, access: .readImmutable, .own, setting: settings).wait()
  }

  /// Checks the entries of every index, too: for a file that takes the place of a user's library.
  /// - Returns: what is wrong with it, or nil.
  /// - Throws: `SQLiteError` when the check could not run.
  package static func thoroughComplaint(_ path: String) throws(SQLiteError) -> String? {
    try IntegrityCheck(
      path: path, access: .readImmutable, .own, depth: .full, setting: settings
    ).wait()
  }
}
