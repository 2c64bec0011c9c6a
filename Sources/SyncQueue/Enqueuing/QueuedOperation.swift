import Content
import JSONText
import SQLiteLibrary

/// A row of a queue, with the values that enqueuing needs.
struct QueuedOperation {
  let row: Int64
  /// The app's name for the operation; a later app version may have more operations.
  let operation: String
  let payload: String?
  let retryCount: Int
  let lastError: String?
  let isSent: Bool
  /// The public id in the payload, under either spelling of the member name.
  let publicID: String?
  /// Whether the payload contains only the public id and no content.
  let saysOnlyID: Bool

  init(row: Int64, operation: String, payload: String?, retryCount: Int, lastError: String?, isSent: Bool) {
    self.row = row
    self.operation = operation
    self.payload = payload
    self.retryCount = retryCount
    self.lastError = lastError
    self.isSent = isSent
    let root = payload.flatMap { try? JSONDocument(parsing: $0).root }
    let id = (root?["public_id"] ?? root?["publicID"])?.string
    publicID = id?.isEmpty ?? true ? nil : id
    saysOnlyID = PublicIDPayload.isWhole(payload)
  }

  var isPublication: Bool { isPublish || isUpdate }
  var isPublish: Bool { operation == QueueOperation.publish.rawValue }
  var isUpdate: Bool { operation == QueueOperation.publishUpdate.rawValue }
  var isWithdrawal: Bool { operation == QueueOperation.unpublish.rawValue }
  /// Whether the operation has failed: its tries are used up, or it was refused.
  var isGivenUp: Bool { !isSent && retryCount >= QueueOperation.tries }

  /// Whether the operation was never sent, so that it may be removed from the queue without a record.
  var wasNeverAttempted: Bool {
    !isSent && retryCount == 0 && lastError.map(SendingError.isOffline) ?? true
  }

  /// Whether the registry may have published the item although no answer arrived. If the slug is taken, this item may
  /// have taken it.
  var mayHaveArrived: Bool { !isSent && !wasNeverAttempted }
}
