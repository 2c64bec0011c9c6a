import Synchronization

/// Tokens whose signatures were verified, with what they say: the same token comes with each request of a client.
///
/// What changes is asked anew each time: whether a token has ended, whether its session lives, whether its user exists.
final class KnownTokens: Sendable {
  /// One more begins anew with none.
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
