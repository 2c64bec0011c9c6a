import Dispatch
import Foundation
import RegistryTestSupport
import Synchronization

/// The real program in a process of its own, with a folder of its own.
final class ProcessServer: Sendable {
  /// The program that was built with the tests.
  static var program: String {
    if let named = ProcessInfo.processInfo.environment["FLEETKIT_REGISTRY_COMMAND"] { return named }
    // The tests' bundle stands beside the program; macOS puts the tests into a bundle with folders.
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<5 {
      let path = folder.appendingPathComponent("fleetkit-registry").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    return "fleetkit-registry"
  }

  /// How a process ended.
  struct End: Sendable {
    /// The exit status, or the signal's number, negative.
    let status: Int32
    let output: String
    let errors: String
  }

  private let process: Process
  private let output = Captured()
  private let errors = Captured()
  /// The port that it said it listens on; 0 when it did not start.
  let port: Int

  /// Starts the program and waits until it listens or ends.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    process = Process()
    process.executableURL = URL(fileURLWithPath: Self.program)
    process.arguments = arguments
    process.environment = ["PATH": "/usr/bin:/bin"].merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output.pipe
    process.standardError = errors.pipe
    try process.run()
    output.begin()
    errors.begin()
    let line = output.firstLine()
    port = line.flatMap { $0.split(separator: ":").last.flatMap { Int($0) } } ?? 0
  }

  /// What it printed on stdout so far.
  var printed: String { output.text }
  /// What it logged so far.
  var logged: String { errors.text }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.processIdentifier, signal) }

  /// Waits for its end.
  func end() -> End {
    process.waitUntilExit()
    output.finish()
    errors.finish()
    let status = process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return End(status: status, output: output.text, errors: errors.text)
  }

  /// Asks it to stop, and waits.
  @discardableResult func stop() -> End {
    send(SIGTERM)
    return end()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  /// What comes out of a pipe, read by a thread so that the process never waits for the test.
  private final class Captured: Sendable {
    let pipe = Pipe()
    private let bytes = Mutex<[UInt8]>([])
    private let firstLineRead = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    func begin() {
      let thread = Thread { [self] in
        var hasLine = false
        while true {
          let data = pipe.fileHandleForReading.availableData
          if data.isEmpty { break }
          let line = bytes.withLock { bytes in
            bytes.append(contentsOf: data)
            return bytes.contains(10)
          }
          if line, !hasLine {
            hasLine = true
            firstLineRead.signal()
          }
        }
        if !hasLine { firstLineRead.signal() }
        done.signal()
      }
      thread.start()
    }

    func firstLine() -> String? {
      firstLineRead.wait()
      firstLineRead.signal()
      return text.split(separator: "\n").first.map(String.init)
    }

    func finish() {
      done.wait()
      done.signal()
    }
  }
}
