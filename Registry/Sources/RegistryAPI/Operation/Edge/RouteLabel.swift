import HTTPTypes

/// What requests are called where nothing that somebody sent may stand: in logs and metrics.
enum RouteLabel {
  /// The route's template; `unmatched` where there is no route.
  static func of(_ endpointPath: String?) -> String {
    guard let endpointPath, endpointPath.utf8.first == UInt8(ascii: "/") else { return "unmatched" }
    return endpointPath
  }

  /// A method by name; methods that nobody knows have one name together.
  static func of(_ method: HTTPRequest.Method) -> String {
    switch method {
    case .get, .head, .post, .put, .patch, .delete, .options: method.rawValue
    default: "OTHER"
    }
  }
}
