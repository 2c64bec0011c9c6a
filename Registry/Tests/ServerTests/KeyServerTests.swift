import HTTPTypes
import Hummingbird
import RegistryModel
import RegistryTestSupport
import Testing

@testable import SignIn

/// Tests the key source over HTTP: another server on this machine, with good and bad answers.
@Suite("Apple's keys over HTTP")
struct KeyServerTests {
  /// Runs a server with one answer per path.
  private func run(_ keySet: String, _ body: @Sendable (_ base: String) async throws -> Void) async throws {
    let router = Router()
    router.get("good") { _, _ in keySet }
    router.get("missing") { _, _ -> Response in
      Response(status: .notFound, body: .init(byteBuffer: .init(string: keySet)))
    }
    router.get("moved") { _, _ -> Response in Response(status: .found, headers: [.location: "/good"]) }
    router.get("huge") { _, _ -> Response in
      Response(
        status: .ok,
        body: .init { writer in
          let piece = ByteBuffer(repeating: 0x20, count: 65536)
          for _ in 0..<1024 { try await writer.write(piece) }
          try await writer.write(ByteBuffer(string: keySet))
          try await writer.finish(nil)
        })
    }
    router.get("never") { _, _ in
      try await Task.sleep(for: .seconds(60))
      return keySet
    }
    try await whileServing { onListening in
      Application(
        router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { onListening($0.localAddress?.port ?? 0) }, logger: LogBook().logger())
    } _: { port in
      try await body("http://127.0.0.1:\(port)/")
    }
  }

  @Test("Keys are accepted only from a good answer")
  func answers() async throws {
    let forge = try await TokenForge.shared.value
    try await run(try forge.keySet()) { base in
      let clock = HandClock()
      func keys(_ path: String, timeout: Double = 20) -> AppleKeys {
        AppleKeys(.url(base + path), clock: clock.clock, log: LogBook().logger(), timeout: timeout)
      }
      _ = try await keys("good").key("first")
      for path in ["missing", "moved", "huge", "nothing"] {
        await #expect(throws: SignInFailure.keysUnavailable, "\(path)") { _ = try await keys(path).key("first") }
      }
      await #expect(throws: SignInFailure.keysUnavailable) { _ = try await keys("never", timeout: 0.2).key("first") }
    }
  }

  @Test("Without keys signing in answers 503 and when to come again")
  func unavailable() async throws {
    let forge = try await TokenForge.shared.value
    try await TestServer.run(appleKeys: .url("http://127.0.0.1:1/keys")) { server in
      let token = try forge.rs256(TokenForge.identity(now: server.clock.now))
      let answer = try await server.send(
        "POST", "/api/v1/auth/apple-signin", body: #"{"identity_token":"\#(token)"}"#)
      #expect(answer.status == 503 && answer.problemCode == "unavailable", "\(answer.text)")
      #expect(answer.header("retry-after") == "60")
    }
  }
}
