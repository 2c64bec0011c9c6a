import Content
import Publishing

/// An owner's operation on publications.
public enum ContentOperation: Sendable {
  /// Publishes a new item.
  case publish(PublishRequest)
  /// Changes the given members. If a precondition is given, the item is changed only if its digest meets it.
  case update(publicID: String, PublishChange, ifMatch: Precondition?)
  /// Unpublishes an item. Its address answers 404 afterwards; its slug stays taken.
  case unpublish(publicID: String, ifMatch: Precondition?)

  /// The precondition in a request's `If-Match`.
  public enum Precondition: Sendable, Equatable {
    /// `*`: the item exists.
    case any
    /// The item has one of these digests.
    case digests([[UInt8]])
  }
}

/// The result of one operation.
public enum OperationResult: Sendable, Equatable {
  case published(PublicationHead)
  case updated(PublicationHead)
  case unpublished
  case refused(Refusal)

  /// The reason why an operation was refused; no part of it was carried out.
  public enum Refusal: Sendable, Equatable {
    /// The slug is taken (409): by the caller's item, by another account's, or by one that was unpublished. Slugs that
    /// differ only in the case of ASCII letters count as the same.
    case publicIDTaken
    /// Nothing is published under that name (404).
    case notFound
    /// The item belongs to another account (403).
    case notOwner
    /// The item does not meet `If-Match` (412).
    case preconditionFailed
    /// The parent belongs to another account and must not be forked (422).
    case forkingForbidden
    /// The change gives a type other than the item's, without a document of the new type (422).
    case typeWithoutDocument
  }
}

/// An answer stored for an idempotency key, so that the same request gets the same answer.
public struct StoredAnswer: Sendable, Equatable {
  /// The HTTP status.
  public let status: Int
  /// The headers that are part of the answer itself.
  public let headers: [Header]
  /// The body, unchanged.
  public let body: [UInt8]

  /// A header of an answer.
  public struct Header: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a header.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes an answer.
  public init(status: Int, headers: [Header], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
