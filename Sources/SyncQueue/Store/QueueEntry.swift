import Content

/// One row of a queue, with data of its item.
package struct QueueEntry: Sendable, Equatable {
  /// The id of the row.
  package let id: OperationID
  /// The item's id, as the row has it.
  package let contentID: String
  /// The operation, as the row has it; a later app may write operations that this version does not have.
  package let operation: String
  /// UTF-8 of the request; nil when there is none, or when it was not read.
  package var payload: [UInt8]?
  /// When it was queued, in the app's text form.
  package let createdAt: String
  /// The number of tries that it has used.
  package let retryCount: Int
  /// The last error.
  package let lastError: String?
  /// When it was sent.
  package let syncedAt: String?
  /// The time before which it is not retried.
  package let nextRetryAt: String?
  /// The item's title; nil when the item is missing.
  package var title: String?
  /// Whether others may make copies, according to the item.
  package var canFork = true
  /// The author of the original, if the item is a copy, according to the item.
  package var originalAuthor: String?

  /// The operation, when it is a known one.
  package var kind: QueueOperation? { QueueOperation(rawValue: operation) }
  /// Whether a run would send it, now or later.
  package var isLive: Bool { syncedAt == nil && retryCount < Self.tries }
  /// Whether it was given up.
  package var isFailed: Bool { syncedAt == nil && retryCount >= Self.tries }

  /// Whether it was given up because the registry or a check before sending refused it. One try was enough then,
  /// although the app's rule is to count all of them as used.
  package var wasRefused: Bool {
    guard let lastError else { return false }
    return SendingError.isRefusal(lastError) || SendingError.isUnsendable(lastError)
      || SendingError.isTerminal(lastError, operation: operation)
  }

  /// Advice for an operation that was refused, for which a retry is useless; nil when a retry may help, or there is no
  /// advice.
  /// - Parameter library: the library's name, quoted for a shell.
  package func advice(in library: String) -> String? {
    guard isFailed, let lastError else { return nil }
    if SendingError.isUnsendable(lastError) { return RefusalAdvice.correct }
    guard let status = SendingError.status(lastError) else { return nil }
    return RefusalAdvice.text(status, kind, library: library, contentID: contentID)
  }

  /// The number of tries before an operation is given up.
  package static let tries = QueueOperation.tries

  /// Whether the registry may have carried out this row although no answer arrived.
  ///
  /// A request that never reached the registry leaves no trace: neither a try nor an error. One that was refused for
  /// good was answered, and nothing was carried out.
  package var mayHaveArrived: Bool {
    if retryCount >= QueueOperation.tries, let lastError, SendingError.isRefusal(lastError) { return false }
    return retryCount > 0 || lastError.map { !SendingError.isOffline($0) } ?? false
  }
}
