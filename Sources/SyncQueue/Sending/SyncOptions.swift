/// How a sync is run.
public struct SyncOptions: Sendable {
  /// How many requests are under way at once.
  public var workers = 4
  /// How long to wait in all for rows that are to be tried again, in seconds; 0 not to wait.
  public var patience = 10.0
  /// How long a pause that the registry asks for may be, in seconds.
  public var longestPause = 120.0
  /// Whether failed operations are tried again first.
  public var retriesFailed = false
  /// How many operations a batch has at most; 1 sends each by itself.
  public var batchLimit = 500
  /// How long a first wait is, in seconds; tests make it short.
  package var step = 1.0
  /// How long requests under way may take when the run is interrupted, in seconds.
  package var grace = 5.0

  /// The usual ones.
  public init() {}

  /// From how many waiting rows on batches are sent.
  static let fewest = 5
  /// How many bytes of payloads a batch has at most.
  static let batchBytes = 8 << 20
  /// After how many requests in a row that came to nothing the run ends.
  static let breaker = 12
}
