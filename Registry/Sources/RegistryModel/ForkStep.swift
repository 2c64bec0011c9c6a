import Content

/// One step from an original to its fork.
public struct ForkStep: Sendable, Equatable {
  /// Its title; empty when it is not public any more.
  public let title: String
  /// The author's name, kept even where the account is gone.
  public let creator: String?
  /// When it was published.
  public let createdAt: Timestamp
  /// Whether it is the requested item.
  public let isCurrent: Bool

  /// Makes a step.
  public init(title: String, creator: String?, createdAt: Timestamp, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
