import Dispatch
import Foundation
import Hummingbird
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import SignIn
import Testing

/// Connections that take too long, with limits of parts of a second.
@Suite struct OperationConnectionTests {
  /// Runs a server with the limits, and `body` on a thread that may wait.
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
    let (ports, announce) = AsyncStream.makeStream(of: Int.self)
    let application = RegistryServer.application(
      registry, host: "127.0.0.1", port: 0, limits: limits, log: log.logger(),
      onListening: {
        announce.yield($0)
        announce.finish()
      })
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        defer { announce.finish() }
        try await application.run()
      }
      let port = await ports.first { _ in true } ?? 0
      try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body(port, token) }) }
      }
      group.cancelAll()
      while case .some = await group.nextResult() {}
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
      // Every byte is in time for an idle timeout; all of them are not.
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
      // The JSON is complete, the request is not: blanks are missing.
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
      // Sent from a thread of its own: the server stops reading when nobody reads its answers.
      let sent = DispatchSemaphore(value: 0)
      Thread {
        for _ in 0..<20_000 { socket.send(request) }
        sent.signal()
      }.start()
      #expect(sent.wait(timeout: .now() + 25) == .success, "sending ends because the server closed")
      #expect(ProcessClient(port: port).send("GET", "/health")?.status == 200)
    }
  }

  @Test func connectionsWithoutARequestAreClosed() async throws {
    var limits = ConnectionLimits()
    limits.idle = .milliseconds(300)
    try await withServer(limits) { port, _ in
      let silent = try LoopbackSocket(port: port)
      #expect(silent.receive().isEmpty)
      let dripping = try LoopbackSocket(port: port)
      for byte in "GET /health HTTP/1.1\r\nX: ".utf8 {
        dripping.send([byte])
        usleep(30_000)
      }
      #expect(dripping.receive().isEmpty)
    }
  }
}
