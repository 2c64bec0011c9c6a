import Foundation
import Logging
import NIOCore
import RegistryAPI
import RegistryModel
import RegistryStore
import ServiceLifecycle
import SignIn
import Synchronization

/// One run of the server, from opening the store to closing it.
struct ServerRun {
  private let plan: ServerPlan
  private let output = LogOutput()
  private let log: Logger

  init(_ plan: ServerPlan) {
    self.plan = plan
    let (output, level) = (output, plan.logLevel)
    LoggingSystem.bootstrap { _ in JSONLogHandler(output: output, logLevel: level) }
    var log = Logger(label: "registry")
    log.logLevel = level
    self.log = log
  }

  /// Serves until a signal ends the run: the server answers the current requests, then the store is closed.
  /// - Throws: `StartFailure` if the server cannot start or continue.
  func run() async throws {
    defer { output.flush() }
    // A client or a log reader that disconnects must not end the server.
    signal(SIGPIPE, SIG_IGN)
    // The port is checked before the store is opened: a server that cannot start leaves no files behind.
    if let problem = PortCheck.problem(host: plan.host, port: plan.port) { throw cannotListen(problem) }
    let store = try plan.database.open(connections: plan.connections, replicas: plan.replicas)
    let authority = try await TokenAuthority(
      store: store, keys: plan.keys, appleKeys: AppleKeys(plan.appleKeys, log: log), settings: plan.tokens, log: log)
    let isListening = Atomic<Bool>(false)
    defer { SignalWatch.end() }

    do {
      try await serve(store, authority) { port in
        isListening.store(true, ordering: .sequentiallyConsistent)
        announce(port)
      }
    } catch is CancellationError {
      // The time limit of the graceful shutdown has passed; requests that were cut off had no answer yet.
    } catch {
      try? await store.close()
      let isStarted = isListening.load(ordering: .sequentiallyConsistent)
      guard isStarted else { throw cannotListen(Self.reason(error)) }
      throw StartFailure(
        .failed, "serve: \(Self.reason(error))", advice: "Start it again; if the failure persists, check the log.")
    }
  }

  private func cannotListen(_ why: String) -> StartFailure {
    StartFailure(
      .failed, "listen on \(shownHost):\(plan.port): \(why)",
      advice: "Choose another --port or --host, or stop the program that is listening there.")
  }

  private func serve(
    _ store: any RegistryStore, _ authority: TokenAuthority, onListening: @escaping @Sendable (Int) -> Void
  ) async throws {
    var registry = Registry(store: store, signIn: authority, settings: plan.settings)
    if plan.logLevel <= .info {
      registry.onRequest = { [output] record in
        // Probes come every few seconds and are only of interest when they fail.
        guard record.status >= 400 || record.route.utf8.starts(with: RegistryRouter.prefix.utf8) else { return }
        output.write(LogLine.make(record, at: RegistryClock.system.now()))
      }
    }
    var http = log
    // The framework logs connections and shutdowns; at level info, only this program logs.
    http.logLevel = max(plan.logLevel, .notice)
    let application = RegistryServer.application(
      registry, host: plan.host, port: plan.port, log: http, onListening: { onListening($0) })
    var configuration = ServiceGroupConfiguration(
      // The services are shut down in reverse order: the server, then the sweeper, then the store.
      services: [StoreService(store: store), SweepService(registry: registry, log: log), application],
      logger: http)
    configuration.maximumGracefulShutdownDuration = .seconds(8)
    let group = ServiceGroup(configuration: configuration)
    SignalWatch.attend(output, log: log) { Task { await group.triggerGracefulShutdown() } }
    try await group.run()
    log.info("stopped")
  }

  private func announce(_ port: Int) {
    if plan.isKeyRandom {
      log.warning("signing with a key that was generated for this run: all sign-ins end with the run")
    }
    if !plan.settings.limitsRates { log.warning("rate limits are off") }
    if plan.tokens.appleClientIDs.isEmpty, !plan.settings.isDevelopment {
      log.warning("sign-in is impossible: no APPLE_CLIENT_ID is given")
    }
    log.info("started", metadata: ["host": .string(plan.host), "port": .stringConvertible(port)])
    try? FileHandle.standardOutput.write(contentsOf: Data("listening on http://\(shownHost):\(port)\n".utf8))
    if plan.opensBrowser { openBrowser(port) }
  }

  /// Opens the pages with the desktop's own program. The server serves in any case.
  private func openBrowser(_ port: Int) {
    #if os(macOS)
      let program = "open"
    #else
      let program = "xdg-open"
    #endif
    // A server that listens on all addresses is reached on the loopback one.
    let host = ["0.0.0.0": "127.0.0.1", "::": "[::1]"][plan.host] ?? shownHost
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [program, "http://\(host):\(port)/"]
    // Programs that report on stdout would mix with the address.
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.terminationHandler = { [log] process in
      if process.terminationStatus != 0 {
        log.warning(
          "--open: no browser could be started; open the address yourself", metadata: ["program": "\(program)"])
      }
    }
    do { try process.run() } catch {
      log.warning("--open: no browser could be started; open the address yourself", metadata: ["program": "\(program)"])
    }
  }

  private var shownHost: String { plan.host.utf8.contains(UInt8(ascii: ":")) ? "[\(plan.host)]" : plan.host }

  private static func reason(_ error: any Error) -> String {
    if let error = error as? IOError { return String(cString: strerror(error.errnoCode)) }
    if error is SocketAddressError { return "there is no such address" }
    return "\(error)"
  }
}

/// Keeps the store open until everything else has ended, then closes it.
struct StoreService: Service {
  let store: any RegistryStore

  func run() async throws {
    try? await gracefulShutdown()
    // The store is also closed when the time limit of the graceful shutdown has passed and this task is cancelled:
    // waiting views are still written.
    try await Task.detached { try await store.close() }.value
  }
}

/// Drops expired data periodically.
struct SweepService: Service {
  static let pause = Duration.seconds(600)
  let registry: Registry
  let log: Logger

  func run() async throws {
    try? await cancelWhenGracefulShutdown {
      while true {
        try await Task.sleep(for: Self.pause)
        do {
          registry.countedForks.sweep()
          try await registry.store.sweep(at: RegistryClock.system.now())
        } catch {
          log.warning("sweep failed", metadata: ["error": .string("\(type(of: error))")])
        }
      }
    }
  }
}

/// Checks whether the server can listen on a port, before anything else is started.
enum PortCheck {
  /// Returns why the server cannot listen on a port; nil if listening was possible a moment ago, or when only an
  /// attempt can tell.
  static func problem(host: String, port: Int) -> String? {
    guard port > 0, let address = try? SocketAddress.makeAddressResolvingHost(host, port: port) else { return nil }
    return address.withSockAddr { place, length in
      #if canImport(Darwin)
        let kind = SOCK_STREAM
      #else
        let kind = Int32(SOCK_STREAM.rawValue)
      #endif
      let descriptor = socket(Int32(place.pointee.sa_family), kind, 0)
      guard descriptor >= 0 else { return nil }
      defer { close(descriptor) }
      // The server sets this option too, so that a connection that is just ending does not block the port.
      var isOn: Int32 = 1
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
      return bind(descriptor, place, socklen_t(length)) == 0 ? nil : String(cString: strerror(errno))
    }
  }
}
