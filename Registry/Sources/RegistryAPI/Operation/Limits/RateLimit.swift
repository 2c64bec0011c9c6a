/// How much somebody may do in how long.
package struct RateLimit: Sendable, Equatable {
  /// Requests in every stretch of `seconds`; at least 1.
  package let count: Int
  package let seconds: Int

  package init(_ count: Int, per seconds: Int) {
    self.count = max(1, count)
    self.seconds = max(1, seconds)
  }
}

/// What is limited. Each kind counts for itself, so that readers never use up what publishers have.
package enum RateLimitKind: Int, Sendable, CaseIterable {
  /// Publishing and changing, per user.
  case share
  /// Taking back, per user.
  case delete
  /// Changing one's profile, per user.
  case profile
  /// Signing in, per address.
  case signIn
  /// Every request to the interface, per address.
  case general
}

/// The limits of a registry.
/// - Source: the numbers of the live service; those of profiles and of everything together are ours, the last one wide
/// enough for a harbour behind one address.
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
