import NIOCore

/// How long and how much a connection may take.
package struct ConnectionLimits: Sendable {
  /// From a request's head to the end of its body.
  package var receiving: TimeAmount = .seconds(30)
  /// From the end of a request to the last byte of its answer being taken by the client.
  package var answering: TimeAmount = .seconds(60)
  /// Without any request, or within a request's head.
  package var idle: TimeAmount = .seconds(60)
  /// Bytes of a request's head.
  package var headerBytes = 32 << 10
  /// Fields of a request's head.
  package var headerFields = 100
  /// Bytes of a body that are read although they are too many, so that the client hears why.
  package var bodyBytes = 20 << 20
  /// Connections at once; more wait in the system's queue.
  package var connections = 4096

  package init() {}
}
