import Foundation
import JSONText
import RegistryTestSupport
import Testing

/// Tests `samples/registry/nginx.conf` with the real nginx in front of two processes that share a PostgreSQL database.
///
/// Without nginx the tests are skipped; with FLEETKIT_REQUIRE_JUDGES=1 they fail.
@Suite(.serialized) struct ProxyTests {
  private static let canRun =
    ProcessInfo.processInfo.environment["FLEETKIT_REQUIRE_JUDGES"] == "1" || Proxy.program != nil
  private static let environment = ["JWT_SECRET_KEY": String(repeating: "k", count: 40)]

  /// The database, the processes and nginx.
  private struct Installation {
    let database: ScratchDatabase
    let processes: [ProcessServer]
    let proxy: Proxy

    init() throws {
      let database = try ScratchDatabase()
      let variables = ProxyTests.environment.merging(["DATABASE_URL": database.address]) { $1 }
      let arguments = ["--port", "0", "--dev", "--trust-proxy", "--requests-per-minute", "1000000"]
      processes = try (0..<2).map { _ in
        try ProcessServer(
          arguments + ["--database-connections", "4", "--log-level", "warning"], environment: variables)
      }
      for process in processes where process.port == 0 { Issue.record("\(process.end().errors)") }
      self.database = database
      proxy = try Proxy(to: processes.map(\.port))
    }
  }

  private static let item = "/api/v1/content/one-0A1B2C3D"
  private static let list = "/api/v1/content/public"

  @Test(.enabled(if: canRun, "nginx is not installed (make setup-registry)"))
  func `nginx stores public reads, for as long as the registry allows`() throws {
    let all = try Installation()
    let reader = ProcessClient(port: all.proxy.port)
    let owner = ProcessClient(port: all.proxy.port)
    let token = try #require(owner.signIn())
    func get(_ path: String, _ headers: [(String, String)] = []) throws -> HTTPAnswer {
      try #require(reader.send("GET", path, headers: headers))
    }
    func title(_ answer: HTTPAnswer) -> String? { try? answer.json()["title"]?.string }
    for slug in ["one-0A1B2C3D", "two-0A1B2C3D"] {
      let answer = try #require(
        owner.send(
          "POST", "/api/v1/content/share", token: token, body: ProcessClient.publication(slug, title: "First title")))
      #expect(answer.status == 201, "\(answer.text)")
    }

    // Items, lists and lineages are stored, each under its own address.
    var tags: [String: String] = [:]
    for path in [Self.item, Self.list, Self.list + "?limit=1", Self.item + "/lineage", "/api/v1/users/captain"] {
      let (first, second) = try (get(path), get(path))
      #expect(first.status == 200 && first.header("X-Cache") == "MISS", "\(path)")
      #expect(second.status == 200 && second.header("X-Cache") == "HIT", "\(path)")
      #expect(first.body == second.body)
      #expect(first.header("X-Request-Id") != second.header("X-Request-Id"))
      #expect(try get(path, [("X-Request-Id", "mine-1")]).header("X-Request-Id") == "mine-1")
      #expect(try get(path, [("X-Request-Id", "two words")]).header("X-Request-Id")?.count == 32)
      #expect(first.header("RateLimit-Remaining") == nil)
      tags[path] = second.header("ETag")
    }

    // A client that has the answer gets 304: for an item from a process, otherwise from nginx.
    for (path, state) in [(Self.item, "BYPASS"), (Self.list, "HIT"), (Self.item + "/lineage", "HIT")] {
      let answer = try get(path, [("If-None-Match", tags[path] ?? "")])
      #expect(answer.status == 304, "\(path)")
      #expect(answer.header("X-Cache") == state, "\(path)")
      #expect(try get(path, [("If-None-Match", "\"other\"")]).status == 200)
    }

    // HEAD is not answered from a stored GET, and counts no view.
    let head = try #require(reader.send("HEAD", Self.item))
    #expect(head.status == 200 && head.header("X-Owner-Id") != nil && head.header("X-Cache") == "BYPASS")
    #expect(try all.database.query("SELECT count(*) FROM shared_content WHERE view_count > 2") == "0")

    // The owner's requests and problems are not stored.
    for path in [Self.item, Self.list, "/api/v1/content/mine", "/api/v1/auth/me"] {
      let answer = try #require(owner.send("GET", path, token: token))
      #expect(answer.header("X-Cache") == "BYPASS" && answer.header("Cache-Control") == "no-store", "\(path)")
    }
    for _ in 0..<2 { #expect(try get("/api/v1/content/none-1").header("X-Cache") == "MISS") }

    // The owner sees changes immediately, readers when the stored answer has expired.
    let changed = ContinuousClock.now
    let put = owner.send("PUT", Self.item, token: token, body: #"{"title":"Second title"}"#)
    #expect(put?.status == 200)
    #expect(owner.send("DELETE", "/api/v1/content/two-0A1B2C3D", token: token)?.status == 204)
    for _ in 0..<4 {
      #expect(owner.send("GET", Self.item, token: token).flatMap(title) == "Second title")
      #expect(owner.send("GET", "/api/v1/content/two-0A1B2C3D", token: token)?.status == 404)
    }
    func isCurrent() throws -> Bool {
      try title(get(Self.item)) == "Second title" && get("/api/v1/content/two-0A1B2C3D").status == 404
        && get(Self.list).json().elements.compactMap { $0["title"]?.string } == ["Second title"]
    }
    while try !isCurrent(), ContinuousClock.now - changed < .seconds(60) { usleep(100_000) }
    #expect(ContinuousClock.now - changed < .seconds(25))
    #expect(try get(Self.item).json()["view_count"]?.integer ?? 0 > 1, "the processes count the requests they get")
  }

  @Test(.enabled(if: canRun, "nginx is not installed (make setup-registry)"), arguments: [SIGKILL, SIGTERM])
  func `a process that ends is hidden from readers`(signal: Int32) throws {
    let all = try Installation()
    let client = ProcessClient(port: all.proxy.port)
    let token = try #require(client.signIn())
    func publish(_ number: Int) -> Int? {
      client.send(
        "POST", "/api/v1/content/share", token: token,
        body: ProcessClient.publication("item-\(number)-0A1B2C3D", title: "Item \(number)"))?.status
    }
    #expect(publish(0) == 201)
    // A parameter that the registry ignores keeps nginx from answering itself.
    for number in 0..<100 {
      let answer = try #require(client.send("GET", Self.list + "?number=\(number)"))
      #expect(answer.status == 200 && answer.header("X-Cache") == "MISS")
      if number == 20 { all.processes[0].send(signal) }
    }
    #expect(all.processes[0].end().status == (signal == SIGKILL ? -SIGKILL : 0))
    // A publication goes to the other process if the first one does not accept connections.
    for number in 1..<5 { #expect(publish(number) == 201) }
    let known = try #require(client.send("GET", Self.list + "?kept"))
    #expect(known.status == 200)
    all.processes[1].send(SIGKILL)
    _ = all.processes[1].end()
    let stored = try #require(client.send("GET", Self.list + "?kept"))
    #expect(stored.body == known.body)
    #expect(client.send("GET", Self.list + "?unknown")?.status == 502)
    #expect(publish(9) == 502)
  }

  @Test(.enabled(if: canRun, "nginx is not installed (make setup-registry)"))
  func `large batches, conditions and TLS pass through`() throws {
    let all = try Installation()
    let client = ProcessClient(port: all.proxy.port)
    let token = try #require(client.signIn())
    let operations = (0..<100).map {
      "{\"operation\":\"publish\",\"payload\":"
        + ProcessClient.publication("batch-\($0)-0A1B2C3D", title: "Batch", sections: 300) + "}"
    }
    let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
    #expect(body.utf8.count > 2 << 20)
    let batch = try #require(client.send("POST", "/api/v1/content/batch", token: token, body: body))
    #expect(batch.status == 200, "\(batch.text.prefix(300))")
    #expect(try all.database.query("SELECT count(*) FROM shared_content") == "100")

    let path = "/api/v1/content/batch-1-0A1B2C3D"
    let tag = try #require(client.send("HEAD", path)?.header("ETag"))
    let title = #"{"title":"Other"}"#
    for (field, status) in [("If-None-Match", 412), ("If-Match", 200), ("If-Match", 412)] {
      let answer = client.send("PUT", path, token: token, headers: [(field, tag)], body: title)
      #expect(answer?.status == status, "\(field)")
    }
    for path in ["/metrics", "/ready", "/health", "/api/v2", "/openapi.json"] {
      #expect(client.send("GET", path)?.status == 404, "\(path)")
    }
    // Each language has its own copy.
    for (path, language, state) in [
      ("/", "en", "MISS"), ("/", "ru", "MISS"), ("/", "ru", "HIT"), ("/c/batch-1-0A1B2C3D", "en", "MISS"),
      ("/assets/style.css", "en", "MISS"), ("/feed.atom", "en", "MISS"),
    ] {
      let answer = client.send("GET", path, headers: [("Accept-Language", language)])
      #expect(answer?.status == 200 && answer?.header("X-Cache") == state, "\(path) \(language)")
    }
    let redirection = ProcessClient(port: all.proxy.plainPort).send("GET", Self.list)
    #expect(redirection?.status == 301)
    let (status, answer) = try SpawnedProcess.run(
      "/usr/bin/curl", ["-sk", "-D", "-", "-o", "/dev/null", "https://127.0.0.1:\(all.proxy.securePort)" + Self.list])
    #expect(status == 0 && answer.hasPrefix("HTTP/2 200"), "\(answer)")
    #expect(answer.contains("strict-transport-security: max-age="))
  }
}

/// nginx with the sample configuration, in which only ports, paths and the user are replaced.
private final class Proxy: Sendable {
  /// The ports: of the server with TLS, of the same server without TLS, and of the server that redirects.
  let securePort: Int
  let port: Int
  let plainPort: Int
  private let scratch = Scratch()
  private let process: SpawnedProcess
  /// The end of the pipe whose closing stops nginx, also if the tests crash.
  private let life: Int32

  /// The path of nginx; nil if it is not installed.
  static let program = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx", "/opt/homebrew/bin/nginx"].first {
    FileManager.default.isExecutableFile(atPath: $0)
  }

  init(to ports: [Int]) throws {
    let program = try #require(Self.program, "nginx is not installed (make setup-registry)")
    (securePort, port, plainPort) = try (
      DatabaseServer.freePort(), DatabaseServer.freePort(), DatabaseServer.freePort()
    )
    let (status, output) = try SpawnedProcess.run(
      "/usr/bin/openssl",
      ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=sail.example.org"]
        + ["-keyout", scratch["privkey.pem"], "-out", scratch["fullchain.pem"]])
    #expect(status == 0, "\(output)")
    try Self.configuration(ports, secure: securePort, port: port, plain: plainPort, folder: scratch.path)
      .write(toFile: scratch["nginx.conf"], atomically: true, encoding: .utf8)
    let pipe = try SpawnedProcess.pipe()
    defer { close(pipe.reading) }
    let script = """
      trap '' INT TERM
      '\(program)' -p '\(scratch.path)' -c nginx.conf -e error.log -g 'daemon off;' >output 2>&1 & nginx=$!
      cat >/dev/null; kill -TERM $nginx; wait
      """
    process = try SpawnedProcess("/bin/sh", ["-c", "cd '\(scratch.path)'\n" + script], input: pipe.reading)
    life = pipe.writing
    for _ in 0..<200 {
      if let answer = ProcessClient(port: port).send("GET", "/nowhere"), answer.status == 404 { return }
      usleep(50_000)
    }
    let log = ["output", "error.log"].compactMap { try? String(contentsOfFile: scratch[$0], encoding: .utf8) }
    Issue.record("nginx did not start: \(log.joined())")
  }

  deinit {
    close(life)
    process.wait()
  }

  /// Returns the sample configuration for a test's ports and folder. Each replacement must occur in the sample.
  private static func configuration(
    _ ports: [Int], secure: Int, port: Int, plain: Int, folder: String
  ) throws -> String {
    let sample = URL(filePath: #filePath).deletingLastPathComponent().path + "/../../../samples/registry/nginx.conf"
    var text = try String(contentsOfFile: sample, encoding: .utf8)
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map { "\($0)_temp_path temporary/\($0);" }
    let servers = ports.map { "server 127.0.0.1:\($0) max_fails=1 fail_timeout=2s;" }
    try FileManager.default.createDirectory(atPath: folder + "/temporary", withIntermediateDirectories: true)
    for (old, new) in [
      ("user www-data;", geteuid() == 0 ? "user root;" : ""), ("pid /run/nginx.pid;", "pid nginx.pid;"),
      ("/var/log/nginx/", ""), ("/var/cache/nginx/registry", "cache"),
      ("http {", "http {\n" + temporary.joined(separator: "\n")),
      ("server 127.0.0.1:8081 max_fails=1 fail_timeout=2s;", servers[0]),
      ("server 127.0.0.1:8082 max_fails=1 fail_timeout=2s;", servers[1]),
      ("server 127.0.0.1:8083 max_fails=1 fail_timeout=2s;", ""),
      ("server 127.0.0.1:8084 max_fails=1 fail_timeout=2s;", ""), ("listen 80;", "listen 127.0.0.1:\(plain);"),
      ("listen [::]:80;", ""), ("listen [::]:443 ssl http2;", "listen 127.0.0.1:\(port);"),
      ("listen 443 ssl http2;", "listen 127.0.0.1:\(secure) ssl http2;"),
      ("/etc/letsencrypt/live/sail.example.org/", folder + "/"),
    ] {
      #expect(text.contains(old), "\(old)")
      text = text.replacingOccurrences(of: old, with: new)
    }
    return text
  }
}
