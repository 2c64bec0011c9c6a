/// One request over HTTP.
package struct HTTPRequest: Sendable {
  /// `GET`, `POST`…
  package var method: String
  /// The whole address, `https://sail.example.org/api/v1/users/me`.
  package var url: String
  /// Names and values, in their order. Values are visible ASCII and blanks.
  package var fields: [(name: String, value: String)]
  /// What is sent with it; nil for nothing.
  package var body: [UInt8]?
  /// Whether it goes straight there, whatever the proxy variables say.
  package var isDirect: Bool
  /// Whether it must not reach the other end twice: it gets a connection of its own, because a request on a kept one
  /// is repeated when that one turns out to be closed.
  package var isOnce: Bool

  /// Makes it of its parts.
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
