/// How long an exchange may take, and how large its answer may be.
package struct HTTPLimits: Sendable, Equatable {
  /// Seconds until a connection stands, encryption included.
  package var connect: Double
  /// Seconds for an exchange. What is sent adds a second for every 16 KiB: a batch over a satellite link is no fault.
  package var total: Double
  /// Most bytes of an answer's head.
  package var head = 64 << 10
  /// Most bytes of an answer's body.
  package var body = 16 << 20

  /// Makes limits of time; those of size are the usual ones.
  /// - Parameters:
  ///   - total: seconds for a small request.
  ///   - connect: seconds until a connection stands; nil for 10, or `total` when that is less.
  package init(total: Double = 30, connect: Double? = nil) {
    self.total = max(0.001, total)
    self.connect = max(0.001, min(connect ?? 10, total))
  }

  /// Milliseconds for an exchange that sends so many bytes.
  func milliseconds(sending bytes: Int) -> Int {
    Int((min(total, 1_000_000) * 1000).rounded(.up)) + bytes * 1000 / (16 << 10)
  }
}
