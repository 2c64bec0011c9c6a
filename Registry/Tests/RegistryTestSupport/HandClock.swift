import Content
import Foundation
import RegistryModel

/// A clock that stops until a test moves it forward.
public final class HandClock: @unchecked Sendable {
  private let lock = NSLock()
  private var milliseconds: Int64

  /// Creates a clock that starts at the given time, or else at 5 January 2026, 10:11:12.
  public init(at start: Timestamp = Timestamp(milliseconds: 1_767_607_872_000)) { milliseconds = start.milliseconds }

  /// The current time of the clock.
  public var now: Timestamp { lock.withLock { Timestamp(milliseconds: milliseconds) } }

  /// Moves the clock forward.
  public func advance(seconds: Double) { lock.withLock { milliseconds += Int64(seconds * 1000) } }

  /// The clock as the registry's type.
  public var clock: RegistryClock { RegistryClock { self.now } }
}
