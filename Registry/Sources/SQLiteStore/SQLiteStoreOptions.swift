/// Limits of a store's resources.
public struct SQLiteStoreOptions: Sendable {
  /// The maximum number of bytes of items in memory.
  public var cacheBytes = 64 << 20
  /// The maximum number of operations waiting to be written (one more for each 32 KiB, so 256 MiB); further ones are
  /// refused as busy.
  public var waitingLimit = 8192
  /// How long a view may wait before it is written to the file, in milliseconds.
  public var viewDelay = 400
  /// The number of bytes up to which the file is rewritten as soon as an account was deleted; a larger one is rewritten
  /// by the next sweep that may.
  public var rewrittenAtOnce: Int64 = 64 << 20
  /// The number of connections for single items, and the same number for lists.
  public var readers = 4

  /// The defaults.
  public init() {}
}
