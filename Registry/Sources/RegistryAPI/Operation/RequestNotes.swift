import HTTPTypes
import Synchronization

/// The data that routes report about a request while it is answered, for the middleware around them.
package final class RequestNotes: Sendable {
  private let standing = Mutex<RateLimiter.Standing?>(nil)

  init() {}

  /// Records the caller's remaining limit. The last call counts, because it is the closest to the request's action.
  func note(_ standing: RateLimiter.Standing?) {
    guard let standing else { return }
    self.standing.withLock { $0 = standing }
  }

  /// The values for the answer's rate-limit fields.
  var rateLimit: RateLimiter.Standing? { standing.withLock { $0 } }
}
