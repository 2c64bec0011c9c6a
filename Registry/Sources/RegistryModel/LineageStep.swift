import Content

/// One step of the way from an original to its fork.
public struct LineageStep: Sendable, Equatable {
  public let title: String
  /// The author's name, kept even where the account is gone.
  public let creator: String?
  public let createdAt: Timestamp
  public let isCurrent: Bool

  public init(title: String, creator: String?, createdAt: Timestamp, isCurrent: Bool) {
    self.title = title
    self.creator = creator
    self.createdAt = createdAt
    self.isCurrent = isCurrent
  }
}
