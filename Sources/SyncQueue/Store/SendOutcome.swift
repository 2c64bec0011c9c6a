import Content
import RegistryClient

/// What became of an operation that was to be sent.
package enum SendOutcome: Sendable, Equatable {
  /// It is public, as the queue wanted it.
  case published(Publication)
  /// It is not public any more, or never was.
  case withdrawn
  /// It can never be done: the row is given up.
  case refused(Reason)
  /// Something else is public than the operation follows, with this digest: unless that came from this very queue, the
  /// operation is given up.
  case overtaken(digest: String, Reason)
  /// It was not done, or nobody knows: a try is used up.
  case tried(Reason)
  /// Nothing was there to take back, but something may still arrive: it is asked again after so many seconds.
  case again(String, seconds: Double)
  /// It goes back to the queue as it was. The text says why its request may have arrived all the same; nil when it
  /// reached nobody.
  case unsent(String?)

  /// What is known of a publication.
  package struct Publication: Sendable, Equatable {
    package var publicID: String
    package var registryID: String?
    package var digest: String?
    package var date: Timestamp?
    package var authorUsername: String?
    package var authorUserID: String?
    /// What the registry did otherwise than it was asked, a sentence each.
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

  /// Why something was not done.
  package struct Reason: Sendable, Equatable {
    /// For programs and counts: `conflict`, `server_error` …
    package var code: String
    /// One sentence for people.
    package var text: String
    /// What to do, as a sentence; nil when there is nothing to say.
    package var advice: String?

    package init(_ code: String, _ text: String, advice: String? = nil) {
      self.code = code
      self.text = text
      self.advice = advice
    }
  }
}

/// An operation that was taken out of the queue to be sent, with what is known at that moment.
package struct ClaimedOperation: Sendable, Equatable {
  package var row: QueueEntry
  /// Known and checked: only such rows are taken.
  package var kind: QueueOperation
  /// What the registry said last of the item.
  package var known: KnownPublication?
  /// The registry's id of the item that this one is a fork of, in place of the local one; nil when it stays as it is.
  package var parentID: String?
  /// The slug of that item, where its registry id has to be asked for.
  package var parentSlug: String?
  /// The digest that the item has when it is done; nil when nothing is published, or before it was checked.
  package var digest: String?
  /// Whether what it takes back may still be on its way to the registry.
  package var mayArriveLate = false
  /// See `QueueStore.epoch`.
  package var epoch: Int64
}
