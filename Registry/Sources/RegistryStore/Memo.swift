import Synchronization

/// A place where a caller keeps what it made of something that the store holds in memory, for as long as the store holds
/// it.
public final class Memo: Sendable {
  private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

  /// An empty place.
  public init() {}

  /// What is kept, made first when there is nothing of that type.
  public func value<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    if let value = kept.withLock({ $0 }) as? Value { return value }
    let value = make()
    kept.withLock { $0 = value }
    return value
  }
}
