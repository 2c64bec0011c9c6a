/// Limits for the duration of an exchange and the size of its answer.
package struct HTTPLimits: Sendable, Equatable {
  /// Seconds until a connection is established, encryption included.
  package var connect: Double
  /// Seconds for an exchange. Each 16 KiB sent adds a second: a batch over a satellite link is not an error.
  package var total: Double
  /// The maximum number of bytes of an answer's head.
  package var head = 64 << 10
  /// The maximum number of bytes of an answer's body.
  package var body = 16 << 20

  /// Makes time limits, with the default size limits.
  /// - Parameters:
  ///   - total: seconds for a small request.
  ///   - connect: seconds until a connection is established; nil for 10, or `total` when that is less.
  package init(total: Double = 30, connect: Double? = nil) {
    self.total = max(0.001, total)
    self.connect = max(0.001, min(connect ?? 10, total))
  }

  /// Milliseconds for an exchange that sends the given number of bytes.
  func milliseconds(sending bytes: Int) -> Int {
    Int((min(total, 1_000_000) * 1000).rounded(.up)) + bytes * 1000 / (16 << 10)
  }
}
