import Foundation
import Synchronization
import TestSupport

/// An app that has begun to write to a library. It commits when another process has locked the sidecar for a change and
/// is about to write.
final class WritingApp: Sendable {
  private let library: String
  private let statements: String
  private let process = Mutex<Process?>(nil)
  private let committed = DispatchSemaphore(value: 0)

  init(_ library: String, _ statements: String) throws {
    self.library = library
    self.statements = statements
  }

  /// Begins to write, and returns before the commit. May be called only once.
  func begin() throws {
    try process.withLock { process in
      guard process == nil else { return }
      let shell = Process()
      shell.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      shell.arguments = ["sqlite3", library]
      let (input, output) = (Pipe(), Pipe())
      shell.standardInput = input
      shell.standardOutput = output
      try shell.run()
      process = shell
      try input.fileHandleForWriting.write(
        contentsOf: Data(".timeout 60000\nBEGIN IMMEDIATE;\n\(statements)\nSELECT 'written';\n".utf8))
      _ = try output.fileHandleForReading.read(upToCount: 1)
      Thread.detachNewThread { [self] in
        waitForLock()
        try? input.fileHandleForWriting.write(contentsOf: Data("COMMIT;\n".utf8))
        try? input.fileHandleForWriting.close()
        committed.signal()
      }
    }
  }

  /// Waits until the app has ended.
  func wait() {
    committed.wait()
    process.withLock { $0?.waitUntilExit() }
  }

  /// Waits until a process holds the sidecar's lock, for a few minutes at most.
  private func waitForLock() {
    let file = open(library + ".fleetkit/lock", O_RDWR | O_CLOEXEC)
    defer { close(file) }
    let end = Date(timeIntervalSinceNow: 300)
    while Date() < end, flock(file, LOCK_SH | LOCK_NB) == 0 {
      flock(file, LOCK_UN)
      usleep(5_000)
    }
  }
}
