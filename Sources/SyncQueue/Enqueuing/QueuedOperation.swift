import Content
import JSONText
import SQLiteLibrary

/// A row of a queue, as enqueuing weighs it.
struct QueuedOperation {
  let row: Int64
  /// In the app's words; a later app may have more of them.
  let operation: String
  let payload: String?
  let retryCount: Int
  let lastError: String?
  let isSent: Bool
  /// The public id in the payload, however it is spelled there.
  let publicID: String?
  /// Whether it says only which publication is meant, and not what was sent.
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
  /// Whether it was tried often enough, or refused for good.
  var isGivenUp: Bool { !isSent && retryCount >= QueueOperation.tries }

  /// Whether nobody has ever sent it: it may leave the queue as if it had never been there.
  var wasNeverAttempted: Bool {
    !isSent && retryCount == 0 && lastError.map(SendingError.isOffline) ?? true
  }

  /// Whether the registry may have what it was to publish, though nobody heard of it: a slug that is taken may be
  /// taken by this very item, whose answer got lost.
  var mayHaveArrived: Bool { !isSent && !wasNeverAttempted }
}
