import Content
import RegistryClient

/// The outcome of sending an operation.
package enum SendOutcome: Sendable, Equatable {
  /// The item is public, as requested.
  case published(Publication)
  /// The item is no longer public, or never was.
  case withdrawn
  /// The operation can never be carried out; the row fails.
  case refused(Reason)
  /// The public version, with this digest, is not the one that the operation follows. The operation fails unless that
  /// version came from this queue.
  case overtaken(digest: String, Reason)
  /// The operation was not carried out, or the outcome is unknown; a try is used up.
  case tried(Reason)
  /// There was nothing to withdraw, but a publication may still arrive; the request is repeated after the given number
  /// of seconds.
  case again(String, seconds: Double)
  /// The operation returns to the queue unchanged. The string is the reason why its request may nevertheless have
  /// arrived; nil when the request never reached the registry.
  case unsent(String?)

  /// The known data of a publication.
  package struct Publication: Sendable, Equatable {
    package var publicID: String
    package var registryID: String?
    package var digest: String?
    package var date: Timestamp?
    package var authorUsername: String?
    package var authorUserID: String?
    /// The registry's deviations from the request, a sentence each.
    package var notes: [String] = []

    init(_ receipt: PublicationReceipt) {
      publicID = receipt.publicID
      registryID = receipt.id
      digest = receipt.digest
      date = receipt.date
      authorUsername = receipt.authorUsername
      authorUserID = receipt.authorUserID
      notes = receipt.notes
    }

    init(publicID: String, digest: String) {
      self.publicID = publicID
      self.digest = digest
    }
  }

  /// The reason why an operation was not carried out.
  package struct Reason: Sendable, Equatable {
    /// A code for programs and counts: `conflict`, `server_error` …
    package var code: String
    /// One sentence for people.
    package var text: String
    /// What to do, as a sentence; nil when there is no advice.
    package var advice: String?

    package init(_ code: String, _ text: String, advice: String? = nil) {
      self.code = code
      self.text = text
      self.advice = advice
    }
  }
}

/// An operation that was taken from the queue to be sent, with the data known at that time.
package struct ClaimedOperation: Sendable, Equatable {
  package var row: QueueEntry
  /// The operation, which is a known one: only such rows are claimed.
  package var kind: QueueOperation
  /// The registry's last answer about the item.
  package var known: KnownPublication?
  /// The registry's id of the original that this item is a fork of, which replaces the local id; nil when the payload's
  /// value is kept.
  package var parentID: String?
  /// The original's slug, when its registry id has to be requested.
  package var parentSlug: String?
  /// The digest that the item will have after the operation; nil when nothing is published, or before the check.
  package var digest: String?
  /// Whether the publication that this operation withdraws may still be in transit to the registry.
  package var mayArriveLate = false
  /// The epoch in which the operation was claimed; see `QueueStore.epoch`.
  package var epoch: Int64
}
