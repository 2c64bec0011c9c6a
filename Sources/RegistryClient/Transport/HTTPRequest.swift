/// One request over HTTP.
package struct HTTPRequest: Sendable {
  /// `GET`, `POST`…
  package var method: String
  /// The whole address, `https://sail.example.org/api/v1/users/me`.
  package var url: String
  /// Names and values, in their order. Values are visible ASCII and blanks.
  package var fields: [(name: String, value: String)]
  /// The body; nil for none.
  package var body: [UInt8]?
  /// Whether it is sent directly, ignoring the proxy variables.
  package var isDirect: Bool
  /// Whether it must be sent only once. It then gets a new connection, because a request on a kept connection is
  /// repeated when that connection turns out to be closed.
  package var isOnce: Bool

  /// Makes it from its parts.
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
