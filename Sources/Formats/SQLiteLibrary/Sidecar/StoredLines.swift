import Content
import Diagnostics
import JSONText

/// Takes lines of the store for the records that they should be. The store is input like any other file: a line that is
/// not such a record is reported and rejected, and the others are read.
final class StoredLines {
  private let file: String
  private let findings: DiagnosticLog
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var tape = JSONTape(capacity: 1024)

  /// - Parameter file: the store, as findings name it.
  init(file: String, findings: DiagnosticLog) {
    self.file = file
    self.findings = findings
  }

  /// Appends a record to a batch, or to what the batch rejects.
  func append(_ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind, id: String, to batch: RecordBatch) {
    tape.removeAll()
    let node: JSONNode
    let traits: JSONTextTraits
    do throws(JSONError) {
      let parse = try tape.parse(line)
      guard let start = line.baseAddress else { throw JSONError(.empty, at: 0) }
      node = JSONNode(text: start, tokens: tape.tokens, index: parse.root)
      traits = parse.traits
    } catch {
      return reject(line, kind, id, "it is not JSON: \(error.message)", batch)
    }
    guard node.kind == .object, node.duplicateName == nil, node.member("kind")?.string == kind.name else {
      return reject(line, kind, id, "it is not one JSON object of the kind '\(kind.name)'", batch)
    }
    let start = batch.canonical.count
    if CanonicalCheck.look(node, kind: kind, traits: traits) != .unknown {
      batch.canonical.append(line)
    } else {
      canonicalizer.writeRecord(node, kind: kind, derivedID: { id }, into: &batch.canonical)
      if canonicalizer.rejected {
        batch.canonical.truncate(to: start)
        let errors = canonicalizer.issues.filter { $0.code.severity == .error }
        return reject(line, kind, id, errors.map(\.message).joined(separator: "; "), batch)
      }
    }
    batch.appendSlot(kind, from: start)
  }

  private func reject(
    _ line: UnsafeBufferPointer<UInt8>, _ kind: RecordKind, _ id: String, _ why: String, _ batch: RecordBatch
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
