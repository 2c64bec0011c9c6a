import Content
import Publishing

/// What an owner does to what is published.
public enum ContentOperation: Sendable {
  /// Publish something new.
  case publish(PublishRequest)
  /// Change the members that are given; only if the item's digest is the given one, when one is given.
  case update(publicID: String, PublishChange, ifMatch: Precondition?)
  /// Take it back. It answers 404 afterwards; its slug stays taken.
  case unpublish(publicID: String, ifMatch: Precondition?)

  /// What a request's `If-Match` asks for.
  public enum Precondition: Sendable, Equatable {
    /// `*`: the item is there.
    case any
    /// The item has one of these digests.
    case digests([[UInt8]])
  }
}
