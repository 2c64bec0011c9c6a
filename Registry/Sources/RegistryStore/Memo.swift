import Synchronization

/// Stores a value that a caller derived from data in the store's memory, for as long as that data stays in memory.
public final class Memo: Sendable {
  private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Creates an empty memo.
  public init() {}

  /// Returns the stored value; if there is none of that type, calls `make` first.
  public func value<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    if let value = kept.withLock({ $0 }) as? Value { return value }
    let value = make()
    kept.withLock { $0 = value }
    return value
  }
}
