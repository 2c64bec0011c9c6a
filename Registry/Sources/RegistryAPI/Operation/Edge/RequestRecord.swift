/// The data of a request for logs and metrics. The checked id is the only data from the client.
package struct RequestRecord: Sendable {
  /// An HTTP method, or `OTHER`.
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

  /// The duration, in seconds.
  package var seconds: Double {
    let (seconds, attoseconds) = duration.components
    return Double(seconds) + Double(attoseconds) * 1e-18
  }
}
