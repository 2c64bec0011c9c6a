import HTTPTypes
import Synchronization

/// What parts of the interface report about a request while it is answered, for the middleware around them.
package final class RequestNotes: Sendable {
  private let standing = Mutex<RateLimiter.Standing?>(nil)

  init() {}

  /// Records what a caller has left; the last call counts, because it is the closest to the action of the request.
  func note(_ standing: RateLimiter.Standing?) {
    guard let standing else { return }
    self.standing.withLock { $0 = standing }
  }

  /// The values for additional fields of the answer.
  var rateLimit: RateLimiter.Standing? { standing.withLock { $0 } }
}
