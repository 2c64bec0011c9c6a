import HTTPTypes

/// Labels of requests for logs and metrics, in which no string from a client may appear.
enum RouteLabel {
  /// Returns the route's template; `unmatched` where there is no route.
  static func of(_ endpointPath: String?) -> String {
    guard let endpointPath, endpointPath.utf8.first == UInt8(ascii: "/") else { return "unmatched" }
    return endpointPath
  }

  /// Returns the name of a method; all unknown methods share one name.
  static func of(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
    default: "OTHER"
    }
  }
}
