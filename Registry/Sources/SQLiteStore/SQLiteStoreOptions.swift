/// How much a store may use.
public struct SQLiteStoreOptions: Sendable {
  /// Bytes of items that are kept in memory.
  public var cacheBytes = 64 << 20
  /// Operations that may wait to be written (one more for each 32 KiB, so 256 MiB); what comes on top is refused as busy.
  public var waitingLimit = 8192
  /// Milliseconds that a view may wait for the file.
  public var viewDelay = 400
  /// Bytes up to which the file is rewritten as soon as an account was deleted; a larger one by the next sweep that may.
  public var rewrittenAtOnce: Int64 = 64 << 20
  /// Connections for single items, and as many again for lists.
  public var readers = 4

  /// The usual amounts.
  public init() {}
}
