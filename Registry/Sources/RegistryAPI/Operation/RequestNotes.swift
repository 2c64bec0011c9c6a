import HTTPTypes
import Synchronization

/// What parts of the interface say about a request while it is answered, for what surrounds them to use.
package final class RequestNotes: Sendable {
  private let standing = Mutex<RateLimiter.Standing?>(nil)

  init() {}

  /// Takes what a caller has left; the last one counts, which is the closest to what the request did.
  func note(_ standing: RateLimiter.Standing?) {
    guard let standing else { return }
    self.standing.withLock { $0 = standing }
  }

  /// The fields that the answer gets beside its own.
  var rateLimit: RateLimiter.Standing? { standing.withLock { $0 } }
}
