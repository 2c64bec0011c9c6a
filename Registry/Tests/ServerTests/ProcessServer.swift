import Dispatch
import Foundation
import RegistryTestSupport
import Synchronization

/// The real program in a separate process, with its own folder.
final class ProcessServer: Sendable {
  /// The program that was built with the tests.
  static var program: String {
    if let named = ProcessInfo.processInfo.environment["FLEETKIT_REGISTRY_COMMAND"] { return named }
    // The tests' bundle is in the same folder as the program; on macOS the tests are inside nested bundle folders.
    var folder = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    for _ in 0..<5 {
      let path = folder.appendingPathComponent("fleetkit-registry").path
      if FileManager.default.isExecutableFile(atPath: path) { return path }
      folder.deleteLastPathComponent()
    }
    return "fleetkit-registry"
  }

  /// The result of a process that has ended.
  struct End: Sendable {
    /// The exit status, or the negative number of the signal.
    let status: Int32
    let output: String
    let errors: String
  }

  private let process: SpawnedProcess
  private let output: Captured
  private let errors: Captured
  /// The port that the program reported; 0 if it did not start.
  let port: Int

  /// Starts the program and waits until it listens or ends.
  init(_ arguments: [String], environment: [String: String] = [:]) throws {
    output = try Captured()
    errors = try Captured()
    process = try SpawnedProcess(
      Self.program, arguments, environment: ["PATH": "/usr/bin:/bin"].merging(environment) { $1 },
      output: output.writing, errors: errors.writing)
    output.begin()
    errors.begin()
    let line = output.firstLine()
    port = line.flatMap { $0.split(separator: ":").last.flatMap { Int($0) } } ?? 0
  }

  /// The program's output on stdout so far.
  var printed: String { output.text }
  /// The program's log so far.
  var logged: String { errors.text }

  /// Sends a signal.
  func send(_ signal: Int32) { kill(process.number, signal) }

  /// Waits for the program to end.
  func end() -> End {
    let status = process.wait()
    output.finish()
    errors.finish()
    return End(status: status, output: output.text, errors: errors.text)
  }

  /// Asks the program to stop, and waits.
  @discardableResult func stop() -> End {
    send(SIGTERM)
    return end()
  }

  /// Captures a pipe's output on a separate thread, so that the process never waits for the test.
  private final class Captured: Sendable {
    private let reading: FileHandle
    /// The end of the pipe that the program writes to.
    let writing: Int32
    private let bytes = Mutex<[UInt8]>([])
    private let firstLineRead = DispatchSemaphore(value: 0)
    private let done = DispatchSemaphore(value: 0)

    init() throws {
      let ends = try SpawnedProcess.pipe()
      reading = FileHandle(fileDescriptor: ends.reading, closeOnDealloc: true)
      writing = ends.writing
    }

    var text: String { String(decoding: bytes.withLock { $0 }, as: UTF8.self) }

    /// Reads until the program, which now has the other end, has closed that end.
    func begin() {
      close(writing)
      let thread = Thread { [self] in
        var hasLine = false
        while true {
          let data = reading.availableData
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
