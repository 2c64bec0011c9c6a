import FleetKit

/// Standard output for reports: a full disk fails the run, a reader that has gone does not.
final class StandardOutput {
  private let sink = ByteSink(descriptor: 1, name: "standard output")
  private var isSilent: Bool

  init(isSilent: Bool) { self.isSilent = isSilent }

  /// Hands bytes on at once.
  /// - Throws: `RunFailure` with status 2 when the disk is full.
  func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    if isSilent { return }
    do {
      try sink.write(bytes)
      try sink.flush()
    } catch is BrokenPipe {
      // The findings still count: the exit status is the same for `| head`.
      isSilent = true
    }
  }
}
