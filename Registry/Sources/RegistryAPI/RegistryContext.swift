import Hummingbird
import Logging
import NIOCore
import SignIn

/// Data about a request in addition to the request itself.
public struct RegistryContext: RequestContext {
  /// The router's data about the request.
  public var coreContext: CoreRequestContextStorage
  /// The other end of the connection: an IP address without a port; nil for a local socket.
  public let peer: String?
  /// The sender; only `requirePrincipal` sets it.
  public var principal: Principal?
  /// The client's address for rate limits and logs; it differs from `peer` only behind a trusted proxy.
  public var clientAddress: String
  /// The data that the routes report to the middleware around them.
  package let notes = RequestNotes()

  /// The name for the other end of a socket that has no addresses.
  static let localPeer = "local"

  /// Creates a request's context on its connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    peer = source.channel.remoteAddress?.ipAddress
    clientAddress = peer ?? Self.localPeer
  }
}
