/// The limits for the duration of an exchange and the size of its answer.
package struct HTTPLimits: Sendable, Equatable {
  /// The maximum time to establish a connection, encryption included, in seconds.
  package var connect: Double
  /// The maximum duration of an exchange, in seconds. Each 16 KiB sent adds a second: a batch over a satellite link is
  /// not an error.
  package var total: Double
  /// The maximum size of an answer's head, in bytes.
  package var head = 64 << 10
  /// The maximum size of an answer's body, in bytes.
  package var body = 16 << 20

  /// Creates limits with the given times and the default sizes.
  /// - Parameters:
  ///   - total: the maximum duration of a small request, in seconds.
  ///   - connect: the maximum time to establish a connection, in seconds; nil for 10, or for `total` if that is less.
  package init(total: Double = 30, connect: Double? = nil) {
    self.total = max(0.001, total)
    self.connect = max(0.001, min(connect ?? 10, total))
  }

  /// Returns the maximum duration of an exchange that sends the given number of bytes, in milliseconds.
  func milliseconds(sending bytes: Int) -> Int {
    Int((min(total, 1_000_000) * 1000).rounded(.up)) + bytes * 1000 / (16 << 10)
  }
}
