/// Writes metrics in text form.
struct MetricsWriter {
  private(set) var bytes: [UInt8] = []

  mutating func begin(_ name: String, _ type: String, _ help: String) {
    bytes.append(contentsOf: "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n".utf8)
  }

  mutating func sample(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
    sample(name, labels, String(value))
  }

  mutating func histogram(_ name: String, _ labels: [(String, String)], _ histogram: Histogram) {
    var total: UInt64 = 0
    for (place, bound) in Histogram.bounds.enumerated() {
      total += histogram.buckets[place]
      sample("\(name)_bucket", labels + [("le", bound.label)], total)
    }
    sample("\(name)_bucket", labels + [("le", "+Inf")], histogram.count)
    sample("\(name)_sum", labels, String(histogram.sum))
    sample("\(name)_count", labels, histogram.count)
  }

  /// Label values come from this program: they contain no quotes, backslashes or line breaks.
  private mutating func sample(_ name: String, _ labels: [(String, String)], _ value: String) {
    let list = labels.map { "\($0)=\"\($1)\"" }.joined(separator: ",")
    bytes.append(contentsOf: (labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(list)} \(value)\n").utf8)
  }
}
