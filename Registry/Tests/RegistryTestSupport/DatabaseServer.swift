import Foundation
import Synchronization

/// A PostgreSQL server in a temporary folder, on a free loopback port. It stops, and its folder is removed, when the
/// object or the tests' process ends, however the process ends.
public final class DatabaseServer: Sendable {
  /// The port.
  public let port: Int
  /// The folder with the server's files.
  public let folder: String
  private let process: SpawnedProcess
  /// The server's log and the messages of `initdb`.
  private let log: String
  /// The end of the pipe whose closing stops the server.
  private let life: Int32

  /// The server that tests share, each with a database of its own; it does not wait for the disk.
  public static let shared = Result { try DatabaseServer(settings: ["fsync=off", "full_page_writes=off"]) }

  private static let user = "registry"
  private static let password = "correct horse"

  /// The folder with the server's programs; nil if PostgreSQL is not installed.
  public static let programs: String? = {
    let debian = "/usr/lib/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: debian)) ?? []
    let known = versions.sorted { (Int($0) ?? 0) > (Int($1) ?? 0) }.map { "\(debian)/\($0)/bin" }
    let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return (known + paths).first { FileManager.default.isExecutableFile(atPath: "\($0)/initdb") }
  }()

  /// Makes a database cluster and starts its server.
  /// - Parameters:
  ///   - settings: settings of the server, as `name=value`.
  ///   - base: the address of a server to copy and to follow; nil for a new cluster.
  ///   - port: the port; a free one by default.
  public init(settings: [String] = [], copyOf base: DatabaseServer? = nil, port: Int? = nil) throws {
    guard let programs = Self.programs else {
      throw SpawnedProcess.Failure(description: "PostgreSQL is not installed; run: make setup")
    }
    folder = NSTemporaryDirectory() + "fleetkit-postgresql-" + UUID().uuidString
    let port = try port ?? Self.freePort()
    self.port = port
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    // PostgreSQL does not run as root.
    let isRoot = geteuid() == 0
    if isRoot, let nobody = getpwnam("nobody") { chown(folder, nobody.pointee.pw_uid, nobody.pointee.pw_gid) }
    let make =
      if let base {
        "PGPASSWORD='\(Self.password)' pg_basebackup -D data -R -X stream -c fast -C -S replica\(port)"
          + " -d 'host=127.0.0.1 port=\(base.port) user=\(Self.user)'"
      } else {
        "printf '%s' '\(Self.password)' > password && initdb -D data -U \(Self.user) -A scram-sha-256"
          + " --pwfile=password -E UTF8 --locale=C --no-sync"
      }
    let all =
      ["listen_addresses=127.0.0.1", "port=\(port)", "unix_socket_directories=", "max_connections=1500"] + settings
    let options = all.map { "-c '\($0)'" }.joined(separator: " ")
    // The shell ends the server when the pipe is closed, which also happens when the tests crash.
    let script = """
      cd '\(folder)' && export PATH='\(programs)':"$PATH" && (\(make)) 2>&1 || exit 1
      trap '' INT TERM
      postgres -D data \(options) 2>&1 & echo $! > pid
      cat > /dev/null; kill -QUIT $(cat pid); wait; rm -rf '\(folder)'
      """
    let pipe = try SpawnedProcess.pipe()
    defer { close(pipe.reading) }
    log = folder + "/log"
    let output = open(log, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(output) }
    let words = (isRoot ? ["/usr/sbin/runuser", "-u", "nobody", "--"] : []) + ["/bin/sh", "-c", script]
    process = try SpawnedProcess(words[0], Array(words.dropFirst()), input: pipe.reading, output: output)
    life = pipe.writing
    try waitUntilReady()
  }

  deinit {
    close(life)
    process.wait()
  }

  /// Returns the address of a database, on this server or whichever of several is the primary.
  public func address(_ database: String, or other: DatabaseServer? = nil) -> String {
    let password = Self.password.replacingOccurrences(of: " ", with: "%20")
    let hosts = [port, other?.port].compactMap { $0.map { "127.0.0.1:\($0)" } }.joined(separator: ",")
    return "postgresql://\(Self.user):\(password)@\(hosts)/\(database)"
  }

  /// Makes every commit wait until a replica has applied it.
  public func waitForReplica() throws {
    _ = try query("ALTER SYSTEM SET synchronous_standby_names = '*'")
    _ = try query("ALTER SYSTEM SET synchronous_commit = 'remote_apply'")
    _ = try query("SELECT pg_reload_conf()")
    for _ in 0..<200 where try query("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'") != "1" {
      usleep(50_000)
    }
  }

  /// Makes an empty database with a new name, and returns the name.
  public func makeDatabase() throws -> String {
    let name = "d" + UUID().uuidString.replacingOccurrences(of: "-", with: "").lowercased()
    _ = try query("CREATE DATABASE \(name)")
    return name
  }

  /// Removes a database, also while it is in use.
  public func removeDatabase(_ name: String) throws { _ = try query("DROP DATABASE \(name) WITH (FORCE)") }

  /// Runs SQL with psql.
  /// - Returns: The output, one line for each row, with `|` between columns.
  public func query(_ sql: String, in database: String = "postgres") throws -> String {
    let programs = Self.programs ?? ""
    let (status, output) = try SpawnedProcess.run(
      "\(programs)/psql", ["-XqAt", "-v", "ON_ERROR_STOP=1", "-d", address(database), "-c", sql])
    guard status == 0 else { throw SpawnedProcess.Failure(description: "psql: \(output)") }
    return output.trimmingCharacters(in: .newlines)
  }

  /// Ends the server at once, as if the machine had failed.
  public func kill() throws {
    let number = try String(contentsOfFile: folder + "/pid", encoding: .utf8).trimmingCharacters(in: .newlines)
    if let number = pid_t(number) { _ = Foundation.kill(number, SIGKILL) }
  }

  /// Makes a replica the primary.
  public func promote() throws { _ = try query("SELECT pg_promote()") }

  private func waitUntilReady() throws {
    for _ in 0..<600 {
      if process.hasEnded { break }
      if (try? query("SELECT 1")) == "1" { return }
      usleep(50_000)
    }
    let text = (try? String(contentsOfFile: log, encoding: .utf8)) ?? ""
    throw SpawnedProcess.Failure(description: "PostgreSQL did not start: \(text)")
  }

  /// Returns a loopback port that no program uses.
  public static func freePort() throws -> Int {
    #if canImport(Darwin)
      let descriptor = socket(AF_INET, SOCK_STREAM, 0)
    #else
      let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
      }
    }
    guard isBound else { throw SpawnedProcess.Failure(description: "find a free port") }
    return Int(UInt16(bigEndian: address.sin_port))
  }
}

/// An empty database on the shared server, which is removed afterwards.
public final class ScratchDatabase: Sendable {
  /// The server.
  public let server: DatabaseServer
  /// The name of the database.
  public let name: String
  /// The address for `DATABASE_URL`.
  public var address: String { server.address(name) }

  /// Makes a database.
  public init(on server: DatabaseServer? = nil) throws {
    self.server = try server ?? DatabaseServer.shared.get()
    name = try self.server.makeDatabase()
  }

  deinit { try? server.removeDatabase(name) }

  /// Runs SQL with psql; see `DatabaseServer.query`.
  public func query(_ sql: String) throws -> String { try server.query(sql, in: name) }
}
