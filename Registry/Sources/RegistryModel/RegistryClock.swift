import Content
import Foundation

/// Where the time comes from, so that tests can say what time it is.
public struct RegistryClock: Sendable {
  /// The time now.
  public let now: @Sendable () -> Timestamp

  /// A clock that asks `now`.
  public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  /// The machine's clock.
  public static let system = RegistryClock {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
