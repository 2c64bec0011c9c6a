/// An account with its profile.
public struct Account: Sendable, Equatable {
  /// Who it is.
  public let user: User
  /// What the owner says of themselves.
  public let profile: Profile

  /// Makes an account.
  public init(user: User, profile: Profile) {
    self.user = user
    self.profile = profile
  }
}

/// Counts of what somebody has published.
public struct AuthorStats: Sendable, Equatable {
  /// Items that are public now.
  public let contributions: Int64
  /// The sum of their fork counts.
  public let forks: Int64

  /// Makes the counts.
  public init(contributions: Int64, forks: Int64) {
    self.contributions = contributions
    self.forks = forks
  }
}
