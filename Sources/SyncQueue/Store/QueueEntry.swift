import Content

/// One row of a queue, with what its item says.
package struct QueueEntry: Sendable, Equatable {
  /// Which row.
  package let id: OperationID
  /// The item's id, as the row has it.
  package let contentID: String
  /// What is asked for, as the row has it; a later app may write words that nobody knows here.
  package let operation: String
  /// UTF-8 of the request; nil when there is none, or when it was not asked for.
  package var payload: [UInt8]?
  /// When it was queued, in the app's text form.
  package let createdAt: String
  /// How many tries it has used.
  package let retryCount: Int
  /// What went wrong last.
  package let lastError: String?
  /// When it was sent.
  package let syncedAt: String?
  /// Before then it is not tried again.
  package let nextRetryAt: String?
  /// The item's title; nil when there is no such item.
  package var title: String?
  /// Whether others may make a copy, as the item says it.
  package var canFork = true
  /// Whose work it is where the item is a copy, as the item says it.
  package var originalAuthor: String?

  /// The operation, when it is a known one.
  package var kind: QueueOperation? { QueueOperation(rawValue: operation) }
  /// Whether a run would send it, now or later.
  package var isLive: Bool { syncedAt == nil && retryCount < Self.tries }
  /// Whether nobody tries it any more.
  package var isFailed: Bool { syncedAt == nil && retryCount >= Self.tries }

  /// Whether it was given up because it was refused, by the registry or before it was sent: then one try was enough,
  /// although the app's rule is to count them as all used up.
  package var wasRefused: Bool {
    guard let lastError else { return false }
    return SendingError.isRefusal(lastError) || SendingError.isUnsendable(lastError)
      || SendingError.isTerminal(lastError, operation: operation)
  }

  /// What helps an operation that was refused, which no other try does; nil where a try may help, or nothing is known.
  /// - Parameter library: the library's name, quoted for a shell.
  package func advice(in library: String) -> String? {
    guard isFailed, let lastError else { return nil }
    if SendingError.isUnsendable(lastError) { return RefusalAdvice.correct }
    guard let status = SendingError.status(lastError) else { return nil }
    return RefusalAdvice.text(status, kind, library: library, contentID: contentID)
  }

  /// How often an operation is tried before it is given up.
  package static let tries = QueueOperation.tries

  /// Whether the registry may have what this row asks for, though nobody heard of it.
  ///
  /// A request that reached nobody leaves no trace: neither a try nor an error. One that was refused for good was heard,
  /// and nothing was done.
  package var mayHaveArrived: Bool {
    if retryCount >= QueueOperation.tries, let lastError, SendingError.isRefusal(lastError) { return false }
    return retryCount > 0 || lastError.map { !SendingError.isOffline($0) } ?? false
  }
}
