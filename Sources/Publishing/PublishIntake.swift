import Content
import Diagnostics
import JSONText

/// Takes the bodies of publish requests as a registry does: lenient about ids, defaults and spelling, strict about
/// types and limits. What it takes is normalised; what it does not take has findings with places.
///
/// One intake serves one thread. Nothing in a body makes it trap; depth and length are limited by `limits`.
public final class PublishIntake {
  /// What became of a body.
  public enum Outcome<Taken: Sendable>: Sendable {
    /// It may be stored.
    case taken(Taken)
    /// It may not; never empty, in the order of places.
    case refused([IntakeFinding])
  }

  /// Compiles the schemas.
  /// - Throws: `SchemaError` when an embedded schema does not compile, which a test excludes.
  public init() throws {}

  /// Takes a request to publish.
  /// - Parameter now: fills in times that the document does not say.
  public func publication(_ body: JSONValue, now: Timestamp) -> Outcome<PublishRequest> {
    .refused([])
  }

  /// Takes a request to change what is published; only the members that are there are looked at.
  /// - Parameter current: the type of the stored item, for a document that comes without `content_type`.
  public func change(_ body: JSONValue, current: ContentType, now: Timestamp) -> Outcome<PublishChange> {
    .refused([])
  }
}
