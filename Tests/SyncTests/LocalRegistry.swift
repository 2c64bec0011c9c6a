import Foundation
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// The real registry's program over loopback, with a database of its own; it can be killed and started again.
final class LocalRegistry: Sendable {
  /// Why tests that need one are skipped.
  static let reason: Comment =
    "fleetkit-registry is not there: cd Registry && swift build --product fleetkit-registry, or set FLEETKIT_REGISTRY"

  /// The path of the program: the one in FLEETKIT_REGISTRY, or else the one that the checkout has built.
  static let program: String? = {
    if let named = ProcessInfo.processInfo.environment["FLEETKIT_REGISTRY"], !named.isEmpty { return named }
    return ["release", "debug"].map { Paths.root + "/Registry/.build/\($0)/fleetkit-registry" }
      .first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Whether tests that need one run. Where judges are required, a missing one is a failure.
  static let isThere = program != nil || Judges.areRequired

  /// Why it does not run.
  struct Failure: Error, CustomStringConvertible {
    let description: String
  }

  /// The folder with the database.
  let folder: Scratch
  private let extra: [String]
  private let running = Mutex<Process?>(nil)
  private let known = Mutex<Int>(0)

  /// Starts it with an empty database and waits until it listens.
  /// - Parameter arguments: replace the option that removes rate limits.
  init(_ arguments: [String] = ["--no-rate-limit"]) throws {
    folder = Scratch()
    extra = arguments
    // Below the ports that the system gives to clients, so that a registry that restarts finds its own one free.
    for attempt in 1...20 {
      known.withLock { $0 = .random(in: 10_240...32_000) }
      do {
        try start()
        return
      } catch  where attempt < 20 && log.contains("Address already in use") {}
    }
  }

  deinit { kill() }

  /// Its port; the same after a restart.
  var port: Int { known.withLock { $0 } }
  /// Its address, `http://127.0.0.1:PORT`.
  var url: String { "http://127.0.0.1:\(port)" }
  /// Its database.
  var database: String { folder["registry.sqlite"] }
  /// Its log.
  var log: String { (try? folder.text("log")) ?? "" }

  /// Starts it again on the same port and database.
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

  /// Asks it to end, and waits.
  func stop() { end(SIGTERM) }
  /// Kills it immediately, like a power cut, and waits.
  func kill() { end(SIGKILL) }
  /// Sends it a signal: SIGSTOP, SIGCONT.
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

  /// A session of the test sign-in.
  func signIn(_ email: String = "captain@example.com") throws -> SessionTokens {
    try connection().link().signInForTest(email: email)
  }

  /// The connection of a session, or an anonymous one without a session. The environment of the tests does not count.
  func connection(_ tokens: SessionTokens? = nil, timeout: Double = 30) throws -> RegistryConnection {
    var environment = ["HOME": folder.path]
    if let tokens {
      environment["FLEETKIT_TOKEN"] = tokens.access
      environment["FLEETKIT_REFRESH_TOKEN"] = tokens.refresh
    }
    return RegistryConnection(try RegistryAddress(url), timeout: timeout, environment: environment)
  }

  /// A client of a user who is signed in for it.
  func client(_ email: String = "captain@example.com") throws -> RegistryClient {
    try connection(signIn(email)).client()
  }

  /// Variables for a command that calls this registry as a user who is signed in for it: `FLEETKIT_TOKEN` and
  /// `FLEETKIT_REFRESH_TOKEN`, and a home without credentials.
  func environment(_ email: String = "captain@example.com") throws -> [String: String] {
    try connection(signIn(email)).environment
  }
}
