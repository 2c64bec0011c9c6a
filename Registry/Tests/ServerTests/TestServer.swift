import Content
import Foundation
import Hummingbird
import Logging
import RegistryAPI
import RegistryModel
import RegistryStore
import RegistryTestSupport
import SignIn

/// The whole interface on a port of 127.0.0.1, with its own store, in the test's process.
///
/// The clock stops until a test moves `clock`. Rate limits are off unless a test's settings turn them on.
struct TestServer: Sendable {
  let port: Int
  let registry: Registry
  let clock: HandClock
  let log: LogBook

  /// A user who is signed in.
  struct Person: Sendable {
    let grant: Grant
    var id: RegistryID { grant.user.id }
    var token: String { grant.accessToken }
  }

  /// The secret that signs access tokens.
  static let secret = "a-secret-for-tests-that-is-long-enough-0123456789"

  /// The settings for most tests: development (so that anybody can sign in), without rate limits.
  static var settings: RegistrySettings {
    var settings = RegistrySettings()
    settings.isDevelopment = true
    settings.limitsRates = false
    return settings
  }

  /// Starts a server, lets `body` use it, and stops it.
  static func run<Result: Sendable>(
    settings: RegistrySettings = Self.settings, tokens: TokenSettings = TokenSettings(),
    appleKeys: KeySource = .file("/nowhere"), clock: HandClock = HandClock(), store: (any RegistryStore)? = nil,
    onRequest: @escaping @Sendable (RequestRecord) -> Void = { _ in },
    _ body: @Sendable (TestServer) async throws -> Result
  ) async throws -> Result {
    let scratch = Scratch()
    let store = try store ?? TestStore.make(in: scratch)
    let log = LogBook()
    let authority = try await TokenAuthority(
      store: store, keys: SigningKeys(secret: secret),
      appleKeys: AppleKeys(appleKeys, clock: clock.clock, log: log.logger()), settings: tokens, clock: clock.clock,
      log: log.logger())
    var registry = Registry(store: store, signIn: authority, clock: clock.clock, settings: settings)
    registry.onRequest = onRequest
    let served = registry
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await whileServing {
          RegistryServer.application(served, host: "127.0.0.1", port: 0, log: log.logger(), onListening: $0)
        } _: { port in
          try await body(TestServer(port: port, registry: served, clock: clock, log: log))
        })
    } catch {
      result = .failure(error)
    }
    try? await store.close()
    withExtendedLifetime(scratch) {}
    return try result.get()
  }

  /// Signs a user in like the test sign-in, but without a request.
  func person(_ name: String = "captain") async throws -> Person {
    Person(grant: try await registry.signIn.signInForTest(email: name + "@example.com"))
  }

  /// Sends a request on a new connection and reads the whole answer.
  /// - Parameter path: The path with its prefix, such as `/api/v1/users/me`.
  /// - Parameter body: The JSON body, if any; `Content-Type` is added unless given.
  func send(
    _ method: String, _ path: String, token: String? = nil, headers: [(String, String)] = [], body: String? = nil
  ) async throws -> HTTPAnswer {
    var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Connection: close"]
    lines += headers.map { "\($0.0): \($0.1)" }
    if let token { lines.append("Authorization: Bearer \(token)") }
    if let body {
      lines.append("Content-Length: \(body.utf8.count)")
      if !headers.contains(where: { $0.0.lowercased() == "content-type" }) {
        lines.append("Content-Type: application/json")
      }
    }
    let bytes = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")).utf8)
    let wire = try await exchange(bytes)
    guard let answer = HTTPAnswer(wire: wire, toHead: method == "HEAD") else {
      throw NoAnswer(wire: String(decoding: wire.prefix(2000), as: UTF8.self))
    }
    DescribedInterface.shared?.check(method, path, answer)
    return answer
  }

  /// Sends raw bytes and returns everything that arrives until the server closes the connection.
  func exchange(_ bytes: [UInt8]) async throws -> [UInt8] {
    let port = port
    return try await withCheckedThrowingContinuation { continuation in
      // The exchange uses a separate thread, which may wait: the server needs the cooperative threads, and its database
      // needs the threads of the dispatch queues.
      Thread.detachNewThread {
        continuation.resume(
          with: Swift.Result {
            let socket = try LoopbackSocket(port: port)
            socket.send(bytes)
            return socket.receiveAll()
          })
      }
    }
  }

  /// The error for received bytes that were not a complete HTTP answer.
  struct NoAnswer: Error {
    let wire: String
  }
}
