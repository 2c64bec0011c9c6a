/// A maximum number of requests per interval.
package struct RateLimit: Sendable, Equatable {
  /// The number of requests in every interval of `seconds`; at least 1.
  package let count: Int
  package let seconds: Int

  package init(_ count: Int, per seconds: Int) {
    self.count = max(1, count)
    self.seconds = max(1, seconds)
  }
}

/// The kinds of limits. Each kind is counted separately, so that reading never uses up the limits for publishing.
package enum RateLimitKind: Int, Sendable, CaseIterable {
  /// Publishing and changing, per user.
  case share
  /// Unpublishing, per user.
  case delete
  /// Changing a profile, per user.
  case profile
  /// Signing in, per address.
  case signIn
  /// Every request to the interface, per address.
  case general
}

/// The limits of a registry.
/// - Source: the live service's numbers. FleetKit chose those for profiles and for all requests; the latter is high
///   enough for a harbour behind one address.
package struct RateLimits: Sendable, Equatable {
  package var share = RateLimit(10, per: 60)
  package var delete = RateLimit(20, per: 60)
  package var profile = RateLimit(10, per: 60)
  package var signIn = RateLimit(5, per: 15 * 60)
  package var general = RateLimit(1200, per: 60)

  package init() {}

  subscript(kind: RateLimitKind) -> RateLimit {
    switch kind {
    case .share: share
    case .delete: delete
    case .profile: profile
    case .signIn: signIn
    case .general: general
    }
  }
}
