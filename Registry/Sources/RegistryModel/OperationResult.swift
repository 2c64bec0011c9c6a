/// The result of one operation.
public enum OperationResult: Sendable, Equatable {
  case published(PublicationHead)
  case updated(PublicationHead)
  case unpublished
  case refused(Refusal)

  /// Why an operation was refused; no part of it was carried out.
  public enum Refusal: Sendable, Equatable {
    /// The slug is taken (409): by an item of the caller, of another account, or by one that was unpublished. Slugs
    /// that differ only in the case of ASCII letters are the same here.
    case publicIDTaken
    /// Nothing is published under that name (404).
    case notFound
    /// It belongs to another account (403).
    case notOwner
    /// It does not meet `If-Match` (412).
    case preconditionFailed
    /// The parent belongs to another account and may not be forked (422).
    case forkingForbidden
    /// A change has another type than the item, without a document of that type (422).
    case typeWithoutDocument
  }
}
