import Content
import Diagnostics
import Foundation
import JSONText

/// Keeps records that could not be used: the records themselves, byte for byte and ready to be read again, and
/// beside them the reasons, one line each.
///
/// The files are made at the first reject and get their names when the run succeeds.
public final class RejectsWriter {
  /// Where rejects go, without an ending.
  private let base: String
  private let fileExtension: String
  private var records: AtomicFile?
  private var reasons: AtomicFile?
  private var recordSink: ByteSink?
  private var reasonSink: ByteSink?
  /// How many records were rejected.
  public private(set) var count = 0

  /// Rejects of a run that writes `target`; `json` sources reject into one JSON array, others into lines.
  public init(target: String, asArray: Bool) {
    // Beside standard output lies the folder that the command runs in.
    // Rejects of a folder lie beside it, not in it.
    let name = target.count > 1 && target.hasSuffix("/") ? String(target.dropLast()) : target
    base = (name == "-" ? "fleetkit-output" : name) + ".rejects"
    fileExtension = asArray ? "json" : "jsonl"
  }

  /// Rejects of a run that has a place of its own for them.
  /// - Parameter base: the path without an ending.
  public init(base: String, asArray: Bool) {
    self.base = base
    fileExtension = asArray ? "json" : "jsonl"
  }

  /// Adds a record.
  /// - Throws: `RunFailure` when the files cannot be written.
  package func add(_ record: RejectedRecord) throws {
    count += 1
    if recordSink == nil {
      let records = try AtomicFile("\(base).\(fileExtension)", overwrites: true)
      let reasons = try AtomicFile("\(base).reasons.jsonl", overwrites: true)
      recordSink = ByteSink(descriptor: records.descriptor, name: records.target)
      reasonSink = ByteSink(descriptor: reasons.descriptor, name: reasons.target)
      self.records = records
      self.reasons = reasons
      if fileExtension == "json" { try recordSink?.write("[\n") }
    } else if fileExtension == "json" {
      try recordSink?.write(",\n")
    }
    if fileExtension == "json" {
      try record.bytes.withUnsafeBufferPointer { try recordSink?.write($0) }
    } else {
      // A record of a document may span lines; between its tokens a space says the same as a line end.
      let line = record.bytes.map { $0 == 0x0A || $0 == 0x0D ? 0x20 : $0 }
      try line.withUnsafeBufferPointer { try recordSink?.write($0) }
      try recordSink?.write("\n")
    }
    try reasonSink?.write(reasonLine(record))
  }

  private func reasonLine(_ record: RejectedRecord) -> String {
    var line = ByteBuffer()
    line.append("{\"record\":")
    line.append(utf8: String(count))
    line.append(",\"kind\":")
    line.appendJSONString(record.kind.name)
    line.append(",\"place\":")
    line.appendJSONString(record.place)
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

  /// Gives the files their names.
  /// - Returns: the path of the rejected records, nil when there are none.
  /// - Throws: `RunFailure` when the files cannot be written.
  public func publish() throws -> String? {
    guard let records, let reasons else { return nil }
    if fileExtension == "json" { try recordSink?.write("\n]\n") }
    try recordSink?.flush()
    try reasonSink?.flush()
    try reasons.publish()
    try records.publish()
    return records.target
  }
}
