import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTPTypesHTTP1

/// An HTTP/1.1 connection whose requests are answered on its own event loop.
///
/// By default every request goes from the loop's thread to a thread of Swift's and back, which costs more than to answer
/// most requests. What takes long must not stay here: `EdgeMiddleware` sends large bodies elsewhere, and the store does
/// long reads and all writes on threads of its own.
struct PinnedChannel: ServerChildChannel {
  private let http: HTTP1Channel
  /// What answers without the framework; nil when nothing is.
  private let quick: QuickAnswers?

  init(_ http: HTTP1Channel, quick: QuickAnswers?) {
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
