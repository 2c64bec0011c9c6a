import RegistryAPI
import RegistryModel
import RegistryTestSupport
import Testing

@Suite struct OperationMetricsTests {
  private func text(_ metrics: RegistryMetrics) -> [String] {
    String(decoding: metrics.text(), as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func requestsAreCountedByRouteMethodAndStatus() {
    let metrics = RegistryMetrics(clock: HandClock().clock)
    for (status, milliseconds) in [(200, 1), (200, 3), (304, 3), (200, 60_000)] {
      metrics.count(
        RequestRecord(
          method: "GET", route: "/api/v1/content/{public_id}", status: status, duration: .milliseconds(milliseconds),
          requestID: "a"))
    }
    let lines = text(metrics)
    let labels = "route=\"/api/v1/content/{public_id}\",method=\"GET\""
    #expect(lines.contains("http_requests_total{\(labels),status=\"200\"} 3"))
    #expect(lines.contains("http_requests_total{\(labels),status=\"304\"} 1"))
    let histogram = "sync_request_duration_seconds"
    #expect(lines.contains("\(histogram)_bucket{\(labels),status=\"2xx\",le=\"0.001\"} 1"))
    #expect(lines.contains("\(histogram)_bucket{\(labels),status=\"2xx\",le=\"0.005\"} 2"))
    #expect(lines.contains("\(histogram)_bucket{\(labels),status=\"2xx\",le=\"10\"} 2"))
    #expect(lines.contains("\(histogram)_bucket{\(labels),status=\"2xx\",le=\"+Inf\"} 3"))
    #expect(lines.contains("\(histogram)_count{\(labels),status=\"2xx\"} 3"))
    #expect(lines.contains("\(histogram)_count{\(labels),status=\"3xx\"} 1"))
  }

  @Test func everyTypeIsThereFromTheStart() {
    let lines = text(RegistryMetrics(clock: HandClock().clock))
    for type in ["checklist", "practice_guide", "flashcard_deck"] {
      #expect(lines.contains("content_published_total{content_type=\"\(type)\"} 0"))
    }
  }

  @Test func everySampleHasATypeBeforeIt() {
    let metrics = RegistryMetrics(clock: HandClock().clock)
    metrics.count(RequestRecord(method: "GET", route: "/health", status: 200, duration: .zero, requestID: "a"))
    var types: Set<String> = []
    for line in text(metrics) {
      let words = line.split(separator: " ")
      if line.hasPrefix("# TYPE ") {
        types.insert(String(words[2]))
      } else if !line.hasPrefix("#") {
        var name = String(words[0].prefix { $0 != "{" })
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) { name.removeLast(suffix.count) }
        #expect(types.contains(name), "\(line)")
        #expect(Double(words[words.count - 1]) != nil, "\(line)")
      }
    }
  }
}
