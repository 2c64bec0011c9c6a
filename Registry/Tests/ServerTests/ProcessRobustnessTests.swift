import Foundation
import RegistryTestSupport
import Testing

/// Tests bytes that no FleetKit client sends: the server answers with a problem or closes the connection, and continues
/// to serve all other clients.
@Suite struct ProcessRobustnessTests {
  private static let environment = ["JWT_SECRET_KEY": String(repeating: "k", count: 40), "RATE_LIMIT_ENABLED": "false"]
  private let scratch = Scratch()

  private func server(_ more: [String] = []) throws -> ProcessServer {
    let server = try ProcessServer(
      ["--database", scratch["registry.sqlite"], "--port", "0", "--dev"] + more, environment: Self.environment)
    try #require(server.port > 0, "\(server.logged)")
    return server
  }

  /// Sends bytes, optionally closes the sending side, and returns everything that arrived.
  private func exchange(_ port: Int, _ bytes: [UInt8]) throws -> HTTPAnswer? {
    let socket = try LoopbackSocket(port: port)
    socket.send(bytes)
    return HTTPAnswer(wire: socket.receiveAll())
  }

  /// Invalid requests, by name: the bytes themselves would fill pages when a test fails.
  enum Nonsense: String, CaseIterable {
    case version, tls, fieldName, emptyFieldName, words, zeros, negativeLength, twoLengths, chunkSize, lengthAndChunks
    case longField, longTarget, manyFields

    var text: String {
      let post = "POST /health HTTP/1.1\r\nHost: a\r\n"
      let get = "GET /health HTTP/1.1\r\nHost: a\r\n"
      return switch self {
      case .version: "GET / HTTP/9.9\r\n\r\n"
      case .tls: "\u{16}\u{3}\u{1}\u{2}\u{0}\u{1}\u{0}\u{1}\u{FC}\u{3}\u{3}"
      case .fieldName: get + "Bad Name: x\r\n\r\n"
      case .emptyFieldName: get + ": x\r\n\r\n"
      case .words: "NONSENSE\r\n\r\n"
      case .zeros: "\0\0\0\0\r\n\r\n"
      case .negativeLength: post + "Content-Length: -1\r\n\r\n"
      case .twoLengths: post + "Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"
      case .chunkSize: post + "Transfer-Encoding: chunked\r\n\r\nzz\r\n"
      case .lengthAndChunks: post + "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      case .longField: get + "X: " + String(repeating: "x", count: 40_000) + "\r\n\r\n"
      case .longTarget: "GET /" + String(repeating: "x", count: 90_000) + " HTTP/1.1\r\nHost: a\r\n\r\n"
      case .manyFields: get + (0..<500).map { "X-\($0): y\r\n" }.joined() + "\r\n"
      }
    }

    var status: Int {
      switch self {
      case .longField, .longTarget, .manyFields: 431
      default: 400
      }
    }
  }

  @Test(arguments: Nonsense.allCases)
  func whatIsNoRequestIsAnsweredAndClosed(nonsense: Nonsense) throws {
    let server = try server()
    let answer = try #require(try exchange(server.port, Array(nonsense.text.utf8)))
    #expect(answer.status == nonsense.status)
    #expect(answer.header("Content-Type") == "application/problem+json")
    #expect(answer.header("Connection") == "close")
    #expect(ProcessClient(port: server.port).send("GET", "/health")?.status == 200)
    #expect(server.stop().status == 0)
  }

  @Test func randomBytesDoNoHarm() throws {
    let server = try server()
    var random = SeededNumbers(seed: 20_261_122)
    for round in 0..<200 {
      var bytes = (0..<random.below(400)).map { _ in UInt8(random.below(256)) }
      if round % 2 == 0 { bytes = Array("GET /health HTTP/1.1\r\nHost: a\r\n".utf8) + bytes }
      bytes += Array("\r\n\r\n".utf8)
      let socket = try LoopbackSocket(port: server.port)
      socket.send(bytes)
      if round % 20 == 0 { _ = socket.receive() }
    }
    #expect(ProcessClient(port: server.port).send("GET", "/health")?.status == 200)
    let end = server.stop()
    #expect(end.status == 0)
    #expect(!end.errors.contains("\"level\":\"error\""), "\(end.errors.prefix(2000))")
  }

  @Test func halfRequestsAndIdleConnectionsStopNobody() throws {
    let server = try server()
    // Three hundred clients send a few bytes and wait.
    let slow = try (0..<300).map { number in
      let socket = try LoopbackSocket(port: server.port)
      if number % 3 > 0 { socket.send(Array("GET /health HTTP/1.1\r\nHost: a\r\nX-Slow: ".utf8)) }
      if number % 3 > 1 { socket.send(Array("y".utf8)) }
      return socket
    }
    for _ in 0..<20 { #expect(ProcessClient(port: server.port).send("GET", "/health")?.status == 200) }
    let begin = ContinuousClock.now
    #expect(server.stop().status == 0)
    #expect(ContinuousClock.now - begin < .seconds(12), "they do not keep it from stopping")
    withExtendedLifetime(slow) {}
  }

  @Test func packedBodiesAreNotUnpacked() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn())
    for encoding in ["gzip", "deflate", "br", "zstd", "gzip, gzip", "GZIP"] {
      let answer = client.send(
        "POST", "/api/v1/content/share", token: token, headers: [("Content-Encoding", encoding)], body: "{}")
      #expect(answer?.status == 415)
      #expect(answer?.problemCode == "unsupported_media_type")
    }
    let plain = client.send(
      "POST", "/api/v1/content/share", token: token, headers: [("Content-Encoding", "identity")],
      body: ProcessClient.publication("plain-0A1B2C3D", title: "Plain"))
    #expect(plain?.status == 201)
    server.stop()
  }

  @Test func deepAndWideJSONIsBounded() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn())
    for body in [
      String(repeating: "[", count: 500_000), String(repeating: "{\"a\":", count: 100_000),
      "{\"title\":\"x\",\"content_data\":" + String(repeating: "[", count: 100)
        + String(repeating: "]", count: 100) + "}",
    ] {
      let answer = client.send("POST", "/api/v1/content/share", token: token, body: body)
      #expect([400, 422].contains(answer?.status ?? 0))
    }
    #expect(client.send("GET", "/health")?.status == 200)
    server.stop()
  }

  @Test func bodiesThatAreTooLargeAreRefused() throws {
    let server = try server(["--max-body", "4096"])
    let client = ProcessClient(port: server.port)
    let token = try #require(client.signIn())
    let large = String(repeating: " ", count: 5000) + "{}"
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: large)?.status == 413)
    let huge = String(repeating: " ", count: 70_000) + "{}"
    let answer = client.send("POST", "/api/v1/content/batch", token: token, body: huge)
    #expect(answer?.status == 413)
    #expect(answer?.problemCode == "body_too_large")
    // The body is sent without a length, chunk by chunk.
    let chunk = "1000\r\n" + String(repeating: " ", count: 4096) + "\r\n"
    let head =
      "POST /api/v1/content/share HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    let chunked = ProcessClient(port: server.port)
    let bytes = Array((head + String(repeating: chunk, count: 30) + "0\r\n\r\n").utf8)
    #expect(chunked.exchange(bytes)?.status == 413)
    #expect(client.send("GET", "/health")?.status == 200)
    server.stop()
  }

  @Test func manyRequestsInOneBreathAreAnsweredInTheirOrder() throws {
    let server = try server()
    let client = ProcessClient(port: server.port)
    let ids = (0..<50).map { "id-\($0)" }
    let requests = ids.map { "GET /health HTTP/1.1\r\nHost: a\r\nX-Request-Id: \($0)\r\n\r\n" }.joined()
    let socket = try LoopbackSocket(port: server.port)
    socket.send(Array((requests + "GET /health HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").utf8))
    let text = String(decoding: socket.receiveAll(), as: UTF8.self)
    let answered = text.split(separator: "\r\n").filter { $0.hasPrefix("X-Request-Id: id-") }.map { $0.dropFirst(14) }
    #expect(answered.map(String.init) == ids)
    #expect(client.send("GET", "/health")?.status == 200)
    server.stop()
  }

  @Test func whoExpectsToContinueIsToldTo() throws {
    let server = try server()
    let token = try #require(ProcessClient(port: server.port).signIn())
    let body = ProcessClient.publication("continue-0A1B2C3D", title: "Continue")
    let socket = try LoopbackSocket(port: server.port)
    socket.send(
      Array(
        ("POST /api/v1/content/share HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\nConnection: close\r\n"
          + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\nExpect: 100-continue\r\n\r\n").utf8
      ))
    #expect(String(decoding: socket.receive(), as: UTF8.self).hasPrefix("HTTP/1.1 100 Continue\r\n"))
    socket.send(Array(body.utf8))
    #expect(HTTPAnswer(wire: socket.receiveAll())?.status == 201)
    server.stop()
  }
}
