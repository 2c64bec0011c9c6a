import Content
import Diagnostics
import JSONText
import SQLiteLibrary
import SyncQueue

/// One operation of the queue, as the doctor evaluates it.
struct QueueRow {
  let row: LibraryScan.Row
  var operation: SyncOperation
  /// The public id in the payload, in any of its spellings.
  let publicID: String?
  /// Whether the payload can be sent unchanged.
  let isSound: Bool
  /// Whether the row only marks the item as public, and does not record what was sent.
  let isMark: Bool
  /// The findings about the row.
  let findings: [Diagnostic]

  init(_ found: LibraryScan.Found) throws {
    guard let row = found.rows.first,
      case .syncOperation(let operation) = try TypedRecord(json: JSONDocument(parsing: found.line).root)
    else { throw ModelError(pointer: JSONPointer(), expected: "an operation") }
    self.row = row
    self.operation = operation
    let payload = operation.payload.flatMap { try? JSONDocument(parsing: $0).root }
    let id = (payload?["public_id"] ?? payload?["publicID"])?.string
    publicID = id?.isEmpty ?? true ? nil : id
    isSound = !found.findings.contains { $0.severity > .note && Self.payloadCodes.contains($0.code) }
    isMark =
      operation.syncedAt != nil && PublicIDPayload.isWhole(operation.payload)
      && operation.operation == SyncOperation.Operation.publish
    findings = found.findings
  }

  private static let payloadCodes: Set<DiagnosticCode> = [.payloadUndecodable, .payloadMissing, .payloadNotForkable]

  var isSent: Bool { operation.syncedAt != nil }
  /// Whether the app would send the operation at its next run.
  var isLive: Bool { !isSent && operation.retryCount < QueueOperation.tries }
  var isWithdrawal: Bool { operation.operation == SyncOperation.Operation.unpublish }
  var isUpdate: Bool { operation.operation == SyncOperation.Operation.publishUpdate }
  var isPublish: Bool { operation.operation == SyncOperation.Operation.publish }
  var isPublication: Bool { isUpdate || isPublish }

  /// Whether a row was queued before another one.
  static func isBefore(_ left: QueueRow, _ right: QueueRow) -> Bool {
    let first = left.operation.createdAt?.milliseconds ?? 0
    let second = right.operation.createdAt?.milliseconds ?? 0
    return first != second ? first < second : left.operation.id < right.operation.id
  }

  /// Whether the registry may have the content that this row was to publish, although no response arrived.
  /// - Parameter isBeingSent: whether the item was marked as being sent when the app stopped.
  func mayHaveArrived(isBeingSent: Bool) -> Bool {
    // The first build could not send any operation, and wrote no public id.
    guard isPublication, !isSent, publicID != nil else { return false }
    guard let error = operation.lastError else { return operation.retryCount > 0 || isBeingSent }
    return !SendingError.isOffline(error)
  }
}
