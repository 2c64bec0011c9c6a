import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import ServiceLifecycle

/// The interface on a socket.
package enum RegistryServer {
  /// Makes the application; it begins to listen when it is run.
  /// - Parameter onListening: told the port, once connections are taken.
  package static func application(
    _ registry: Registry, host: String, port: Int, limits: ConnectionLimits = ConnectionLimits(), log: Logger,
    onListening: @escaping @Sendable (Int) async -> Void
  ) -> some ApplicationProtocol {
    var decoder = HTTP1Channel.Configuration.DecoderConfiguration()
    decoder.maxHeaderFieldSize = limits.headerBytes
    decoder.maxHeaderListSize = limits.headerBytes
    decoder.maxHeaderFieldCount = limits.headerFields
    let http = HTTP1Channel.Configuration(
      // The guard sees to idle connections: the framework does not know of requests that are answered before it.
      additionalChannelHandlers: [ConnectionGuard(limits)], idleTimeout: nil, httpDecoderConfiguration: decoder)
    let quick = registry.settings.answersAtOnce ? QuickAnswers(registry) : nil
    let configuration = ApplicationConfiguration(
      address: .hostname(host, port: port), backlog: 1024,
      availableConnectionsDelegate: .maximum(limits.connections, logger: log))
    return Application(
      responder: RegistryRouter.make(registry).buildResponder(),
      server: HTTPServerBuilder { PinnedChannel(HTTP1Channel(responder: $0, configuration: http), quick: quick) },
      configuration: configuration, onServerRunning: { await onListening($0.localAddress?.port ?? port) }, logger: log)
  }
}
