import Hummingbird
import ServiceLifecycle

/// Runs a server on a free port, lets `body` use it, and shuts it down.
///
/// The shutdown is graceful, as after a signal. SwiftNIO traps when a server is cancelled while an accepted connection
/// waits to be served.
/// - Parameter makeApplication: Makes the server. It calls the closure with its port as soon as it listens.
func whileServing<Result: Sendable>(
  _ makeApplication: (_ onListening: @escaping @Sendable (Int) -> Void) -> some ApplicationProtocol,
  _ body: @Sendable (_ port: Int) async throws -> Result
) async throws -> Result {
  let (ports, announce) = AsyncStream.makeStream(of: Int.self)
  let application = makeApplication {
    announce.yield($0)
    announce.finish()
  }
  var configuration = ServiceGroupConfiguration(services: [application], logger: LogBook().logger())
  // This limit is for connections that a test leaves unfinished.
  configuration.maximumGracefulShutdownDuration = .seconds(5)
  let server = ServiceGroup(configuration: configuration)
  return try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask {
      // This is also called when the server cannot start: the test must not wait for ever.
      defer { announce.finish() }
      try await server.run()
    }
    guard let port = await ports.first(where: { _ in true }) else {
      try await group.waitForAll()
      throw NotStarted()
    }
    let result: Swift.Result<Result, any Error>
    do { result = .success(try await body(port)) } catch { result = .failure(error) }
    await server.triggerGracefulShutdown()
    while case .some = await group.nextResult() {}
    return try result.get()
  }
}

/// The error for a server that ended before it had a port.
struct NotStarted: Error {}
