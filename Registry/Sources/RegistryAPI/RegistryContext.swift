import Hummingbird
import Logging
import NIOCore
import SignIn

/// What is known of a request beside itself.
public struct RegistryContext: RequestContext {
  /// What the router knows of the request.
  public var coreContext: CoreRequestContextStorage
  /// The other end of the connection: an IP address without port, nil for a local socket.
  public let peer: String?
  /// Who sends it: set by `requirePrincipal`, never by anything else.
  public var principal: Principal?
  /// The client's address as rate limits and logs mean it; differs from `peer` only behind a trusted proxy.
  public var clientAddress: String
  /// What the routes say to what surrounds them.
  package let notes = RequestNotes()

  /// What stands for the other end of a socket that has no addresses.
  static let localPeer = "local"

  /// Begins a request's context on its connection.
  public init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    peer = source.channel.remoteAddress?.ipAddress
    clientAddress = peer ?? Self.localPeer
  }
}
