/// One request over HTTP.
package struct HTTPRequest: Sendable {
  /// The method: `GET`, `POST` …
  package var method: String
  /// The whole address, `https://sail.example.org/api/v1/users/me`.
  package var url: String
  /// The header fields in their order. Values consist of visible ASCII and spaces.
  package var fields: [(name: String, value: String)]
  /// The body; nil when there is none.
  package var body: [UInt8]?
  /// Whether the request is sent directly, ignoring the proxy variables.
  package var isDirect: Bool
  /// Whether the request must be sent only once. It then gets a new connection, because a request on a kept connection
  /// is repeated when that connection turns out to be closed.
  package var isOnce: Bool

  /// Creates an instance from its members.
  package init(
    _ method: String, _ url: String, fields: [(name: String, value: String)] = [], body: [UInt8]? = nil,
    isDirect: Bool = false, isOnce: Bool = false
  ) {
    self.method = method
    self.url = url
    self.fields = fields
    self.body = body
    self.isDirect = isDirect
    self.isOnce = isOnce
  }
}
