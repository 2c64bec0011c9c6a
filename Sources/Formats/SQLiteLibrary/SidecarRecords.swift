import Content
import Diagnostics
import Foundation
import JSONText
import SQLiteIO

/// Reads the records for which the app has no table from a library's sidecar: decks, practice sessions, attachments and
/// foreign records. They are read together with the library. Nothing is changed.
final class SidecarRecords {
  private let connection: SQLiteConnection
  private let statement: SQLiteStatement
  private let lines: StoredLines
  /// Adds extras to decks (which are items), charters and executions.
  private let otherExtras: [ExtrasJoin]
  /// Adds extras to items that are in the library itself.
  let extras: ExtrasJoin

  /// Opens a library's sidecar; returns nil if the sidecar does not exist.
  /// - Throws: `SQLiteError` or `RunFailure` if the sidecar exists and cannot be read.
  init?(beside library: String, _ file: LibraryFile, findings: DiagnosticLog) throws {
    guard let connection = try StateStore.reading(of: library) else { return nil }
    self.connection = connection
    let path = Sidecar.path(of: library) + "/" + SidecarFolder.stateName
    lines = StoredLines(file: path, findings: findings)
    let version = try connection.number("PRAGMA user_version")
    if version > 1 {
      findings.report(
        Diagnostic(
          .newerLibrary,
          "a newer FleetKit wrote the library's sidecar; decks and other records in it are not read",
          at: Place(file: path)))
    }
    guard version == 1 else { return nil }
    var runs: [String] = []
    let importing = StateStore.importing.map { "'\($0)'" }.joined(separator: ", ")
    let intended = "SELECT id FROM runs WHERE state = 'intended' AND command IN (\(importing))"
    for row in try connection.rows(intended) {
      guard let id = row[0].flatMap(Int64.init) else { continue }
      let lookup = try LibraryLookup(file.connection, file.schema, path: library)
      if try StateStore.isCommitted(id, connection, lookup) { runs.append(String(id)) }
    }
    // The records of a killed run are valid once the run has committed to the library. They then replace the earlier
    // records.
    let staged = "SELECT kind, id, line FROM staged_records WHERE run IN (\(runs.joined(separator: ", ")))"
    let all = """
      \(staged) UNION ALL SELECT kind, id, line FROM records AS old
      WHERE NOT EXISTS (SELECT 1 FROM (\(staged)) AS new WHERE new.kind = old.kind AND new.id = old.id)
      """
    statement = try connection.prepare(
      """
      SELECT kind, id, line FROM (\(all))
      WHERE substr(kind, 1, \(SidecarExtras.prefix.utf8.count)) <> '\(SidecarExtras.prefix)' ORDER BY kind, id
      """, as: "read the sidecar")
    func join(_ kind: RecordKind, _ lines: StoredLines?) throws(SQLiteError) -> ExtrasJoin {
      let name = SidecarExtras.kind(of: kind)?.name ?? ""
      let kept = "SELECT id, line FROM (\(all)) WHERE kind = '\(name)' ORDER BY id"
      return try ExtrasJoin(kind, connection.prepare(kept), lines)
    }
    extras = try join(.item, lines)
    otherExtras = [try join(.item, nil), try join(.charter, lines), try join(.execution, lines)]
  }

  /// Appends the next record. Returns false at the end.
  func next(into batch: RecordBatch) throws(SQLiteError) -> Bool {
    guard try statement.step() else { return false }
    lines.append(
      statement.blob(at: 2), RecordKind(statement.text(at: 0) ?? ""), id: statement.text(at: 1) ?? "", to: batch)
    return true
  }

  /// Adds extras to the charters, executions and decks in a batch.
  func joinOthers(_ batch: RecordBatch) throws(SQLiteError) {
    for extras in otherExtras { try extras.join(batch) }
  }
}

/// Adds the extras in a library's sidecar to the library's records, which must arrive in the order of their ids.
///
/// Extras and records are read in parallel, so memory grows with neither.
final class ExtrasJoin {
  private let kind: RecordKind
  private let statement: SQLiteStatement
  /// Reports lines that cannot be read; nil if another join reports them.
  private let lines: StoredLines?
  private var id = ""
  private var isAtEnd = false
  private var tape = JSONTape(capacity: 64)
  private var own = JSONTape(capacity: 256)

  /// Starts reading extras.
  /// - Parameters:
  ///   - kind: the kind of the records that have these extras.
  ///   - statement: returns the id and the line of each record of extras, in the order of ids.
  ///   - lines: reports lines that cannot be read.
  init(_ kind: RecordKind, _ statement: SQLiteStatement, _ lines: StoredLines?) throws(SQLiteError) {
    self.kind = kind
    self.statement = statement
    self.lines = lines
    try advance()
  }

  private func advance() throws(SQLiteError) {
    isAtEnd = try !statement.step()
    if !isAtEnd { id = statement.text(at: 0) ?? "" }
  }

  /// Adds extras to the records of a batch.
  func join(_ batch: RecordBatch) throws(SQLiteError) {
    if isAtEnd { return }
    for index in batch.slots.indices where batch.slots[index].kind == kind && !isAtEnd {
      guard let record = RecordLine.id(of: batch.line(batch.slots[index]).span) else { continue }
      while !isAtEnd, id.utf8.lexicographicallyPrecedes(record.utf8) { try advance() }
      guard !isAtEnd, id.utf8.elementsEqual(record.utf8) else { continue }
      add(to: index, of: batch)
    }
  }

  private func add(to index: Int, of batch: RecordBatch) {
    tape.removeAll()
    own.removeAll()
    let kept = Array(statement.blob(at: 1))
    kept.withUnsafeBufferPointer { kept in
      guard let parse = try? tape.parse(kept.span), let start = kept.baseAddress,
        let extras = JSONNode(text: start, tokens: tape.tokens, index: parse.root).member("extras"),
        extras.kind == .object, extras.duplicateName == nil
      else {
        lines?.report("the extras of \(kind.name) \(id) are not a JSON object with extras", SidecarExtras.kind, id: id)
        return
      }
      if extras.raw.count <= 2 { return }
      let line = Array(batch.line(batch.slots[index]))
      line.withUnsafeBufferPointer { write(extras, $0, index, batch) }
    }
  }

  private func write(
    _ extras: JSONNode, _ line: UnsafeBufferPointer<UInt8>, _ index: Int, _ batch: RecordBatch
  ) {
    guard let parse = try? own.parse(line.span), let base = line.baseAddress else { return }
    let node = JSONNode(text: base, tokens: own.tokens, index: parse.root)
    let present = node.member("extras")
    // Insert after the row's own extras, or at the end of the object.
    let end = (present?.kind == .object ? present?.span.upperBound ?? line.count : line.count) - 1
    let start = batch.canonical.count
    batch.canonical.append(line.span.extracting(first: end))
    let raw = extras.raw
    let inner = raw.span.extracting(1..<raw.count - 1)
    if present?.kind == .object {
      if line[end - 1] != UInt8(ascii: "{") { batch.canonical.append(UInt8(ascii: ",")) }
      batch.canonical.append(inner)
    } else {
      batch.canonical.append(",\"extras\":{")
      batch.canonical.append(inner)
      batch.canonical.append(UInt8(ascii: "}"))
    }
    batch.canonical.append(line.span.extracting(droppingFirst: end))
    batch.slots[index].inSource = false
    batch.slots[index].start = start
    batch.slots[index].length = batch.canonical.count - start
    batch.slots[index].root = -1
    batch.canonical.append(0x0A)
  }
}

/// The extras that the sidecar keeps for a record: the formatting of an item's note, and another app's data.
///
/// The extras of each record are stored in `state.sqlite` as a record of a separate kind. A reader of the library
/// returns them as the record's `extras`.
/// - Source: formats/markdown.md, "What a record keeps of a note"; formats/json-bundle.md, "extras"
package enum SidecarExtras {
  /// The prefix of the kinds under which extras are stored. No source may import records of these kinds, because they
  /// would be mistaken for FleetKit's own records.
  package static let prefix = "fleetkit:extras"
  /// The kind under which items' extras are stored.
  package static let kind = RecordKind(prefix)

  /// Returns the kind under which the extras of a record kind are stored; nil if they are not kept.
  package static func kind(of record: RecordKind) -> RecordKind? {
    switch record {
    case .item: kind
    case .charter, .execution: RecordKind(prefix + "-" + record.name)
    default: nil
    }
  }

  /// Returns the record kind whose extras are stored under `kind`; nil if `kind` is not a kind of extras.
  package static func owner(of kind: String) -> RecordKind? {
    [RecordKind.item, .charter, .execution].first { self.kind(of: $0)?.name == kind }
  }

  /// Whether a member of extras is kept. All members are kept except those that the library derives from its rows.
  package static func holds(_ name: String) -> Bool {
    !["raw", "columns", "other_body", "quarantine"].contains(name)
  }

  /// Whether a member of extras is kept.
  package static func holds(_ name: JSONNode) -> Bool {
    name.string.map { holds($0) } ?? true
  }

  /// Returns the record that stores the extras; nil if no member of the extras is kept.
  /// - Parameters:
  ///   - record: the kind of the record whose extras are stored.
  ///   - id: the record's id in the library.
  ///   - source: the record's id in the source.
  ///   - before: the record of extras that is already stored. Its members are kept unless the source has them too.
  package static func line(
    of extras: JSONNode, _ record: RecordKind, id: String, inSource source: String, over before: [UInt8]? = nil
  ) -> [UInt8]? {
    guard let kind = kind(of: record) else { return nil }
    let pathID = id.utf8.elementsEqual(source.utf8) ? nil : source
    var line = ByteBuffer(capacity: extras.raw.count + 128)
    line.append("{\"kind\":")
    line.appendJSONString(kind.name)
    line.append(",\"id\":")
    line.appendJSONString(id)
    line.append(",\"extras\":{")
    var isEmpty = true
    if let before = before.flatMap({ try? JSONDocument(parsing: $0) }) {
      before.withRoot { root in
        root.member("extras")?.forEachMember { name, value in
          // The formatting and the origin of a note come from the last source only.
          guard holds(name), !name.equals("markdown"), !name.equals("provenance"), let text = name.string,
            extras.member(named: text) == nil
          else { return }
          if !isEmpty { line.append(UInt8(ascii: ",")) }
          isEmpty = false
          line.append(name.raw.span)
          line.append(UInt8(ascii: ":"))
          line.append(value.raw.span)
        }
      }
    }
    extras.forEachMember { name, value in
      guard holds(name) else { return }
      if !isEmpty { line.append(UInt8(ascii: ",")) }
      isEmpty = false
      line.append(name.raw.span)
      line.append(UInt8(ascii: ":"))
      if name.equals("markdown") { writeNote(value, pathID: pathID, into: &line) } else { line.append(value.raw.span) }
    }
    line.append("}}")
    return isEmpty ? nil : Array(line.bytes)
  }

  /// Writes a note's extras without the mark that its id was derived from its path, because all references in a library
  /// use the id.
  /// - Parameter pathID: the id derived from the note's path, if the item has another id.
  private static func writeNote(_ note: JSONNode, pathID: String?, into line: inout ByteBuffer) {
    var separator = UInt8(ascii: "{")
    let isDerived = note.member("derived_id")?.bool ?? false
    note.forEachMember { name, value in
      if name.equals("derived_id") || isDerived && name.equals("path_id") { return }
      line.append(separator)
      separator = UInt8(ascii: ",")
      line.append(name.raw.span)
      line.append(UInt8(ascii: ":"))
      line.append(value.raw.span)
    }
    if isDerived, let pathID {
      line.append(separator)
      separator = UInt8(ascii: ",")
      line.append("\"path_id\":")
      line.appendJSONString(pathID)
    }
    if separator == UInt8(ascii: "{") { line.append(separator) }
    line.append(UInt8(ascii: "}"))
  }
}

/// Checks lines of the store before they become records. The store is untrusted input like any other file. A line that
/// is not a record of the expected kind is reported and rejected, and the other lines are read.
final class StoredLines {
  private let file: String
  private let findings: DiagnosticLog
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var tape = JSONTape(capacity: 1024)

  /// - Parameter file: the store's path as findings show it.
  init(file: String, findings: DiagnosticLog) {
    self.file = file
    self.findings = findings
  }

  /// Appends a record to a batch, or to the batch's rejects.
  func append(_ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind, id: String, to batch: RecordBatch) {
    tape.removeAll()
    let node: JSONNode
    let traits: JSONTextTraits
    do throws(JSONError) {
      let parse = try tape.parse(line.span)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      node = JSONNode(text: start, tokens: tape.tokens, index: parse.root)
      traits = parse.traits
    } catch {
      return reject(line.span, kind, id, "it is not JSON: \(error.message)", batch)
    }
    guard node.kind == .object, node.duplicateName == nil, node.member("kind")?.string == kind.name else {
      return reject(line.span, kind, id, "it is not a single JSON object of the kind '\(kind.name)'", batch)
    }
    let start = batch.canonical.count
    if CanonicalCheck.classify(node, kind: kind, traits: traits) != .unknown {
      batch.canonical.append(line.span)
    } else {
      canonicalizer.writeRecord(node, kind: kind, derivedID: { id }, into: &batch.canonical)
      if canonicalizer.rejected {
        batch.canonical.truncate(to: start)
        let errors = canonicalizer.issues.filter { $0.code.severity == .error }
        return reject(line.span, kind, id, errors.map(\.message).joined(separator: "; "), batch)
      }
    }
    batch.appendSlot(kind, from: start)
  }

  private func reject(
    _ line: Span<UInt8>, _ kind: RecordKind, _ id: String, _ why: String, _ batch: RecordBatch
  ) {
    let place = report(why, kind, id: id)
    let reason = RejectReason(code: DiagnosticCode.storedRecordUnreadable.id, message: why, place: place.description)
    batch.rejected.append(
      RejectedRecord(kind: kind, bytes: Array(line), place: place.description, reasons: [reason]))
  }

  /// Reports a line that cannot be read.
  @discardableResult
  func report(_ why: String, _ kind: RecordKind, id: String) -> Place {
    let place = Place(file: file, row: Place.Row(table: "records", id: id, column: "line"))
    findings.report(Diagnostic(.storedRecordUnreadable, why, at: place, record: "\(kind.name) \(id)"))
    return place
  }
}

/// Checks a library's store: every page, and every record in it.
package enum StoreExamination {
  /// Checks the store without changing it.
  /// - Throws: `RunFailure` with status 4 if something in the sidecar folder is a symbolic link or belongs to another
  ///   user, 2 if the store contains objects that FleetKit never creates; `SQLiteError` if another run has locked
  ///   it.
  package static func run(of library: String, findings: DiagnosticLog) throws {
    let file = Sidecar.path(of: library) + "/" + SidecarFolder.stateName
    do {
      guard let connection = try StateStore.reading(of: library) else { return }
      if let complaint = try IntegrityCheck.complaint(connection, .full) {
        findings.report(Diagnostic(.storeDamaged, complaint, at: Place(file: file)))
      }
      let known = try connection.number("SELECT count(*) FROM sqlite_schema WHERE name = 'records'")
      guard known > 0 else { return }
      let lines = StoredLines(file: file, findings: findings)
      let statement = try connection.prepare("SELECT kind, id, line FROM records ORDER BY kind, id")
      while try statement.step() {
        let kind = RecordKind(statement.text(at: 0) ?? "")
        let batch = RecordBatch(locator: FileLocator(file), capacity: statement.blob(at: 2).count + 64)
        lines.append(statement.blob(at: 2), kind, id: statement.text(at: 1) ?? "", to: batch)
      }
    } catch let error as SQLiteError where !error.isBusy {
      findings.report(Diagnostic(.storeDamaged, error.message, at: Place(file: file)))
    }
  }
}
