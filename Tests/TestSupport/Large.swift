import Foundation
import Testing

/// Tests that need gigabytes of disk and minutes, which run with FLEETKIT_LARGE=1 (`make test-large`).
public enum Large {
  /// Whether they run.
  public static let isWanted = ProcessInfo.processInfo.environment["FLEETKIT_LARGE"] == "1"

  /// Why they are skipped.
  public static let reason: Comment = "it takes gigabytes of disk and minutes (make test-large)"
}
