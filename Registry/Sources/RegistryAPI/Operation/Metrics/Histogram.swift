/// A histogram of durations in buckets; durations above the last bucket are counted separately.
struct Histogram: Sendable {
  /// The upper bounds in seconds, with their labels.
  static let bounds: [(end: Double, label: String)] = [
    (0.001, "0.001"), (0.0025, "0.0025"), (0.005, "0.005"), (0.01, "0.01"), (0.02, "0.02"), (0.05, "0.05"),
    (0.1, "0.1"), (0.2, "0.2"), (0.5, "0.5"), (1, "1"), (2.5, "2.5"), (10, "10"),
  ]

  private(set) var buckets = [UInt64](repeating: 0, count: Histogram.bounds.count)
  private(set) var count: UInt64 = 0
  private(set) var sum = 0.0

  mutating func add(_ seconds: Double) {
    count += 1
    sum += seconds
    if let place = Self.bounds.firstIndex(where: { seconds <= $0.end }) { buckets[place] += 1 }
  }
}
