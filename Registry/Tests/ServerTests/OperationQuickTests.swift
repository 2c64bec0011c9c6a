import Foundation
import Hummingbird
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import SQLiteStore
import SignIn
import Synchronization
import Testing

/// Tests that answers from memory and the framework's answers to the same requests are indistinguishable.
@Suite struct OperationQuickTests {
  /// The settings of a server, and its requests in sequence, each on its own connection.
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    var requests: [String] = []
    /// How many requests are answered without the framework.
    var quick = 0
    var settings: @Sendable (inout RegistrySettings) -> Void = { _ in }

    var testDescription: String { name }
  }

  private static func get(_ path: String, _ fields: String..., version: String = "1.1") -> String {
    "GET \(path) HTTP/\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  private static let item = "/api/v1/content/item-1"
  private static let list = "/api/v1/content/public"
  /// The requests for an item's first view, which the framework answers from the file.
  private static let seen = [get(item), get(list)]
  private static let forwarded = ["X-Forwarded-For: 203.0.113.9", "X-Forwarded-Proto: https"]

  private static let cases: [Case] = [
    Case(
      name: "items, with their views", requests: [get(item), get(item), get(item) + get(item), get(item)], quick: 4),
    Case(
      name: "lists, with views", requests: [get(list), get(list), get(item), get(list), get(item), get(list)], quick: 4),
    Case(
      name: "pages",
      requests: [
        "?limit=2", "?limit=2&offset=2", "?limit=2&page=2", "?cursor=&limit=3", "?tag=red&tag=blue",
        "?content_type=guide",
        "?language=pt", "?q=bilge", "?limit=2&whatever=%3C%22&x", "?limit=2#fragment",
      ].flatMap { [get(list + $0), get(list + $0)] }, quick: 11),
    Case(
      name: "requests that are refused",
      requests: seen
        + ["?limit=0", "?limit=2&limit=3", "?q=%FF", "?cursor=x", "/", "//"].flatMap {
          [get(list + $0), get(list + $0)]
        }),
    Case(
      name: "names of requests",
      requests: seen
        + [
          get(item, "X-Request-Id: mine-1"), get(item, "x-request-id: \(String(repeating: "a", count: 129))"),
          get(item, "X-Request-Id: two words"), get(item, "X-Request-Id: a", "X-Request-Id: b"),
        ], quick: 3),
    Case(
      name: "requests that ask for more",
      requests: seen
        + [
          get(item, "If-None-Match: *"), get(item, "If-None-Match: \"a\""), get(item, "Range: bytes=0-1"),
          get(item, "Authorization: Bearer a"), get(item, "Origin: https://a.example"), get(item, "Expect: nothing"),
          get(item, "Content-Encoding: gzip"), get(item, "Content-Length: 0"), get(item, "X-Unheard-Of: 1"),
          get(item, "Content-Length: 4") + "body", get(item, "Transfer-Encoding: chunked") + "0\r\n\r\n",
          get(item, "Host: b"), "GET \(item) HTTP/1.1\r\n\r\n", "HEAD \(item) HTTP/1.1\r\nHost: a\r\n\r\n",
          "HEAD \(list) HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS \(item) HTTP/1.1\r\nHost: a\r\n\r\n",
        ]),
    Case(
      name: "percent-encoded unreserved characters",
      requests: seen
        + [
          get("/api/v1/content/item%2D1"), get("/api/v1/content/%69tem-%31"), get("/%61pi/v1/content/item%2d1"),
          get("/api/v1/content/%70ublic"), get("/api/v1/content/%70ublic?tag=%72ed"),
          get("/api/v1/content/%70ublic?tag=%72ed"),
          get("http://a/api/v1/content/item%2D1"),
        ], quick: 5),
    Case(
      name: "other spellings",
      requests: seen
        + [
          get("/api/v1/content%2Fitem-1"), get("/api/v1%2Fcontent/item-1"), get("/api/v1/content/item%252D1"),
          get("/api/v1/content/item%2"), get("/api/v1/content/item%"), get("/api/v1/content/item%2G1"),
          get("/api/v1/content/item%+D1"), get("/api/v1/content/%2E/item-1"), get("/api/v1/content/x/%2E%2E/item-1"),
          get("/api/v1/content//item-1"), get(item + "/"), get(item + "?a=1"),
          get(item + "#a"), get("http://a" + item), get("/api/v1/content/ITEM-1"), get("/api/v1/content/gone"),
          get("/api/v1/content/mine"), get("/api/v1/content/share"), get("/api/v1/content/"), get("/health"),
          get("/api/v1/content/publi"), get("/api/v1/content/publicity"),
        ]),
    Case(
      name: "ends of connections",
      requests: seen
        + [
          get(item, "Connection: close"), get(item, "Connection: keep-alive"), get(item, "Connection: keep-alive, x"),
          get(item, version: "1.0"), get(item, "Connection: keep-alive", version: "1.0"),
          get(item, "Connection: close") + get(item), "nonsense\r\n\r\n",
        ], quick: 1),
    Case(
      name: "answers keep their order",
      requests: seen
        + [
          get(item) + get(list) + get("/health") + get(item) + get("/api/v1/content/gone") + get(list) + get(item),
          get("/ready") + get(item) + get(list),
        ], quick: 2),
    Case(
      name: "usual clients",
      requests: seen
        + [
          get(
            item, "User-Agent: curl/8.5.0", "Accept: */*", "Accept-Encoding: gzip, br", "ACCEPT-LANGUAGE: en",
            "Cache-Control: no-cache")
        ], quick: 1),
    Case(
      name: "the general limit",
      requests: seen + [get(item), get(list), get(item), get(list), get("/health"), get(item)],
      quick: 3,
      settings: {
        $0.limitsRates = true
        $0.limits.general = RateLimit(5, per: 60)
      }),
    Case(
      name: "origins that are named", requests: seen + [get(item), get(list), get(item, "Origin: https://a.example")],
      quick: 2, settings: { $0.corsOrigins = ["https://a.example"] }),
    Case(
      name: "all origins", requests: seen + [get(item), get(item, "Origin: https://a.example")], quick: 1,
      settings: { $0.corsOrigins = ["*"] }),
    Case(
      name: "a public address", requests: seen + [get(item), get(list)], quick: 2,
      settings: { $0.publicURL = "https://a.example" }),
    Case(
      name: "behind a proxy",
      requests: seen
        + [
          get(item, forwarded[0], forwarded[1]), get(item, "X-Forwarded-For: 192.0.2.1, 203.0.113.9"),
          get(list, "X-Forwarded-For: none", "X-Forwarded-Proto: http"), get(item, forwarded[0], forwarded[0]),
          get(item, forwarded[1], forwarded[1]),
        ], quick: 3,
      settings: {
        $0.trustsProxy = true
        $0.limitsRates = true
        $0.limits.general = RateLimit(50, per: 60)
      }),
    Case(
      name: "an untrusted proxy", requests: seen + [get(item, forwarded[0], forwarded[1])], quick: 1,
      settings: {
        $0.limitsRates = true
        $0.limits.general = RateLimit(50, per: 60)
      }),
  ]

  @Test(arguments: cases)
  func bothWaysAnswerTheSame(_ one: Case) async throws {
    let folder = Scratch()
    try await Self.fill(folder["seed.sqlite"])
    let slow = try await Self.run(one, folder, answersAtOnce: false)
    let quick = try await Self.run(one, folder, answersAtOnce: true)
    #expect(slow.quick == 0)
    #expect(quick.quick == one.quick)
    for (request, (expected, found)) in zip(one.requests, zip(slow.answers, quick.answers)) {
      #expect(found == expected, "\(request)")
    }
    #expect(quick.records == slow.records)
    #expect(quick.counts == slow.counts)
    #expect(slow.answers.contains { $0.contains { $0.contains("200 OK") } })
  }

  @Test func whatCannotBeReadEndsNoAnswerBeforeIt() async throws {
    try await TestServer.run { server in
      let ann = try await server.registry.store.person("ann")
      _ = try await server.registry.store.publish(StoreSamples.request("item-1"), by: ann)
      _ = try await server.send("GET", Self.item)
      for rest in ["nonsense\r\n\r\n", "GET \r\n\r\n"] {
        let wire = try await server.exchange(Array((Self.get(Self.item) + rest).utf8))
        let text = String(decoding: wire, as: UTF8.self)
        #expect(text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(text.contains("}HTTP/1.1 400 Bad Request\r\n"))
      }
    }
  }

  @Test func aStoreThatIsClosedAnswersNothing() async throws {
    let folder = Scratch()
    try await Self.fill(folder["registry.sqlite"])
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    #expect(store.viewAtHand(publicID: "item-1") { true } == nil)
    #expect(try await store.content(publicID: "item-1", countingView: true)?.head.viewCount == 1)
    #expect(store.viewAtHand(publicID: "item-1") { false } == nil)
    #expect(store.viewAtHand(publicID: "item-1") { true }?.item.head.viewCount == 2)
    #expect(store.pageAtHand(PublicQuery()) == nil)
    let page = try await store.list(PublicQuery())
    #expect(store.pageAtHand(PublicQuery()) == page)
    try await store.close()
    #expect(store.viewAtHand(publicID: "item-1") { true } == nil)
    #expect(store.pageAtHand(PublicQuery()) == nil)
  }

  @Test(arguments: [
    (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
    (1_767_607_872, "Mon, 05 Jan 2026 10:11:12 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
  ])
  func datesAreWrittenAsHTTPWantsThem(second: Int, text: String) { #expect(DateHeaderClock.text(second) == text) }

  // MARK: Running

  /// The results of a server.
  private struct Run {
    /// For each connection, the lines of its answers, without values that differ by chance.
    var answers: [[String]] = []
    var records: [String] = []
    var counts: [String] = []
    /// The number of requests answered outside any task.
    var quick = 0
  }

  private static func fill(_ path: String) async throws {
    let store = try SQLiteStore(path: path)
    let ann = try await store.person("ann")
    for number in 0..<7 {
      let request = StoreSamples.request(
        "item-\(number)", tags: number % 2 == 0 ? ["red", "blue"] : ["red"], language: number % 3 == 0 ? "pt-BR" : "en")
      _ = try await store.publish(request, by: ann, at: StoreSamples.time(Int64(number)))
    }
    _ = try await store.publish(StoreSamples.request("gone"), by: ann, at: StoreSamples.time(20))
    _ = try await store.run([.unpublish(publicID: "gone", ifMatch: nil)], by: ann, at: StoreSamples.time(21))
    try await store.close()
  }

  private static func run(_ one: Case, _ folder: Scratch, answersAtOnce: Bool) async throws -> Run {
    let path = folder["\(answersAtOnce).sqlite"]
    try FileManager.default.copyItem(atPath: folder["seed.sqlite"], toPath: path)
    let records = Mutex<[(name: String, isQuick: Bool)]>([])
    var settings = TestServer.settings
    one.settings(&settings)
    settings.answersAtOnce = answersAtOnce
    return try await TestServer.run(
      settings: settings, store: SQLiteStore(path: path),
      onRequest: { record in
        let isQuick = withUnsafeCurrentTask { $0 == nil }
        records.withLock { $0.append(("\(record.method) \(record.route) \(record.status)", isQuick)) }
      }
    ) { server in
      var run = Run()
      for request in one.requests {
        let wire = try await server.exchange(
          Array((request + "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").utf8))
        run.answers.append(Self.lines(wire))
      }
      let text = try await server.send("GET", "/metrics").text
      run.counts = text.split(separator: "\n").map(String.init).filter {
        $0.hasPrefix("http_requests_total") || $0.hasPrefix("sync_request_duration_seconds_count")
      }
      run.records = records.withLock { $0.map(\.name) }
      run.quick = records.withLock { $0.count { $0.isQuick } }
      return run
    }
  }

  /// Returns the lines of answers, sorted within each head, without dates and random names.
  private static func lines(_ wire: [UInt8]) -> [String] {
    let answers = String(decoding: wire, as: UTF8.self).components(separatedBy: "HTTP/1.1 ")
    return answers.flatMap { answer in
      answer.components(separatedBy: "\r\n").filter { line in
        let value = line.dropFirst("X-Request-Id: ".count)
        let isMadeUp = value.count == 16 && value.allSatisfy(\.isHexDigit)
        return !line.lowercased().hasPrefix("date: ") && !(line.hasPrefix("X-Request-Id: ") && isMadeUp)
          && !line.contains("\"code\":\"internal\"")
      }.sorted()
    }
  }
}
