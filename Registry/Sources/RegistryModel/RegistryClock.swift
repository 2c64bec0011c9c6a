import Content
import Foundation

/// The source of the current time, so that tests can set the time.
public struct RegistryClock: Sendable {
  /// Returns the current time.
  public let now: @Sendable () -> Timestamp

  /// Creates a clock that calls `now`.
  public init(now: @escaping @Sendable () -> Timestamp) { self.now = now }

  /// The machine's clock.
  public static let system = RegistryClock {
    Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
  }
}
