import Dispatch
import Foundation
import Hummingbird
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import SignIn
import Testing

/// Tests connections that take too long, with limits of fractions of a second.
@Suite struct OperationConnectionTests {
  /// Runs a server with the given limits, and runs `body` on a thread that may block.
  private func withServer(
    _ limits: ConnectionLimits, _ body: @escaping @Sendable (_ port: Int, _ token: String) throws -> Void
  ) async throws {
    let scratch = Scratch()
    let store = try TestStore.make(in: scratch)
    let log = LogBook()
    let authority = try await TokenAuthority(
      store: store, keys: SigningKeys(secret: TestServer.secret), appleKeys: AppleKeys(.file("/nowhere")))
    let registry = Registry(store: store, signIn: authority, settings: TestServer.settings)
    let token = try await authority.signInForTest(email: "captain@example.com").accessToken
    try await whileServing {
      RegistryServer.application(
        registry, host: "127.0.0.1", port: 0, limits: limits, log: log.logger(), onListening: $0)
    } _: { port in
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body(port, token) }) }
      }
    }
    try await store.close()
    withExtendedLifetime(scratch) {}
  }

  private static func head(_ token: String, length: Int) -> String {
    "POST /api/v1/content/share HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test func aBodyThatDripsInIsGivenUp() async throws {
    var limits = ConnectionLimits()
    limits.receiving = .milliseconds(400)
    try await withServer(limits) { port, token in
      let body = ProcessClient.publication("slow-0A1B2C3D", title: "Slow")
      let socket = try LoopbackSocket(port: port)
      socket.send(Array(Self.head(token, length: body.utf8.count).utf8))
      // Every byte arrives within the idle timeout, but all of them together take too long.
      for byte in body.utf8.prefix(30) {
        socket.send([byte])
        usleep(30_000)
      }
      let answer = try #require(HTTPAnswer(wire: socket.receiveAll()))
      #expect(answer.status == 408)
      #expect(answer.problemCode == "request_timeout")
      #expect(answer.header("Connection") == "close")
      #expect(ProcessClient(port: port).send("GET", "/api/v1/content/slow-0A1B2C3D")?.status == 404)
    }
  }

  @Test func aWholeDocumentInAnUnfinishedBodyIsNotTaken() async throws {
    var limits = ConnectionLimits()
    limits.receiving = .milliseconds(300)
    try await withServer(limits) { port, token in
      // The JSON is complete, but the request is not: trailing spaces are missing.
      let body = ProcessClient.publication("unfinished-0A1B2C3D", title: "Unfinished")
      let late = try LoopbackSocket(port: port)
      late.send(Array((Self.head(token, length: body.utf8.count + 5) + body).utf8))
      #expect(HTTPAnswer(wire: late.receiveAll())?.status == 408)
      let gone = try LoopbackSocket(port: port)
      gone.send(Array((Self.head(token, length: body.utf8.count + 5) + body).utf8))
      gone.finishSending()
      let answer = HTTPAnswer(wire: gone.receiveAll())
      #expect(answer == nil || answer?.status == 400)
      #expect(ProcessClient(port: port).send("GET", "/api/v1/content/unfinished-0A1B2C3D")?.status == 404)
    }
  }

  @Test func whoDoesNotReadTheAnswerIsGivenUp() async throws {
    var limits = ConnectionLimits()
    limits.answering = .milliseconds(500)
    try await withServer(limits) { port, _ in
      let socket = try LoopbackSocket(port: port)
      let request = Array("GET /metrics HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
      // The requests are sent from a separate thread: the server stops reading when its answers are not read.
      let sent = DispatchSemaphore(value: 0)
      Thread {
        for _ in 0..<20_000 { socket.send(request) }
        sent.signal()
      }.start()
      #expect(sent.wait(timeout: .now() + 25) == .success, "sending ends because the server closed")
      // The requests may keep the server busy for longer than an answer may take in this test.
      var status: Int?
      for _ in 0..<200 where status != 200 {
        usleep(100_000)
        status = ProcessClient(port: port).send("GET", "/health")?.status
      }
      #expect(status == 200)
    }
  }

  @Test func connectionsWithoutARequestAreClosed() async throws {
    var limits = ConnectionLimits()
    limits.idle = .seconds(1)
    try await withServer(limits) { port, _ in
      let silent = try LoopbackSocket(port: port)
      #expect(silent.receive().isEmpty)
      let dripping = try LoopbackSocket(port: port)
      for byte in "GET /health HTTP/1.1\r\nX: ".utf8 {
        dripping.send([byte])
        usleep(50_000)
      }
      #expect(dripping.receive().isEmpty)
      // Answers from memory, which do not reach the framework, keep a connection open for the same limited time.
      let socket = try LoopbackSocket(port: port)
      for _ in 0..<6 {
        socket.send(Array("GET /api/v1/content/public HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        #expect(!socket.receive().isEmpty)
        usleep(200_000)
      }
      #expect(socket.receive().isEmpty)
    }
  }
  private static let health = "GET /health HTTP/1.1\r\nHost: a\r\n\r\n"

  @Test(arguments: [
    "GET /health HTTP/1.1\r\n\r\n", "GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n",
    "GET http://a/health HTTP/1.1\r\n\r\n", "GET /health HTTP/1.1\r\nhost: a\r\nX: y\r\nHOST: b\r\n\r\n",
  ])
  func aRequestSaysOnceWhichHostItIsFor(request: String) async throws {
    try await withServer(ConnectionLimits()) { port, _ in
      let socket = try LoopbackSocket(port: port)
      // The rest of the connection is ignored.
      socket.send(Array((request + Self.health).utf8))
      let answer = try #require(HTTPAnswer(wire: socket.receiveAll()))
      #expect(answer.status == 400)
      #expect(answer.problemCode == "invalid_request")
      #expect(answer.header("Connection") == "close")
    }
  }

  @Test(arguments: [
    "GET /health HTTP/1.0\r\n\r\n", "GET /health HTTP/1.1\r\nHost:\r\nConnection: close\r\n\r\n",
    "GET http://b/health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
  ])
  func noHostMayBeNamed(request: String) async throws {
    try await withServer(ConnectionLimits()) { port, _ in
      let socket = try LoopbackSocket(port: port)
      socket.send(Array(request.utf8))
      #expect(HTTPAnswer(wire: socket.receiveAll())?.status == 200)
    }
  }

  @Test(arguments: [
    "nonsense\r\n\r\n", "\u{1}\u{2}\u{3}", "GET /health HTTP/1.1\r\n\r\n", "GET /health HTTP/9.9\r\nHost: a\r\n\r\n",
  ])
  func bytesBehindARequestThatAreNoneAreRefused(garbage: String) async throws {
    try await withServer(ConnectionLimits()) { port, _ in
      for pause: useconds_t in [0, 50_000] {
        for before in 1...3 {
          let socket = try LoopbackSocket(port: port)
          socket.send(Array(String(repeating: Self.health, count: before).utf8))
          usleep(pause)
          socket.send(Array((garbage + Self.health).utf8))
          let wire = String(decoding: socket.receiveAll(), as: UTF8.self)
          let statuses = wire.split(separator: "HTTP/1.1 ").map { $0.prefix(3) }.filter { Int($0) != nil }
          #expect(statuses == Array(repeating: "200", count: before) + ["400"], "\(pause) \(before)")
          #expect(wire.lowercased().contains("connection: close"))
        }
      }
    }
  }
  @Test func refusalsOfAHeadAreDescribed() async throws {
    try await withServer(ConnectionLimits()) { port, _ in
      let heads = [
        431: "GET /health HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        400: "GET /health HTTP/1.1\r\n\r\n",
      ]
      for (status, head) in heads {
        let socket = try LoopbackSocket(port: port)
        socket.send(Array(head.utf8))
        let answer = try #require(HTTPAnswer(wire: socket.receiveAll()))
        #expect(answer.status == status)
        try #require(DescribedInterface.shared).check("GET", "/health", answer)
      }
    }
  }
}
