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
