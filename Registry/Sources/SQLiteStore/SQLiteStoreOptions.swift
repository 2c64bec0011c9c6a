/// The limits on a store's resources.
public struct SQLiteStoreOptions: Sendable {
  /// The maximum size of the items in memory, in bytes.
  public var cacheBytes = 64 << 20
  /// The maximum weight of the operations that wait to be written: 1 for each, and 1 more for each 32 KiB, so at most
  /// 256 MiB. Further operations are refused as busy.
  public var waitingLimit = 8192
  /// How long a view may wait before it is written to the file, in milliseconds.
  public var viewDelay = 400
  /// The file size, in bytes, up to which the file is rewritten as soon as an account was deleted; a sweep rewrites a
  /// larger file later.
  public var rewrittenAtOnce: Int64 = 64 << 20
  /// The number of connections for single items, and the same number for lists.
  public var readers = 4

  /// Creates the default options.
  public init() {}
}
