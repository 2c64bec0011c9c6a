import Synchronization

/// Stores a value that a caller derived from something in the store's memory, for as long as that stays there.
public final class Memo: Sendable {
  private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

  /// An empty memo.
  public init() {}

  /// Returns the stored value; calls `make` first if there is none of that type.
  public func value<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    if let value = kept.withLock({ $0 }) as? Value { return value }
    let value = make()
    kept.withLock { $0 = value }
    return value
  }
}
