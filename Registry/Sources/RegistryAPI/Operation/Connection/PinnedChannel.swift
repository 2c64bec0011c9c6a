import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// An HTTP/1.1 connection whose requests are answered on its own event loop.
///
/// By default, every request moves from the loop's thread to a Swift thread and back, which costs more than answering
/// most requests. Long work must not run on the loop: `EdgeMiddleware` moves large bodies to other threads, and the
/// store does long reads and all writes on its own threads.
struct PinnedChannel: ServerChildChannel {
  private let http: HTTP1Channel
  /// Answers requests without the framework; nil when the framework answers all of them.
  private let quick: CachedResponses?

  init(_ http: HTTP1Channel, quick: CachedResponses?) {
    self.http = http
    self.quick = quick
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      let pipeline = channel.pipeline.syncOperations
      let codec = try pipeline.handler(type: HTTP1ToHTTPServerCodec.self)
      try pipeline.addHandler(HeadGuard(), position: .before(codec))
      if let quick {
        let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
        let connection = try pipeline.handler(type: ConnectionGuard.self)
        try pipeline.addHandler(QuickReadHandler(quick, connection, encoder: encoder), position: .before(codec))
      }
      return value
    }
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await http.handle(value: value, logger: logger)
    }
  }
}
