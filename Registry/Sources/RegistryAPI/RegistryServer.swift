import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1
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
      // The guard also ends idle connections.
      additionalChannelHandlers: [ConnectionGuard(limits)], idleTimeout: nil, httpDecoderConfiguration: decoder)
    let configuration = ApplicationConfiguration(
      address: .hostname(host, port: port), backlog: 1024,
      availableConnectionsDelegate: .maximum(limits.connections, logger: log))
    return Application(
      responder: RegistryRouter.make(registry).buildResponder(),
      server: HTTPServerBuilder { PinnedChannel(HTTP1Channel(responder: $0, configuration: http)) },
      configuration: configuration, onServerRunning: { await onListening($0.localAddress?.port ?? port) }, logger: log)
  }
}

/// An HTTP/1.1 connection whose requests are answered on its own event loop.
///
/// By default, every request moves from the loop's thread to a Swift thread and back, which costs more than answering
/// most requests. Long work must not run on the loop: `EdgeMiddleware` moves large bodies to other threads, and the
/// store does long reads and all writes on its own threads.
struct PinnedChannel: ServerChildChannel {
  private let http: HTTP1Channel

  init(_ http: HTTP1Channel) { self.http = http }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(HeadGuard(), position: .before(codec))
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await http.handle(value: value, logger: logger)
    }
  }
}

/// Runs tasks on an event loop.
final class LoopExecutor: TaskExecutor {
  private let loop: any EventLoop

  init(_ loop: any EventLoop) { self.loop = loop }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
