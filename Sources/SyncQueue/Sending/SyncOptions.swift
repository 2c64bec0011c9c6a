/// The options of a sync.
public struct SyncOptions: Sendable {
  /// The number of concurrent requests.
  public var workers = 4
  /// The total time to wait for rows that are due for a retry, in seconds; 0 for not waiting.
  public var patience = 10.0
  /// The longest pause, requested by the registry, that the run waits for, in seconds.
  public var longestPause = 120.0
  /// Whether to retry failed operations first.
  public var retriesFailed = false
  /// The maximum number of operations in a batch; with 1, each is sent on its own.
  public var batchLimit = 500
  /// The first wait before a retry, in seconds; tests make it short.
  package var step = 1.0
  /// How long requests in flight may still take when the run is interrupted, in seconds.
  package var grace = 5.0

  /// Creates the default options.
  public init() {}

  /// The minimum number of waiting rows for which batches are sent.
  static let fewest = 5
  /// The maximum number of payload bytes in a batch.
  static let batchBytes = 8 << 20
  /// The number of consecutive requests without a usable answer after which the run ends.
  static let breaker = 12
}
