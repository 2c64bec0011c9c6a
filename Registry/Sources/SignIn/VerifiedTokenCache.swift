import Synchronization

/// A cache of tokens whose signatures were verified, with their claims: a client sends the same token with each
/// request.
///
/// Changing conditions are checked each time: whether a token has expired, whether its session is live, whether its
/// user exists.
final class VerifiedTokenCache: Sendable {
  /// The maximum number of entries; one more clears the cache.
  private static let limit = 4096
  private let known = Mutex<[[UInt8]: AccessClaims]>([:])

  func claims(_ token: [UInt8]) -> AccessClaims? { known.withLock { $0[token] } }

  func keep(_ claims: AccessClaims, of token: [UInt8]) {
    known.withLock { known in
      if known.count >= Self.limit { known = [:] }
      known[token] = claims
    }
  }
}
