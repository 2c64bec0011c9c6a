import Content

/// One queue row, with data about its item.
package struct QueueEntry: Sendable, Equatable {
  /// The id of the row.
  package let id: OperationID
  /// The item's id, as the row has it.
  package let contentID: String
  /// The operation, as the row has it; a later app version may write operations that this version does not have.
  package let operation: String
  /// The request in UTF-8; nil when there is none, or when it was not read.
  package var payload: [UInt8]?
  /// When the row was queued, in the app's text form.
  package let createdAt: String
  /// The number of tries that are used up.
  package let retryCount: Int
  /// The last error.
  package let lastError: String?
  /// When the row was sent.
  package let syncedAt: String?
  /// The time before which the row is not retried.
  package let nextRetryAt: String?
  /// The item's title; nil when the item is missing.
  package var title: String?
  /// Whether others may make copies, according to the item.
  package var canFork = true
  /// The author of the original, according to the item, if the item is a copy.
  package var originalAuthor: String?

  /// The operation; nil when it is not a known one.
  package var kind: QueueOperation? { QueueOperation(rawValue: operation) }
  /// Whether a run would send the row, now or later.
  package var isLive: Bool { syncedAt == nil && retryCount < Self.tries }
  /// Whether the operation has failed.
  package var isFailed: Bool { syncedAt == nil && retryCount >= Self.tries }

  /// Whether the operation failed because the registry or a check before sending refused it. A single try was enough in
  /// that case, although the row counts all tries as used, as the app does.
  package var wasRefused: Bool {
    guard let lastError else { return false }
    return SendingError.isRefusal(lastError) || SendingError.isUnsendable(lastError)
      || SendingError.isTerminal(lastError, operation: operation)
  }

  /// Returns advice for a refused operation, for which a retry is useless; nil when a retry may help, or there is no
  /// advice.
  /// - Parameter library: the library's name, quoted for a shell.
  package func advice(in library: String) -> String? {
    guard isFailed, let lastError else { return nil }
    if SendingError.isUnsendable(lastError) { return RefusalAdvice.correct }
    guard let status = SendingError.status(lastError) else { return nil }
    return RefusalAdvice.text(status, kind, library: library, contentID: contentID)
  }

  /// The number of tries after which an operation has failed.
  package static let tries = QueueOperation.tries

  /// Whether the registry may have carried out this row although no answer arrived.
  ///
  /// A request that never reached the registry leaves neither a used-up try nor an error. A permanently refused request
  /// was answered and not carried out.
  package var mayHaveArrived: Bool {
    if retryCount >= QueueOperation.tries, let lastError, SendingError.isRefusal(lastError) { return false }
    return retryCount > 0 || lastError.map { !SendingError.isOffline($0) } ?? false
  }
}
