import Content
import RegistryModel
import Synchronization

/// The registry's counters, in the Prometheus text format.
///
/// Labels are routes, methods, statuses and content types, never strings from clients, so the number of series is
/// bounded.
/// - Source: Prometheus text format 0.0.4; the live service's names
package final class RegistryMetrics: Sendable {
  private struct Key: Hashable {
    let route: String
    let method: String
  }

  private struct Series {
    var statuses: [Int: UInt64] = [:]
    /// The histograms, by the first digit of the status.
    var durations: [Int: Histogram] = [:]
  }

  private struct State {
    var series: [Key: Series] = [:]
    var published: [String: UInt64] = [:]
    var updated: UInt64 = 0
    var unpublished: UInt64 = 0
  }

  private let state = Mutex(State())
  private let startedAt: Timestamp

  package init(clock: RegistryClock) {
    startedAt = clock.now()
    state.withLock { state in
      // If a counter exists from the start, its first increase is visible.
      for type in ["checklist", "practice_guide", "flashcard_deck"] { state.published[type] = 0 }
    }
  }

  /// Counts a request.
  package func count(_ record: RequestRecord) {
    let key = Key(route: record.route, method: record.method)
    state.withLock { state in
      state.series[key, default: Series()].statuses[record.status, default: 0] += 1
      state.series[key, default: Series()].durations[record.status / 100, default: Histogram()].add(record.seconds)
    }
  }

  /// Counts store results.
  package func count(_ results: [OperationResult]) {
    state.withLock { state in
      for result in results {
        switch result {
        case .published(let head): state.published[head.contentType.rawValue, default: 0] += 1
        case .updated: state.updated += 1
        case .unpublished: state.unpublished += 1
        case .refused: break
        }
      }
    }
  }

  /// Returns all metrics in text form.
  package func text() -> [UInt8] {
    let state = state.withLock { $0 }
    var out = MetricsWriter()
    out.begin("content_published_total", "counter", "Items published, by content type.")
    for (type, count) in state.published.sorted(by: { $0.key < $1.key }) {
      out.sample("content_published_total", [("content_type", type)], count)
    }
    out.begin("content_updated_total", "counter", "Published items changed.")
    out.sample("content_updated_total", [], state.updated)
    out.begin("content_unpublished_total", "counter", "Items unpublished.")
    out.sample("content_unpublished_total", [], state.unpublished)

    let series = state.series.sorted { ($0.key.route, $0.key.method) < ($1.key.route, $1.key.method) }
    out.begin("http_requests_total", "counter", "Requests answered, by route, method and status.")
    for (key, value) in series {
      for (status, count) in value.statuses.sorted(by: { $0.key < $1.key }) {
        out.sample(
          "http_requests_total", [("route", key.route), ("method", key.method), ("status", String(status))], count)
      }
    }
    out.begin("sync_request_duration_seconds", "histogram", "Time from a request's head to its answer, in seconds.")
    for (key, value) in series {
      for (kind, histogram) in value.durations.sorted(by: { $0.key < $1.key }) {
        let labels = [("route", key.route), ("method", key.method), ("status", "\(kind)xx")]
        out.histogram("sync_request_duration_seconds", labels, histogram)
      }
    }
    out.begin("process_start_time_seconds", "gauge", "When the registry started, in seconds since 1970.")
    out.sample("process_start_time_seconds", [], UInt64(max(0, startedAt.milliseconds / 1000)))
    return out.bytes
  }
}

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
