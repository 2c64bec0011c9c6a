import Foundation
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// The real registry program on a loopback address with its own database. It can be killed and restarted.
final class LocalRegistry: Sendable {
  /// The reason for which tests that need a registry are skipped.
  static let reason: Comment =
    "fleetkit-registry is not there: cd Registry && swift build --product fleetkit-registry, or set FLEETKIT_REGISTRY"

  /// The path of the program, either from FLEETKIT_REGISTRY or as built in this checkout.
  static let program: String? = {
    if let named = ProcessInfo.processInfo.environment["FLEETKIT_REGISTRY"], !named.isEmpty { return named }
    return ["release", "debug"].map { Paths.root + "/Registry/.build/\($0)/fleetkit-registry" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Whether tests that need a registry are run. When judges are required, a missing registry is a failure.
  static let isThere = program != nil || Judges.areRequired

  /// The reason why the registry does not run.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The folder that contains the database.
  let folder: Scratch
  private let extra: [String]
  private let running = Mutex<Process?>(nil)
  private let known = Mutex<Int>(0)

  /// Starts the registry with an empty database and waits until it listens.
  /// - Parameter arguments: replaces the option that removes rate limits.
  init(_ arguments: [String] = ["--no-rate-limit"]) throws {
    folder = Scratch()
    extra = arguments
    // The port is below the range that the system assigns to clients, so that it is still free when the registry
    // restarts.
    for attempt in 1...20 {
      known.withLock { $0 = .random(in: 10_240...32_000) }
      do {
        try start()
        return
      } catch  where attempt < 20 && log.contains("Address already in use") {}
    }
  }

  deinit { kill() }

  /// The registry's port, which stays the same after a restart.
  var port: Int { known.withLock { $0 } }
  /// The registry's address, `http://127.0.0.1:PORT`.
  var url: String { "http://127.0.0.1:\(port)" }
  /// The path of the database.
  var database: String { folder["registry.sqlite"] }
  /// The content of the log.
  var log: String { (try? folder.text("log")) ?? "" }

  /// Starts the registry again with the same port and database.
  func start() throws {
    guard let program = Self.program else { throw Failure(description: Self.reason.rawValue) }
    let process = Process()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["--database", database, "--dev", "--port", String(port)] + extra
    process.environment = ["PATH": "/usr/bin:/bin"]
    process.standardInput = FileHandle.nullDevice
    let output = folder["out-\(UUID().uuidString)"]
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    if !FileManager.default.fileExists(atPath: folder["log"]) {
      _ = FileManager.default.createFile(atPath: folder["log"], contents: nil)
    }
    let log = FileHandle(forWritingAtPath: folder["log"])
    try log?.seekToEnd()
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = log
    try process.run()
    let end = ContinuousClock.now + .seconds(300)
    while ContinuousClock.now < end, process.isRunning {
      let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
      if let line = text.split(separator: "\n").first(where: { $0.hasPrefix("listening on ") }), text.contains("\n"),
        let port = line.split(separator: ":").last.flatMap({ Int($0) })
      {
        known.withLock { $0 = port }
        running.withLock { $0 = process }
        return
      }
      usleep(5_000)
    }
    process.terminate()
    throw Failure(description: "the registry did not start: \(self.log)")
  }

  /// Asks the registry to end, and waits until it has ended.
  func stop() { end(SIGTERM) }
  /// Kills the registry immediately, as a power failure would, and waits until it has ended.
  func kill() { end(SIGKILL) }
  /// Sends the registry a signal: SIGSTOP or SIGCONT.
  func send(_ signal: Int32) {
    running.withLock { process in _ = process.map { Foundation.kill($0.processIdentifier, signal) } }
  }

  private func end(_ signal: Int32) {
    running.withLock { process in
      guard let ending = process else { return }
      Foundation.kill(ending.processIdentifier, signal)
      ending.waitUntilExit()
      process = nil
    }
  }

  /// Signs in through the test provider and returns the session's tokens.
  func signIn(_ email: String = "captain@example.com") throws -> SessionTokens {
    try connection().link().signInForTest(email: email)
  }

  /// Returns a connection with the session's tokens, or an anonymous one. The environment of the tests is ignored.
  func connection(_ tokens: SessionTokens? = nil, timeout: Double = 30) throws -> RegistryConnection {
    var environment = ["HOME": folder.path]
    if let tokens {
      environment["FLEETKIT_TOKEN"] = tokens.access
      environment["FLEETKIT_REFRESH_TOKEN"] = tokens.refresh
    }
    return RegistryConnection(try RegistryAddress(url), timeout: timeout, environment: environment)
  }

  /// Returns a client for a newly signed-in user.
  func client(_ email: String = "captain@example.com") throws -> RegistryClient {
    try connection(signIn(email)).client()
  }

  /// Returns an environment for commands that call this registry as a newly signed-in user: `FLEETKIT_TOKEN`,
  /// `FLEETKIT_REFRESH_TOKEN`, and a home folder without credentials.
  func environment(_ email: String = "captain@example.com") throws -> [String: String] {
    try connection(signIn(email)).environment
  }
}
