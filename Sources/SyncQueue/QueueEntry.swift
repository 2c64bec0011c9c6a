import Content
import Diagnostics

/// One queue row, with data about its item.
package struct QueueEntry: Sendable, Equatable {
  /// The id of the row.
  package let id: OperationID
  /// The item's id, as the row has it.
  package let contentID: String
  /// The operation, as the row has it; a later app version may write operations that this version does not have.
  package let operation: String
  /// The request in UTF-8; nil if there is none, or if it was not read.
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
  /// The item's title; nil if the item is missing.
  package var title: String?
  /// Whether others may make copies, according to the item.
  package var canFork = true
  /// The author of the original, according to the item, if the item is a copy.
  package var originalAuthor: String?

  /// The operation; nil if it is unknown.
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

  /// Returns advice for a refused operation, for which a retry is useless; nil if a retry may help, or there is no
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

/// The queue that a row belongs to.
package enum QueuePlace: UInt8, Sendable, CaseIterable {
  /// The app's own table, in the library.
  case library
  /// The table in the sidecar for decks, for which the app has no table.
  case beside
}

/// The id of a queue row, as people write it: `12` in the library, `d12` in the sidecar.
package struct OperationID: Hashable, Sendable, Comparable, CustomStringConvertible {
  /// The queue.
  package let place: QueuePlace
  /// The row's number in that queue.
  package let number: Int64

  /// Creates an instance from its members.
  package init(_ place: QueuePlace, _ number: Int64) {
    self.place = place
    self.number = number
  }

  /// Parses an id as people type it; returns nil if the string is not an id.
  package init?(_ text: String) {
    let digits = text.hasPrefix("d") ? text.dropFirst() : text[...]
    guard let number = Int64(digits), number > 0, digits.allSatisfy(\.isNumber) else { return nil }
    self.init(text.hasPrefix("d") ? .beside : .library, number)
  }

  package var description: String { place == .library ? String(number) : "d\(number)" }

  package static func < (left: OperationID, right: OperationID) -> Bool {
    left.place == right.place ? left.number < right.number : left.place.rawValue < right.place.rawValue
  }
}

/// The operation of a queue row, under the app's names.
public enum QueueOperation: String, Sendable, CaseIterable {
  /// Publishes an item that is not public.
  case publish
  /// Replaces the public version.
  case publishUpdate = "publish_update"
  /// Withdraws the item.
  case unpublish
}

extension QueueOperation {
  /// The number of tries after which an operation has failed.
  package static let tries = 3
}

/// Determines from an operation's last error message how far the request got.
package enum SendingError {
  /// Whether the device could not reach the network, so that the registry never received the request.
  ///
  /// - Source: Apple's URL loading errors: no connection, no roaming, no data, host not found or not reachable.
  package static func isOffline(_ text: String) -> Bool {
    if ["-1009", "-1018", "-1020", "-1003", "-1004", "-1006"].contains(where: { has($0, in: text) }) { return true }
    let lower = text.lowercased()
    return ["offline", "not connected to the internet", "no internet connection", "could not connect to the server"]
      .contains(where: lower.contains)
  }

  /// Whether the message is a registry refusal as `sync` records it: a sentence followed by the status, `… (409)`.
  static func isRefusal(_ text: String) -> Bool { status(text) != nil }

  /// The status of the registry's refusal; nil if `sync` has not recorded one.
  static func status(_ text: String) -> Int? {
    [400, 403, 404, 409, 410, 412, 413, 415, 422].first { text.contains("(\($0))") }
  }

  /// Whether the operation was never sent because of its payload, as `sync` records it.
  fileprivate static func isUnsendable(_ text: String) -> Bool {
    ["not sent, the payload breaks", "the payload ", "the operation has no payload"].contains(where: text.hasPrefix)
  }

  /// Whether the registry refused the operation and would refuse it again.
  /// - Parameter operation: the operation; 409 is final only for `publish`, where it means that the public id is taken.
  package static func isTerminal(_ text: String, operation: String) -> Bool {
    let lower = text.lowercased()
    if has("403", in: text) || lower.contains("forbidden") { return true }
    guard operation == "publish" else { return false }
    return has("409", in: text) || lower.contains("already exists")
  }

  /// Whether a message contains a number as a separate word.
  private static func has(_ number: String, in text: String) -> Bool {
    for range in text.ranges(of: number) {
      let before = range.lowerBound > text.startIndex ? text[text.index(before: range.lowerBound)] : " "
      let after = range.upperBound < text.endIndex ? text[range.upperBound] : " "
      if !before.isNumber, before != "-" || number.hasPrefix("-"), !after.isNumber { return true }
    }
    return false
  }
}

/// Advice on registry refusals, shown when an operation is sent and when it is listed later.
enum RefusalAdvice {
  /// - Parameters:
  ///   - status: the registry's HTTP status.
  ///   - operation: the operation that was refused.
  ///   - library: the library's name, quoted for a shell.
  ///   - contentID: the item's id.
  /// - Returns: what to do; nil if there is no advice.
  static func text(_ status: Int, _ operation: QueueOperation?, library: String, contentID: String) -> String? {
    switch (status, operation) {
    case (409, .publish):
      "Remove it with 'fleetkit queue cancel', then publish the item again; it gets another public id."
    case (404, .publishUpdate):
      "Withdraw it with 'fleetkit unpublish', then publish it again; it gets another public id."
    case (404, _): nil
    case (412, _):
      "'fleetkit pull \(library) --id \(contentID)' merges both versions; 'fleetkit update \(library) --id \(contentID)"
        + " --take local' replaces the public version; '--take remote' accepts it."
    case (403, _): "Sign in as its owner, or remove it with 'fleetkit queue cancel'."
    case (413, _): "Split it into two items, and publish both."
    default: correct
    }
  }

  /// Advice for content that does not meet the rules.
  static let correct = "Correct the item, then publish or update it again."
}
