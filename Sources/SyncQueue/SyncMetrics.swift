import Foundation
import Interchange
import Synchronization

/// Counters of a sync, for monitoring. They can be updated from any thread.
public final class SyncMetrics: Sendable {
  /// The figures at one moment.
  public struct Figures: Sendable {
    /// Operations that were sent, by operation; every repetition is counted.
    public var attempts: [String: Int] = [:]
    /// Operations that the registry carried out, by operation.
    public var successes: [String: Int] = [:]
    /// Operations and requests that failed, by reason.
    public var failures: [String: Int] = [:]
    /// Publications, by content type.
    public var published: [String: Int] = [:]
    /// The number of requests that were answered or that failed.
    public var requests = 0
    /// The total duration of the requests, in seconds.
    public var seconds = 0.0
    /// A sample of the request durations, in seconds.
    var sample: [Double] = []

    /// Returns the maximum duration among the given share of the fastest requests, in seconds; nil if there were no
    /// requests.
    public func quantile(_ share: Double) -> Double? {
      guard !sample.isEmpty else { return nil }
      let sorted = sample.sorted()
      return sorted[min(sorted.count - 1, Int((share * Double(sorted.count)).rounded(.up)) - (share > 0 ? 1 : 0))]
    }
  }

  private static let largestSample = 10_000
  private let state = Mutex(Figures())

  /// Starts all counters at 0.
  public init() {}

  /// The current figures.
  public var figures: Figures { state.withLock { $0 } }

  func attempt(_ operation: String) { state.withLock { $0.attempts[operation, default: 0] += 1 } }
  func success(_ operation: String) { state.withLock { $0.successes[operation, default: 0] += 1 } }
  func failure(_ reason: String) { state.withLock { $0.failures[reason, default: 0] += 1 } }
  func publication(_ type: String) { state.withLock { $0.published[type, default: 0] += 1 } }

  func request(_ seconds: Double) {
    state.withLock { figures in
      figures.requests += 1
      figures.seconds += seconds
      if figures.sample.count < Self.largestSample {
        figures.sample.append(seconds)
      } else {
        let at = Int.random(in: 0..<figures.requests)
        if at < Self.largestSample { figures.sample[at] = seconds }
      }
    }
  }

  // MARK: Prometheus

  /// Returns the figures in the Prometheus text format, version 0.0.4.
  public func text(_ depth: QueueDepth, now: Date = Date()) -> String {
    let figures = figures
    var text = ""
    func family(_ name: String, _ type: String, _ help: String, _ lines: [(String, String)]) {
      text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
      for (labels, value) in lines { text += "\(name)\(labels) \(value)\n" }
    }
    func counts(_ counts: [String: Int], _ label: String) -> [(String, String)] {
      counts.sorted { $0.key < $1.key }.map { ("{\(label)=\"\($0.key)\"}", "\($0.value)") }
    }
    family(
      "fleetkit_sync_attempts_total", "counter", "Operations that were sent, including repetitions.",
      counts(figures.attempts, "operation"))
    family(
      "fleetkit_sync_successes_total", "counter", "Operations that the registry carried out.",
      counts(figures.successes, "operation"))
    family(
      "fleetkit_sync_failures_total", "counter", "Requests and operations that failed.",
      counts(figures.failures, "reason"))
    family(
      "content_published_total", "counter", "Publications that the registry accepted.",
      counts(figures.published, "content_type"))
    let name = "sync_request_duration_seconds"
    text += "# HELP \(name) Duration of requests to the registry.\n# TYPE \(name) summary\n"
    for share in [0.5, 0.9, 0.99] {
      text += "\(name){quantile=\"\(share)\"} \(figures.quantile(share).map { "\($0)" } ?? "NaN")\n"
    }
    text += "\(name)_sum \(figures.seconds)\n\(name)_count \(figures.requests)\n"
    family(
      "fleetkit_sync_queue_depth", "gauge", "Operations in the queue that have not been sent yet.",
      [
        ("{state=\"waiting\"}", "\(depth.waiting)"), ("{state=\"retrying\"}", "\(depth.retrying)"),
        ("{state=\"failed\"}", "\(depth.failed)"),
      ])
    let age = depth.oldest.map { max(0, now.timeIntervalSince1970 - Double($0.milliseconds) / 1000) } ?? 0
    family(
      "fleetkit_sync_queue_oldest_age_seconds", "gauge",
      "Time since the oldest unsent operation was queued.",
      [("", "\(age)")])
    return text
  }

  /// Writes the figures to a file atomically: a reader gets either the whole old file or the whole new one.
  /// - Throws: `RunFailure` with status 2 if the file cannot be written.
  public func write(_ depth: QueueDepth, to path: String) throws {
    let temporary = path + ".\(getpid()).tmp"
    do {
      try Data(text(depth).utf8).write(to: URL(fileURLWithPath: temporary))
    } catch {
      throw RunFailure(.failed, "write the metrics '\(path)': \(error.localizedDescription)")
    }
    guard rename(temporary, path) == 0 else {
      let reason = SystemError.last
      unlink(temporary)
      throw RunFailure(.failed, "write the metrics '\(path)': \(reason)")
    }
  }
}
