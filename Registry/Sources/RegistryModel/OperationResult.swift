/// What became of one operation.
public enum OperationResult: Sendable, Equatable {
  case published(ContentHead)
  case updated(ContentHead)
  case unpublished
  case refused(Refusal)

  /// Why an operation was not done; nothing of it was.
  public enum Refusal: Sendable, Equatable {
    /// The slug is taken (409): by an item of the caller's, by somebody else's, or by one that was unpublished. One
    /// that differs only in the case of ASCII letters is the same here.
    case publicIDTaken
    /// Nothing is published under that name (404).
    case notFound
    /// It is somebody else's (403).
    case notOwner
    /// It is not in the state that `If-Match` asked for (412).
    case preconditionFailed
    /// The parent is somebody else's and may not be forked (422).
    case forkingForbidden
    /// A change names another type than the item's without a document of that type (422).
    case typeWithoutDocument
  }
}
