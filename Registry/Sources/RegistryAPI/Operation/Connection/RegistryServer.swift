import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// Serves the registry's API on a socket.
package enum RegistryServer {
  /// Makes the application, which starts to listen when it is run.
  /// - Parameter onListening: called with the port once connections are accepted.
  package static func application(
    _ registry: Registry, host: String, port: Int, limits: ConnectionLimits = ConnectionLimits(), log: Logger,
    onListening: @escaping @Sendable (Int) async -> Void
  ) -> some ApplicationProtocol {
    var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
    decoder.maxHeaderFieldSize = limits.headerBytes
    decoder.maxHeaderListSize = limits.headerBytes
    decoder.maxHeaderFieldCount = limits.headerFields
    let http = HTTP1Channel.Configuration(
      // The guard handles idle connections: the framework does not see requests that are answered before they reach it.
      additionalChannelHandlers: [ConnectionGuard(limits)], idleTimeout: nil, httpDecoderConfiguration: decoder)
    let quick = registry.settings.answersAtOnce ? CachedResponses(registry) : nil
    let configuration = ApplicationConfiguration(
      address: .hostname(host, port: port), backlog: 1024,
      availableConnectionsDelegate: .maximum(limits.connections, logger: log))
    return Application(
      responder: RegistryRouter.make(registry).buildResponder(),
      server: HTTPServerBuilder { PinnedChannel(HTTP1Channel(responder: $0, configuration: http), quick: quick) },
      configuration: configuration, onServerRunning: { await onListening($0.localAddress?.port ?? port) }, logger: log)
  }
}
