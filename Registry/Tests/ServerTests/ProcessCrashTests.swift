import Foundation
import RegistryTestSupport
import Synchronization
import Testing

/// Kills or stops the server while clients write: acknowledged changes are stored, and the others are stored completely
/// or not at all.
@Suite(.serialized) struct ProcessCrashTests {
  private static let rounds = ProcessInfo.processInfo.environment["FLEETKIT_CRASH_RUNS"].flatMap { Int($0) } ?? 3
  private static let writers = 4
  private static let environment = ["JWT_SECRET_KEY": String(repeating: "k", count: 40), "RATE_LIMIT_ENABLED": "false"]

  /// A writer's record of one item.
  private struct Known: Sendable {
    /// The last acknowledged state: a title, or nil for "does not exist".
    var acknowledged: String?
    /// The state after a request without an answer.
    var pending: String??
    /// Whether a publication of the item was ever acknowledged.
    var isPublished = false
  }

  private func arguments(_ scratch: Scratch) -> [String] {
    ["--database", scratch["registry.sqlite"], "--port", "0", "--dev", "--log-level", "warning"]
  }

  /// Writes until the server is gone, one item after another: each item is published, often changed, and sometimes
  /// unpublished.
  private func write(
    _ round: Int, _ writer: Int, port: Int, token: String, onFirst: () -> Void
  ) -> [String: Known] {
    let client = ProcessClient(port: port)
    var items: [String: Known] = [:]
    for number in 0... {
      let slug = "item-\(round)-\(writer)-\(number)-0A1B2C3D"
      let title = "Item \(round) \(writer) \(number)"
      items[slug] = Known(acknowledged: nil, pending: .some(title))
      let body = ProcessClient.publication(slug, title: title, sections: 1 + number % 20)
      guard let answer = client.send("POST", "/api/v1/content/share", token: token, body: body), answer.status == 201
      else { return items }
      items[slug] = Known(acknowledged: title, isPublished: true)
      if number == 0 { onFirst() }
      if number % 3 == 1 {
        items[slug]?.pending = .some(title + " changed")
        let change = "{\"title\":\"\(title) changed\"}"
        guard let answer = client.send("PUT", "/api/v1/content/\(slug)", token: token, body: change),
          answer.status == 200
        else { return items }
        items[slug] = Known(acknowledged: title + " changed", isPublished: true)
      }
      if number % 5 == 2 {
        items[slug]?.pending = .some(nil)
        guard let answer = client.send("DELETE", "/api/v1/content/\(slug)", token: token), answer.status == 204 else {
          return items
        }
        items[slug] = Known(acknowledged: nil, isPublished: true)
      }
    }
    return items
  }

  /// Lets writers run against a server, ends it with `end` once it has acknowledged a change, and returns the writers'
  /// records.
  private func writeUntilEnd(
    _ round: Int, _ server: ProcessServer, end: (ProcessServer) -> Void
  ) throws -> [String: Known] {
    let client = ProcessClient(port: server.port)
    let tokens = try (0..<Self.writers).map { try #require(client.signIn("writer\($0)")) }
    let known = Mutex<[String: Known]>([:])
    let group = DispatchGroup()
    let first = DispatchSemaphore(value: 0)
    for writer in 0..<Self.writers {
      group.enter()
      Thread {
        let items = write(round, writer, port: server.port, token: tokens[writer]) { first.signal() }
        known.withLock { $0.merge(items) { $1 } }
        group.leave()
      }.start()
    }
    // On a busy machine, the first answer may take longer than a test's longest pause.
    #expect(first.wait(timeout: .now() + 60) == .success)
    end(server)
    group.wait()
    return known.withLock { $0 }
  }

  /// Compares the writers' records with the server's answers.
  private func check(_ items: [String: Known], port: Int) throws {
    let client = ProcessClient(port: port)
    for (slug, known) in items {
      let answer = try #require(client.send("GET", "/api/v1/content/\(slug)"))
      #expect([200, 404].contains(answer.status))
      let found = answer.status == 200 ? try answer.json()["title"]?.string : nil
      if answer.status == 200 {
        // The item is complete: the document is stored and belongs to the same item.
        #expect(try answer.json()["content_data"]?["sections"] != nil)
      }
      if let pending = known.pending {
        #expect(found == known.acknowledged || found == pending, "\(slug): \(found ?? "nothing")")
      } else {
        #expect(found == known.acknowledged, "\(slug): \(found ?? "nothing")")
      }
    }
  }

  /// Checks the file with another program.
  private func checkFile(_ path: String) throws {
    #expect(try Command.sqlite(path, "PRAGMA integrity_check;") == "ok")
    #expect(try Command.sqlite(path, "PRAGMA foreign_key_check;") == "")
    #expect(try Command.sqlite(path, "INSERT INTO content_search(content_search) VALUES ('integrity-check');") == "")
    let counts = try Command.sqlite(
      path,
      """
      SELECT (SELECT count(*) FROM shared_content WHERE deleted_at IS NULL) = (SELECT count(*) FROM content_search)
        AND (SELECT count(*) FROM shared_content WHERE deleted_at IS NULL)
          = (SELECT count(DISTINCT number) FROM content_tags)
        AND NOT EXISTS (SELECT 1 FROM shared_content WHERE deleted_at IS NULL
          AND number NOT IN (SELECT number FROM content_documents));
      """)
    #expect(counts == "1")
  }

  @Test func nothingAcknowledgedIsLostByKill() throws {
    let scratch = Scratch()
    var random = SystemRandomNumberGenerator()
    var written = 0
    for round in 0..<Self.rounds {
      let server = try ProcessServer(arguments(scratch), environment: Self.environment)
      try #require(server.port > 0, "\(server.logged)")
      let items = try writeUntilEnd(round, server) { server in
        usleep(.random(in: 0...400_000, using: &random))
        server.send(SIGKILL)
      }
      #expect(server.end().status == -SIGKILL)
      written += items.values.count { $0.isPublished }
      let next = try ProcessServer(arguments(scratch), environment: Self.environment)
      try #require(next.port > 0, "\(next.logged)")
      try check(items, port: next.port)
      #expect(next.stop().status == 0)
      try checkFile(scratch["registry.sqlite"])
    }
    #expect(written >= Self.rounds, "the server was killed before anything was written")
  }

  @Test func nothingAcknowledgedIsLostByTermination() throws {
    let scratch = Scratch()
    for round in 0..<min(Self.rounds, 3) {
      let server = try ProcessServer(arguments(scratch), environment: Self.environment)
      let begin = ContinuousClock.now
      let items = try writeUntilEnd(round, server) { server in
        usleep(200_000)
        server.send(SIGTERM)
      }
      let end = server.end()
      #expect(end.status == 0)
      #expect(ContinuousClock.now - begin < .seconds(60))
      let next = try ProcessServer(arguments(scratch), environment: Self.environment)
      try check(items, port: next.port)
      next.stop()
      try checkFile(scratch["registry.sqlite"])
    }
  }

  private static func head(_ token: String, length: Int) -> String {
    "POST /api/v1/content/share HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(token)\r\n"
      + "Content-Type: application/json\r\nContent-Length: \(length)\r\n\r\n"
  }

  @Test func aSecondSignalEndsItAtOnce() throws {
    let scratch = Scratch()
    let server = try ProcessServer(arguments(scratch), environment: Self.environment)
    // A request in progress delays a graceful end.
    let token = try #require(ProcessClient(port: server.port).signIn())
    let socket = try LoopbackSocket(port: server.port)
    socket.send(Array("\(Self.head(token, length: 100)){".utf8))
    usleep(200_000)
    server.send(SIGTERM)
    usleep(1_300_000)
    server.send(SIGTERM)
    #expect(server.end().status == 130)
    withExtendedLifetime(socket) {}
  }

  @Test(arguments: [[SIGHUP], [SIGTERM, SIGINT], [SIGINT, SIGHUP, SIGTERM]])
  func aRequestUnderWayIsAnsweredBeforeTheEnd(signals: [Int32]) throws {
    let scratch = Scratch()
    let server = try ProcessServer(arguments(scratch), environment: Self.environment)
    let token = try #require(ProcessClient(port: server.port).signIn())
    let body = ProcessClient.publication("under-way-0A1B2C3D", title: "Under way")
    let socket = try LoopbackSocket(port: server.port)
    socket.send(Array((Self.head(token, length: body.utf8.count) + String(body.prefix(10))).utf8))
    usleep(200_000)
    for signal in signals { server.send(signal) }
    usleep(500_000)
    #expect(throws: (any Error).self, "new connections are refused") { try LoopbackSocket(port: server.port) }
    socket.send(Array(body.dropFirst(10).utf8))
    let answer = HTTPAnswer(wire: socket.receiveAll())
    #expect(answer?.status == 201)
    #expect(server.end().status == 0)
    let next = try ProcessServer(arguments(scratch), environment: Self.environment)
    #expect(ProcessClient(port: next.port).send("GET", "/api/v1/content/under-way-0A1B2C3D")?.status == 200)
    next.stop()
  }
}
