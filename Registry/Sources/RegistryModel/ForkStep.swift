import Content

/// One step from an original to its fork.
public struct ForkStep: Sendable, Equatable {
  /// The item's title; empty when the item is no longer public.
  public let title: String
  /// The author's name, which is kept even where the account no longer exists.
  public let creator: String?
  /// When the item was published.
  public let createdAt: Timestamp
  /// Whether this step is the requested item.
  public let isCurrent: Bool

  /// Makes a step.
  public init(title: String, creator: String?, createdAt: Timestamp, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
