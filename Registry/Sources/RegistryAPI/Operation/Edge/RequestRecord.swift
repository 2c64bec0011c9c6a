/// What is kept of a request for logs and metrics: nothing that somebody sent but the id, which was checked.
package struct RequestRecord: Sendable {
  /// One of the methods of HTTP, or `OTHER`.
  package let method: String
  /// The route's template, never the path: `/api/v1/content/{public_id}`; `unmatched` where there is none.
  package let route: String
  package let status: Int
  package let duration: Duration
  package let requestID: String

  package init(method: String, route: String, status: Int, duration: Duration, requestID: String) {
    self.method = method
    self.route = route
    self.status = status
    self.duration = duration
    self.requestID = requestID
  }

  /// The time it took, in seconds.
  package var seconds: Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
