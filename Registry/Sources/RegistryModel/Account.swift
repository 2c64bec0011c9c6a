/// An account with its profile.
public struct Account: Sendable, Equatable {
  /// The user.
  public let user: User
  /// The owner's profile.
  public let profile: Profile

  /// Makes an account.
  public init(user: User, profile: Profile) {
    self.user = user
    self.profile = profile
  }
}

/// The counts of a user's publications.
public struct AuthorStats: Sendable, Equatable {
  /// The number of items that are public now.
  public let contributions: Int64
  /// The sum of the items' fork counts.
  public let forks: Int64

  /// Makes the counts.
  public init(contributions: Int64, forks: Int64) {
    self.contributions = contributions
    self.forks = forks
  }
}
