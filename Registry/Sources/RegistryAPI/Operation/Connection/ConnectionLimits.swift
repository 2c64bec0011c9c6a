import NIOCore

/// The limits for the duration and size of a connection.
package struct ConnectionLimits: Sendable {
  /// The maximum time from a request's head to the end of its body.
  package var receiving: TimeAmount = .seconds(30)
  /// The maximum time from the end of a request until the client has received the last byte of its answer.
  package var answering: TimeAmount = .seconds(60)
  /// The maximum time without a request, or within a request's head.
  package var idle: TimeAmount = .seconds(60)
  /// The maximum size of a request's head, in bytes.
  package var headerBytes = 32 << 10
  /// The maximum number of fields in a request's head.
  package var headerFields = 100
  /// The number of bytes that are read from a body that is too large, so that the client gets the reason.
  package var bodyBytes = 20 << 20
  /// The maximum number of connections; others wait in the system's queue.
  package var connections = 4096

  package init() {}
}
