import FleetKit

/// Standard output for reports. A full disk fails the run; a closed pipe does not.
final class StandardOutput {
  private let sink = ByteSink(descriptor: 1, name: "standard output")
  private var isSilent: Bool

  init(isSilent: Bool) { self.isSilent = isSilent }

  /// Writes bytes immediately.
  /// - Throws: `RunFailure` with status 2 if the disk is full.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    if isSilent { return }
    do {
      try sink.write(bytes)
      try sink.flush()
    } catch is BrokenPipe {
      // The findings still count, so the exit status is the same with `| head`.
      isSilent = true
    }
  }
}
