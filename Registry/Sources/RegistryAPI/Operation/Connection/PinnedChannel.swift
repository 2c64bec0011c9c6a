import Hummingbird
import HummingbirdCore
import Logging
import NIOCore

/// An HTTP/1.1 connection whose requests are answered on its own event loop.
///
/// By default every request goes from the loop's thread to a thread of Swift's and back, which costs more than to answer
/// most requests. What takes long must not stay here: `EdgeMiddleware` sends large bodies elsewhere, and the store does
/// long reads and all writes on threads of its own.
struct PinnedChannel: ServerChildChannel {
  private let http: HTTP1Channel

  init(_ http: HTTP1Channel) { self.http = http }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger)
  }

  func handle(value: HTTP1Channel.Value, logger: Logger) async {
    await withTaskExecutorPreference(LoopExecutor(value.channel.eventLoop)) {
      await http.handle(value: value, logger: logger)
    }
  }
}
