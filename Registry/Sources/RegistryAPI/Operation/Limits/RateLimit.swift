/// How much somebody may do in how long.
public struct RateLimit: Sendable, Equatable {
  /// Requests in every stretch of `seconds`; at least 1.
  public let count: Int
  public let seconds: Int

  public init(_ count: Int, per seconds: Int) {
    self.count = max(1, count)
    self.seconds = max(1, seconds)
  }
}

/// What is limited. Each kind counts for itself, so that readers never use up what publishers have.
public enum RateLimitKind: Int, Sendable, CaseIterable {
  /// Publishing and changing, per user.
  case share
  /// Taking back, per user.
  case delete
  /// Signing in, per address.
  case signIn
  /// Every request to the interface, per address.
  case general
}

/// The limits of a registry.
/// - Source: the numbers of the live service; the general one is ours, wide enough for a harbour behind one address.
public struct RateLimits: Sendable, Equatable {
  public var share = RateLimit(10, per: 60)
  public var delete = RateLimit(20, per: 60)
  public var signIn = RateLimit(5, per: 15 * 60)
  public var general = RateLimit(1200, per: 60)

  public init() {}

  subscript(kind: RateLimitKind) -> RateLimit {
    switch kind {
    case .share: share
    case .delete: delete
    case .signIn: signIn
    case .general: general
    }
  }
}
