import Content
import Publishing

/// An owner's operation on publications.
public enum ContentOperation: Sendable {
  /// Publish a new item.
  case publish(PublishRequest)
  /// Change the members that are given; only if the item's digest is the given one, when one is given.
  case update(publicID: String, PublishChange, ifMatch: Precondition?)
  /// Unpublish an item. It answers 404 afterwards; its slug stays taken.
  case unpublish(publicID: String, ifMatch: Precondition?)

  /// The precondition in a request's `If-Match`.
  public enum Precondition: Sendable, Equatable {
    /// `*`: the item exists.
    case any
    /// The item has one of these digests.
    case digests([[UInt8]])
  }
}
