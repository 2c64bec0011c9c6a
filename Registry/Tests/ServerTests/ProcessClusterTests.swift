import Foundation
import JSONText
import RegistryTestSupport
import Synchronization
import Testing

/// Several real processes on one PostgreSQL database: what holds in one process also holds across them, while processes
/// are killed and while a replica takes over from the primary.
@Suite(.serialized) struct ProcessClusterTests {
  private static func number(_ name: String, _ usual: Int) -> Int {
    ProcessInfo.processInfo.environment[name].flatMap { Int($0) } ?? usual
  }

  private static let kills = number("FLEETKIT_CLUSTER_KILLS", 4)
  private static let failovers = number("FLEETKIT_CLUSTER_FAILOVERS", 1)
  private static let secret = ["JWT_SECRET_KEY": String(repeating: "k", count: 40)]

  /// Processes on one database, each with a port of its own.
  private final class Cluster: Sendable {
    private let processes: Mutex<[ProcessServer]>
    private let environment: [String: String]

    init(_ count: Int, environment: [String: String]) throws {
      self.environment = environment
      processes = Mutex(try (0..<count).map { _ in try Self.start(port: 0, environment) })
    }

    private static func start(port: Int, _ environment: [String: String]) throws -> ProcessServer {
      let server = try ProcessServer(
        ["--port", "\(port)", "--dev", "--log-level", "warning", "--database-connections", "8"],
        environment: ProcessClusterTests.secret.merging(environment) { $1 })
      try #require(server.port > 0, "\(server.logged)")
      return server
    }

    var ports: [Int] { processes.withLock { $0.map(\.port) } }

    /// Kills a process and starts it again on its port.
    func restart(_ index: Int) throws {
      let old = processes.withLock { $0[index] }
      old.send(SIGKILL)
      _ = old.end()
      let new = try Self.start(port: old.port, environment)
      processes.withLock { $0[index] = new }
    }

    func stop() { for server in processes.withLock({ $0 }) { #expect(server.stop().status == 0) } }
  }

  /// The slugs of acknowledged publications, and of those whose last attempt had no answer.
  private struct Written: Sendable {
    var acknowledged: Set<String> = []
    var unknown: Set<String> = []
    var repeats = 0
    var wrong: [String] = []
  }

  /// Publishes items until `isDone`, each at a random process; a request without an answer is repeated at another one.
  private func write(_ writer: Int, _ cluster: Cluster, token: String, _ isDone: () -> Bool) -> Written {
    var written = Written()
    for number in 0... {
      if isDone() { break }
      let slug = "item-\(writer)-\(number)"
      let body = ProcessClient.publication(slug, title: "Item \(number)")
      for attempt in 0..<400 {
        let client = ProcessClient(port: cluster.ports.randomElement() ?? 0)
        let answer = client.send(
          "POST", "/api/v1/content/share", token: token, headers: [("Idempotency-Key", slug)], body: body)
        switch answer?.status {
        case 201:
          written.acknowledged.insert(slug)
          if answer?.header("Idempotency-Replayed") != nil { written.repeats += 1 }
        case nil, 500, 502, 503:
          written.unknown.insert(slug)
          usleep(50_000)
          if attempt < 399 { continue }
        case let status?: written.wrong.append("\(slug): \(status)")
        }
        break
      }
      if written.acknowledged.contains(slug) { written.unknown.remove(slug) }
    }
    return written
  }

  @Test("Acknowledged publications survive kills of processes and of the primary, and none is made twice")
  func nothingIsLost() throws {
    var primary = try DatabaseServer()
    let name = try primary.makeDatabase()
    var replica = try DatabaseServer(copyOf: primary)
    try primary.waitForReplica()
    let address = primary.address(name, or: replica) + "?connect_timeout=2"
    let cluster = try Cluster(4, environment: ["DATABASE_URL": address, "RATE_LIMIT_ENABLED": "false"])
    let signIn = ProcessClient(port: cluster.ports[0])
    let tokens = try (0..<4).map { try #require(signIn.signIn("writer\($0)")) }
    let done = Atomic(false)
    let all = Mutex(Written())
    let group = DispatchGroup()
    for writer in 0..<4 {
      group.enter()
      Thread {
        let written = write(writer, cluster, token: tokens[writer]) { done.load(ordering: .relaxed) }
        all.withLock {
          $0.acknowledged.formUnion(written.acknowledged)
          $0.unknown.formUnion(written.unknown)
          $0.repeats += written.repeats
          $0.wrong += written.wrong
        }
        group.leave()
      }.start()
    }
    var failovers = 0
    for kill in 0..<Self.kills {
      usleep(.random(in: 100_000...600_000))
      try cluster.restart(kill % 4)
      // The failovers are spread over the kills.
      guard (kill + 1) * Self.failovers / Self.kills > failovers else { continue }
      failovers += 1
      try primary.kill()
      try replica.promote()
      let port = primary.port
      primary = replica
      if failovers < Self.failovers {
        replica = try DatabaseServer(copyOf: primary, port: port)
        try primary.waitForReplica()
      }
    }
    usleep(500_000)
    done.store(true, ordering: .relaxed)
    group.wait()
    cluster.stop()

    let written = all.withLock { $0 }
    #expect(written.wrong.isEmpty, "\(written.wrong.prefix(5))")
    #expect(written.acknowledged.count > 4 * Self.kills)
    let stored = try primary.query("SELECT public_id FROM shared_content ORDER BY 1", in: name)
      .split(separator: "\n").map(String.init)
    #expect(Set(stored).count == stored.count)
    #expect(written.acknowledged.subtracting(stored).isEmpty)
    #expect(Set(stored).subtracting(written.acknowledged).subtracting(written.unknown).isEmpty)
    #expect(
      try primary.query(
        "SELECT count(*) FROM shared_content c WHERE NOT EXISTS (SELECT FROM content_documents d WHERE d.number = c.number)",
        in: name) == "0")
    print(
      "cluster: \(stored.count) publications, \(written.repeats) answered again, \(Self.kills) kills, \(failovers) failovers"
    )
  }

  @Test("Limits, sessions and idempotency keys hold across processes")
  func shared() throws {
    let database = try ScratchDatabase()
    let cluster = try Cluster(3, environment: ["DATABASE_URL": database.address])
    let ports = cluster.ports
    func client(_ turn: Int) -> ProcessClient { ProcessClient(port: ports[turn % ports.count]) }
    // The session begins at one process and is used at the others.
    let signedIn = try #require(client(0).send("POST", "/api/v1/auth/test-signin?email=ann@example.com")).json()
    let token = try #require(signedIn["access_token"]?.string)
    var refresh = try #require(signedIn["refresh_token"]?.string)
    let used = refresh
    let statuses = try (0..<30).map { turn in
      try #require(
        client(turn).send(
          "POST", "/api/v1/content/share", token: token, body: ProcessClient.publication("item-\(turn)", title: "x"))
      ).status
    }
    #expect(statuses.count { $0 == 201 } == 10 && statuses.count { $0 == 429 } == 20)
    // Every refresh token is exchanged at another process than the one that made it.
    for turn in 0..<5 {
      let answer = try #require(
        client(turn + 1).send("POST", "/api/v1/auth/refresh", body: "{\"refresh_token\":\"\(refresh)\"}"))
      #expect(answer.status == 200)
      refresh = try #require(answer.json()["refresh_token"]?.string)
    }
    // A copied token ends the session everywhere.
    #expect(client(0).send("POST", "/api/v1/auth/refresh", body: "{\"refresh_token\":\"\(used)\"}")?.status == 401)
    for turn in 0..<3 {
      #expect(client(turn).send("GET", "/api/v1/auth/me", token: token)?.status == 401)
      #expect(
        client(turn).send("POST", "/api/v1/auth/refresh", body: "{\"refresh_token\":\"\(refresh)\"}")?.status == 401)
    }
    cluster.stop()
  }

  @Test("Public reads use a replica that is up to date, and the primary otherwise")
  func replicas() throws {
    let primary = try DatabaseServer()
    let name = try primary.makeDatabase()
    let replica = try DatabaseServer(copyOf: primary)
    let cluster = try Cluster(
      1, environment: ["DATABASE_URL": primary.address(name), "DATABASE_REPLICA_URLS": replica.address(name)])
    let client = ProcessClient(port: cluster.ports[0])
    let token = try #require(client.signIn("ann"))
    let body = ProcessClient.publication("one", title: "One")
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: body)?.status == 201)
    // The owner sees it at once; others, when the replica has it.
    #expect(client.send("GET", "/api/v1/content/one", token: token)?.status == 200)
    func reads(_ server: DatabaseServer) throws -> Int {
      let found = try server.query("SELECT sum(seq_scan + idx_scan) FROM pg_stat_user_tables", in: name)
      return Int(found) ?? 0
    }
    usleep(2_000_000)
    let before = try (primary: reads(primary), replica: reads(replica))
    for _ in 0..<50 { #expect(client.send("GET", "/api/v1/content/one")?.status == 200) }
    usleep(2_000_000)
    #expect(try reads(replica) - before.replica >= 50)
    // A replica that no longer applies changes is too old after two seconds.
    _ = try replica.query("SELECT pg_wal_replay_pause()")
    usleep(3_500_000)
    let second = ProcessClient.publication("two", title: "Two")
    #expect(client.send("POST", "/api/v1/content/share", token: token, body: second)?.status == 201)
    #expect(client.send("GET", "/api/v1/content/two")?.status == 200)
    _ = try replica.query("SELECT pg_wal_replay_resume()")
    try replica.kill()
    #expect(client.send("GET", "/api/v1/content/two")?.status == 200)
    cluster.stop()
  }
}
