import Foundation
import Testing

/// Tests that take gigabytes of disk space and several minutes. They run with FLEETKIT_LARGE=1 (`make test-large`).
public enum Large {
  /// Whether the large tests run.
  public static let isWanted = ProcessInfo.processInfo.environment["FLEETKIT_LARGE"] == "1"

  /// The reason for which the large tests are skipped.
  public static let reason: Comment = "it takes gigabytes of disk and minutes (make test-large)"
}
