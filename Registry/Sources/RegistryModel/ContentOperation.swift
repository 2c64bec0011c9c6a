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
