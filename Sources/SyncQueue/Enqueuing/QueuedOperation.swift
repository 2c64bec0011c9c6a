import Content
import JSONText
import SQLiteLibrary

/// A row of a queue, with the values that enqueuing needs.
struct QueuedOperation {
  let row: Int64
  /// The app's name for the operation; a later app may have more of them.
  let operation: String
  let payload: String?
  let retryCount: Int
  let lastError: String?
  let isSent: Bool
  /// The public id in the payload, in any spelling.
  let publicID: String?
  /// Whether its payload contains only the public id, and not the content that was sent.
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
  /// Whether its tries are used up, or it was refused for good.
  var isGivenUp: Bool { !isSent && retryCount >= QueueOperation.tries }

  /// Whether it was never sent: it may then be removed from the queue without a trace.
  var wasNeverAttempted: Bool {
    !isSent && retryCount == 0 && lastError.map(SendingError.isOffline) ?? true
  }

  /// Whether the registry may have published it although no answer arrived: if its slug is taken, it may be taken by
  /// this very item.
  var mayHaveArrived: Bool { !isSent && !wasNeverAttempted }
}
