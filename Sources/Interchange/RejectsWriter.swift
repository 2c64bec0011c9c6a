import Content
import Diagnostics
import Foundation
import JSONText

/// Stores records that could not be used. The records themselves are stored byte for byte, so that they can be read
/// again. A file next to them contains the reasons, one line for each record. Rows of a table are stored in a separate
/// file, under the table's header.
///
/// The files are made when the first record is rejected, and get their names when the run succeeds.
public final class RejectsWriter {
  /// The path of the rejects without an extension: a path, or a name in `folder`.
  private let base: String
  private let folder: OpenFolder?
  private let fileExtension: String
  private var records: Output?
  private var reasons: Output?
  private let rows: RejectedRows
  /// A file that gets its name when the run succeeds, with its sink.
  private struct Output {
    let file: AtomicFile
    let sink: ByteSink

    init(_ file: AtomicFile) {
      self.file = file
      sink = ByteSink(descriptor: file.descriptor, name: file.target)
    }

    func publish() throws {
      try sink.flush()
      try file.publish()
    }
  }

  /// The origin of rows that were rejected before; nil if their table provides the origin.
  private let origin: String?
  /// Receives every reject before it is stored.
  package var observer: ((RejectedRecord) throws -> Void)?
  /// The number of records in the records file.
  private var recordCount = 0
  /// The number of bytes of the rejected records.
  private var recordBytes = 0
  /// The maximum number of bytes of reasons, in addition to eight bytes for each byte of the rejected records.
  private static let reasonBytes = 64 << 20
  /// The number of rejected records, and of rejected rows whose records continue without them.
  public private(set) var count = 0

  /// Creates the rejects of a run that writes `target`. With `asArray`, records are rejected into one JSON array,
  /// otherwise into lines.
  public convenience init(target: String, asArray: Bool) {
    // Rejects for standard output go to the current folder. Rejects for a folder go next to that folder, not into it.
    let name = target.count > 1 && target.hasSuffix("/") ? String(target.dropLast()) : target
    self.init(base: (name == "-" ? "fleetkit-output" : name) + ".rejects", asArray: asArray)
  }

  /// Creates the rejects of a run that has a separate location for them.
  /// - Parameters:
  ///   - base: the path without an extension.
  ///   - origin: the origin of rows that were rejected before and are read again; nil if their table provides the
  ///     origin.
  public convenience init(base: String, asArray: Bool, origin: TableOrigin? = nil) {
    self.init(base: base, in: nil, asArray: asArray, origin: origin)
  }

  /// Creates the rejects of a run in an open folder.
  /// - Parameters:
  ///   - base: the name in the folder without an extension, or a path if there is no folder.
  ///   - origin: the origin of rows that were rejected before and are read again; nil if their table provides the
  ///     origin.
  package init(base: String, in folder: OpenFolder?, asArray: Bool, origin: TableOrigin?) {
    self.base = base
    self.folder = folder
    self.origin = origin?.json
    fileExtension = asArray ? "json" : "jsonl"
    rows = RejectedRows(base: base, in: folder)
  }

  static func file(_ name: String, in folder: OpenFolder?) throws -> AtomicFile {
    try folder.map { try AtomicFile(name, in: $0, overwrites: true) } ?? AtomicFile(name, overwrites: true)
  }

  /// Adds a record, or some rows of a record.
  /// - Throws: `RunFailure` if the files cannot be written.
  package func add(_ record: RejectedRecord) throws {
    count += 1
    recordBytes += record.bytes.count
    try observer?(record)
    let output = try reasons ?? Output(Self.file("\(base).reasons.jsonl", in: folder))
    reasons = output
    if let table = record.table {
      let (name, number, isNew) = try rows.add(record.bytes, rows: Int(record.rows), of: table)
      if isNew { try output.sink.write(RejectReasons.head(of: name, origin: origin ?? table.origin)) }
      try output.sink.write(RejectReasons.line(of: record, number: number, file: name))
    } else {
      try addRecord(record)
      try output.sink.write(RejectReasons.line(of: record, number: recordCount, file: nil))
    }
    if output.sink.count > Self.reasonBytes + 8 * recordBytes {
      throw RunFailure(
        .failed,
        "\(count) records have been rejected, and the reasons take \(output.sink.count >> 20) MiB; the run ends here. "
          + "The last reject: \(record.place): \(record.reasons.first?.message ?? "")",
        advice: "Check that this is the right file: 'fleetkit validate' shows what is wrong with it.")
    }
  }

  /// Reports and stores a record that a writer cannot use.
  /// - Throws: `RunFailure` if the run stops at the first reject, or the files cannot be written.
  package func add(
    _ record: Record, _ code: DiagnosticCode, _ message: String, _ tally: inout Tally, _ context: RunContext
  ) throws {
    let place = record.place()
    context.findings.report(
      Diagnostic(code, message, at: place, record: "\(record.kind) \(record.id)", title: record.title))
    if context.onInvalid == .stop { throw RunFailure(.failed, "\(place): \(message); nothing was written") }
    tally[record.kind].rejected += 1
    tally.rows.rejected += Int(record.slot.rows)
    let reason = RejectReason(code: code.id, message: message, place: place.description)
    try add(RejectedRecord(record, place: place.description, reasons: [reason]))
  }

  private func addRecord(_ record: RejectedRecord) throws {
    recordCount += 1
    let sink: ByteSink
    if let records {
      sink = records.sink
      if fileExtension == "json" { try sink.write(",\n") }
    } else {
      let output = Output(try Self.file("\(base).\(fileExtension)", in: folder))
      records = output
      sink = output.sink
      if fileExtension == "json" { try sink.write("[\n") }
    }
    if fileExtension == "json" {
      try sink.write(record.bytes.span)
    } else {
      // A record of a document may span lines. Between its tokens, a space is equivalent to a line end.
      let line = record.bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
      try sink.write(line.span)
      try sink.write("\n")
    }
  }

  /// Gives the files their names.
  /// - Returns: The paths of the files of rejected records and rows; empty if nothing was rejected.
  /// - Throws: `RunFailure` if the files cannot be written.
  @discardableResult
  public func publish() throws -> [String] {
    guard let reasons else { return [] }
    if fileExtension == "json" { try records?.sink.write("\n]\n") }
    try records?.sink.flush()
    try reasons.publish()
    try records?.publish()
    return (records.map { [$0.file.target] } ?? []) + (try rows.publish())
  }
}

/// Rejected rows, for separate files. Each table has one file with its header and the original rows.
///
/// Until the run ends, the rows are in one unnamed file, so that many tables need only one file.
private final class RejectedRows {
  private struct Table {
    let table: RejectTable
    /// The number of rows.
    var rows = 0
    /// The positions of the rows in the spool.
    var stretches: [Range<Int>] = []
  }

  private let base: String
  private let folder: OpenFolder?
  private var tables: [Table] = []
  private var spool: (file: UnlinkedFile, sink: ByteSink)?

  /// - Parameter base: the path without an extension, or the name in the folder.
  init(base: String, in folder: OpenFolder?) {
    self.base = base
    self.folder = folder
  }

  var isEmpty: Bool { tables.isEmpty }

  /// Adds rows of a table.
  /// - Returns: The name of the table's file, the number of the first added row in that file, and whether the table is
  ///   new.
  func add(_ bytes: [UInt8], rows: Int, of table: RejectTable) throws -> (name: String, number: Int, isNew: Bool) {
    // Rows come table by table, so the last table is nearly always the matching one.
    let known = tables.lastIndex { $0.table.isSame(as: table) }
    let index = known ?? tables.count
    if known == nil { tables.append(Table(table: table)) }
    if spool == nil {
      let file = try UnlinkedFile()
      spool = (file, ByteSink(descriptor: file.descriptor, name: file.name))
    }
    guard let sink = spool?.sink else { return ("", 0, false) }
    let start = sink.count
    try sink.write(bytes.span)
    let lineEnd = table.lineEnd
    try sink.write(lineEnd.span)
    if let last = tables[index].stretches.last, last.upperBound == start {
      tables[index].stretches[tables[index].stretches.count - 1] = last.lowerBound..<sink.count
    } else {
      tables[index].stretches.append(start..<sink.count)
    }
    let number = tables[index].rows + 1
    tables[index].rows += max(1, rows)
    return ((path(index) as NSString).lastPathComponent, number, known == nil)
  }

  /// Returns the path of a table's file. The first table's file is named like the run's rejects; the other names
  /// contain a number.
  private func path(_ index: Int) -> String {
    base + (index == 0 ? "" : "-\(index + 1)") + "." + tables[index].table.fileExtension
  }

  /// Writes the files and gives them their names.
  /// - Returns: The files' paths.
  /// - Throws: `RunFailure` if a file cannot be written.
  func publish() throws -> [String] {
    guard let spool else { return [] }
    try spool.sink.flush()
    var paths: [String] = []
    for (index, table) in tables.enumerated() {
      let file = try RejectsWriter.file(path(index), in: folder)
      let sink = ByteSink(descriptor: file.descriptor, name: file.target)
      let header = table.table.header
      try sink.write(header.span)
      for stretch in table.stretches { try spool.file.read(stretch) { try sink.write($0) } }
      try sink.flush()
      try file.publish()
      paths.append(file.target)
    }
    return paths
  }
}

/// Writes the lines of the reasons file that accompanies rejected records.
private enum RejectReasons {
  /// Returns the first line of a table, which contains the file that its rows are in, and the data needed to read the
  /// rows again.
  static func head(of file: String, origin: String) -> String {
    var line = ByteBuffer()
    line.append("{\"rejects\":")
    line.appendJSONString(file)
    line.append(",\"origin\":")
    line.append(utf8: origin.isEmpty ? "{}" : origin)
    line.append("}\n")
    return String(decoding: line.bytes, as: UTF8.self)
  }

  /// Returns the reasons for rejecting a record, or some of its rows.
  /// - Parameters:
  ///   - number: the record's number in its file, from 1; headers do not count.
  ///   - file: the file that rows are in; nil for records, which are all in one file.
  static func line(of record: RejectedRecord, number: Int, file: String?) -> String {
    var line = ByteBuffer()
    line.append("{")
    if let file {
      line.append("\"rejects\":")
      line.appendJSONString(file)
      line.append(",")
    }
    line.append("\"record\":")
    line.append(utf8: String(number))
    if file != nil, record.rows > 1 {
      line.append(",\"rows\":")
      line.append(utf8: String(record.rows))
    }
    line.append(",\"kind\":")
    line.appendJSONString(record.kind.name)
    line.append(",\"place\":")
    line.appendJSONString(record.place)
    switch record.after {
    case .unknown: break
    case .first: line.append(",\"after\":null")
    case .behind(let step):
      line.append(",\"after\":")
      line.appendJSONString(step)
    }
    if !record.above.isEmpty {
      line.append(",\"above\":{")
      for (index, entry) in record.above.sorted(by: { $0.key < $1.key }).enumerated() {
        if index > 0 { line.append(",") }
        line.appendJSONString(entry.key)
        line.append(":")
        line.appendJSONString(entry.value)
      }
      line.append("}")
    }
    line.append(",\"reasons\":[")
    for (index, reason) in record.reasons.enumerated() {
      if index > 0 { line.append(",") }
      line.append("{\"code\":")
      line.appendJSONString(reason.code)
      line.append(",\"message\":")
      line.appendJSONString(reason.message)
      line.append(",\"place\":")
      line.appendJSONString(reason.place)
      line.append("}")
    }
    line.append("]}\n")
    return String(decoding: line.bytes, as: UTF8.self)
  }
}
