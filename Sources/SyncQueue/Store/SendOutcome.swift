import Content
import RegistryClient

/// The outcome of an operation that was to be sent.
package enum SendOutcome: Sendable, Equatable {
  /// It is public, as requested.
  case published(Publication)
  /// It is not public any more, or never was.
  case withdrawn
  /// It can never be carried out; the row is given up.
  case refused(Reason)
  /// The public version, with this digest, is not the one that the operation follows. Unless that version came from
  /// this queue, the operation is given up.
  case overtaken(digest: String, Reason)
  /// It was not carried out, or the outcome is unknown; a try is used up.
  case tried(Reason)
  /// There was nothing to withdraw, but a publication may still arrive; the request is repeated after the given
  /// seconds.
  case again(String, seconds: Double)
  /// It returns to the queue unchanged. The text is the reason why its request may nevertheless have arrived; nil when
  /// it never reached the registry.
  case unsent(String?)

  /// The known data of a publication.
  package struct Publication: Sendable, Equatable {
    package var publicID: String
    package var registryID: String?
    package var digest: String?
    package var date: Timestamp?
    package var authorUsername: String?
    package var authorUserID: String?
    /// Deviations of the registry from what was requested, a sentence each.
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

  /// Why an operation was not carried out.
  package struct Reason: Sendable, Equatable {
    /// For programs and counts: `conflict`, `server_error` …
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

/// An operation that was taken from the queue to be sent, with the data known at that moment.
package struct ClaimedOperation: Sendable, Equatable {
  package var row: QueueEntry
  /// A known operation: only such rows are claimed.
  package var kind: QueueOperation
  /// The registry's last answer about the item.
  package var known: KnownPublication?
  /// The registry's id of the item that this one is a fork of, in place of the local one; nil when the payload's value
  /// is kept.
  package var parentID: String?
  /// The slug of that item, where its registry id has to be asked for.
  package var parentSlug: String?
  /// The digest that the item will have afterwards; nil when nothing is published, or before the check.
  package var digest: String?
  /// Whether the publication that it withdraws may still be on its way to the registry.
  package var mayArriveLate = false
  /// See `QueueStore.epoch`.
  package var epoch: Int64
}
