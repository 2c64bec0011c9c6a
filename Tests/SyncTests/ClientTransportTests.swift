import Foundation
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// The client's behaviour with misbehaving networks and servers.
@Suite struct ClientTransportTests {
  private static let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","email":null,"username":"captain"}"#

  private func client(_ url: String, timeout: Double = 5, token: String = "token") throws -> RegistryClient {
    try RegistryConnection(
      RegistryAddress(url), timeout: timeout, environment: ["HOME": "/nowhere", "FLEETKIT_TOKEN": token]
    ).client()
  }

  private func error(_ body: () throws -> Void) -> RegistryError? {
    do {
      try body()
      Issue.record("there was no error")
    } catch let error as RegistryError {
      return error
    } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  private func errorOfMe(
    timeout: Double = 5, _ script: @escaping @Sendable (ScriptedServer.Request) -> ScriptedServer.Reply
  ) throws -> RegistryError? {
    let server = try ScriptedServer(script)
    let client = try client(server.url, timeout: timeout)
    return error { _ = try client.me() }
  }

  @Test func requestsShareAConnectionAndSayWhoAsks() throws {
    let server = try ScriptedServer { _ in .answer(200, [], Self.user) }
    let client = try client(server.url)
    for _ in 0..<3 { #expect(try client.me().username == "captain") }
    #expect(server.connections == 1)
    let request = try #require(server.requests.first)
    #expect(request.line == "GET /api/v1/users/me HTTP/1.1")
    #expect(request.field("User-Agent") == "fleetkit/0.1.0" && request.field("Accept") == "application/json")
    #expect(request.field("Authorization") == "Bearer token" && request.field("Content-Type") == nil)
  }

  @Test func largeBodiesGoOutAtOnce() throws {
    let server = try ScriptedServer { _ in .answer(200, [], #"{"results":[{"status":204,"body":null}]}"#) }
    let payload = Array((#"{"public_id":""# + String(repeating: "a", count: 3 << 20) + #""}"#).utf8)
    #expect(
      try client(server.url).batch([BatchCall(operation: "unpublish", payload: payload)], key: "k") == [.withdrawn])
    let request = try #require(server.requests.first)
    #expect(request.field("Expect") == nil && request.field("Content-Type") == "application/json")
    #expect(request.field("Idempotency-Key") == "k" && request.body.count > payload.count)
  }

  @Test func whoeverIsNotThereIsUnreachable() throws {
    let gone = try ScriptedServer { _ in .close }
    gone.end()
    for url in [gone.url, "https://nobody.invalid"] {
      guard case .unreachable(let words)? = error({ _ = try client(url).me() }) else {
        Issue.record("\(url) is not unreachable")
        continue
      }
      #expect(words.contains(url))
    }
    // The server accepts the connection but never starts the TLS handshake, so the request was not sent.
    let silent = try ScriptedServer { _ in .hang }
    let https = "https://127.0.0.1:\(silent.port)"
    guard case .unreachable? = error({ _ = try client(https, timeout: 0.4).me() }) else {
      Issue.record("a silent server is not unreachable")
      return
    }
    #expect(silent.requests.isEmpty)
  }

  @Test func noAnswerIsATimeout() throws {
    for reply in [ScriptedServer.Reply.hang, .drip("HTTP/1.1 200 OK\r\nA: " + String(repeating: "a", count: 9999), 20)]
    {
      let start = ContinuousClock.now
      let error = try errorOfMe(timeout: 0.4) { _ in reply }
      guard case .timedOut? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
      // The whole answer would take three minutes to arrive at this rate.
      #expect(ContinuousClock.now - start < .seconds(60))
    }
  }

  @Test func anAnswerThatEndsTooSoonIsBroken() throws {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"
    for reply in [ScriptedServer.Reply.reset, .close, .bytes(head), .bytes("HTTP/1.1 200 OK\r\nContent-Le")] {
      let error = try errorOfMe { _ in reply }
      guard case .broken? = error else {
        Issue.record("\(reply): \(String(describing: error))")
        continue
      }
    }
  }

  @Test func aKeptConnectionThatWasClosedIsReplacedByItself() throws {
    let server = try ScriptedServer { request in
      // The connection ends after the first answer. It ends again during the third request.
      switch request.number {
      case 0: .answerAndClose(200, Self.user)
      case 2: .close
      default: .answer(200, [], Self.user)
      }
    }
    let client = try client(server.url)
    for _ in 0..<3 {
      #expect(try client.me().username == "captain")
      usleep(20_000)
    }
    #expect(server.connections == 3 && server.requests.count == 4)
  }

  @Test func whatCountsGoesOutOnce() throws {
    let server = try ScriptedServer { $0.line.hasPrefix("POST") ? .close : .answer(200, [], Self.user) }
    let client = try client(server.url)
    _ = try client.me()
    guard case .broken? = error({ try client.countFork("a-b") }) else {
      Issue.record("not broken")
      return
    }
    #expect(server.requests.filter { $0.line.hasPrefix("POST /api/v1/content/a-b/fork") }.count == 1)
  }

  @Test func whatIsNoAnswerOfARegistryIsUnreadable() throws {
    let long = String(repeating: "a", count: 80 << 10)
    let replies: [ScriptedServer.Reply] = [
      .bytes("hello\r\n"), .answer(200, [], "<html>Welcome to the harbour</html>"), .answer(200, [], ""),
      .answer(200, [], #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f"}"#), .answer(200, [], "[]"),
      .answer(200, [], #"{"id":7,"username":"a"}"#),
      .answer(200, [], #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","username":"a","username":"b"}"#),
      .answer(200, ["X-Long: \(long)"], Self.user),
      .answer(200, [], "\"" + String(repeating: "a", count: 17 << 20) + "\""),
    ]
    for reply in replies {
      let error = try errorOfMe { _ in reply }
      guard case .unreadable? = error else {
        Issue.record("\(String(describing: error))")
        continue
      }
    }
    let short = try ScriptedServer { _ in .answer(200, [], #"{"results":[]}"#) }
    let error = error { _ = try client(short.url).batch([BatchCall(operation: "unpublish", payload: [])], key: "k") }
    guard case .unreadable? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  @Test func membersThatNobodyKnowsArePassedOver() throws {
    let server = try ScriptedServer { _ in
      .answer(200, [], Self.user.replacingOccurrences(of: "{", with: #"{"new":[{}],"#))
    }
    #expect(try client(server.url).me().username == "captain")
  }

  @Test func redirectsAreNamedAndNotFollowed() throws {
    let other = try ScriptedServer { _ in .answer(200, [], Self.user) }
    let error = try errorOfMe { _ in .answer(302, ["Location: \(other.url)/welcome"]) }
    guard case .unreachable(let words)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(words.contains("\(other.url)/welcome") && other.requests.isEmpty)
  }

  @Test func aPageInPlaceOfAnErrorIsCutToOneLine() throws {
    let page =
      "<html><head><title>502 Bad Gateway</title></head>\n<body>\u{1B}[31mnginx\u{202E}"
      + String(repeating: " word", count: 500)
    let error = try errorOfMe { _ in .answer(502, ["Content-Type: text/html", "Retry-After: 7"], page) }
    guard case .refused(let refusal)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(refusal.status == 502 && refusal.code == nil && refusal.retryAfter == 7)
    #expect(refusal.detail.contains(" 502 Bad Gateway [31mnginx word") && !refusal.detail.contains("\n"))
    #expect(refusal.detail.count < 500 && refusal.detail.hasSuffix("…"))
  }

  @Test func retryAfterIsSecondsOrADate() throws {
    let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT"
    let cases: [([String], Double?)] = [
      (["Retry-After: 120"], 120), ([date, "Retry-After: Sun, 06 Nov 1994 08:50:07 GMT"], 30),
      ([date, "Retry-After: Sun, 06 Nov 1994 08:00:00 GMT"], 0), (["Retry-After: soon"], nil), ([], nil),
      (["Retry-After: -5"], nil),
    ]
    for (fields, seconds) in cases {
      let error = try errorOfMe { _ in
        .answer(429, fields, #"{"status":429,"code":"rate_limited","detail":"Too fast."}"#)
      }
      #expect(
        error
          == .refused(RegistryRefusal(status: 429, code: "rate_limited", detail: "Too fast.", retryAfter: seconds)))
    }
  }

  @Test func textsThatWouldEndALineAreNotSent() throws {
    let server = try ScriptedServer { _ in .answer(200, [], Self.user) }
    #expect(throws: RegistryError.self) { _ = try client(server.url).publish([], key: "a\r\nX: y") }
    #expect(server.requests.isEmpty)
  }

  @Test func manyThreadsAskAtOnce() throws {
    let server = try ScriptedServer { _ in .answer(200, [], Self.user) }
    let client = try client(server.url)
    let good = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 400) { _ in
      if (try? client.me())?.username == "captain" { good.add(1, ordering: .relaxed) }
    }
    #expect(good.load(ordering: .relaxed) == 400 && server.requests.count == 400 && server.connections < 100)
  }

  @Test func aCallUnderWayCanBeEnded() throws {
    let server = try ScriptedServer { _ in .hang }
    let client = try client(server.url, timeout: 60)
    Thread.detachNewThread {
      while server.requests.isEmpty { usleep(10_000) }
      client.stop()
    }
    let start = ContinuousClock.now
    guard case .broken? = error({ _ = try client.me() }) else {
      Issue.record("not broken")
      return
    }
    #expect(ContinuousClock.now - start < .seconds(50))
  }
}
