import Foundation

/// Lets the system write a growing file to disk while it grows, so that the sync at its end finds little left to do.
///
/// Only a hint: nothing is safe on disk before the sync. Does nothing where the system has no such call.
public final class WriteBack: @unchecked Sendable {
  private let descriptor: Int32
  private let condition = NSCondition()
  private var written = 0
  private var begun = 0
  private var stopped = false
  private var ended = false

  /// How much the file grows from one request to the next.
  private static let step = 8 << 20

  /// Begins for an open file, which must stay open until `stop`; whoever begins must also stop.
  public init(descriptor: Int32) {
    self.descriptor = descriptor
    guard let request = Self.request else {
      ended = true
      return
    }
    // On another thread: a slow disk makes the call wait.
    ThreadPool.shared.run { [self] in run(request) }
  }

  /// Says how many bytes the file has by now.
  public func grown(to bytes: Int) {
    guard bytes - written >= Self.step else { return }
    condition.lock()
    written = bytes
    condition.broadcast()
    condition.unlock()
  }

  /// Says that the file will not grow any more for a while.
  public func rested() {
    condition.lock()
    written += 1
    condition.broadcast()
    condition.unlock()
  }

  /// Ends the requests and waits until the last one has returned.
  public func stop() {
    condition.lock()
    stopped = true
    condition.broadcast()
    while !ended { condition.wait() }
    condition.unlock()
  }

  private func run(_ request: Request) {
    condition.lock()
    while true {
      while written == begun, !stopped { condition.wait() }
      if stopped { break }
      begun = written
      condition.unlock()
      // The whole file: pages that are on disk already cost nothing.
      _ = request(descriptor, 0, 0, 2)
      condition.lock()
    }
    ended = true
    condition.broadcast()
    condition.unlock()
  }

  private typealias Request = @convention(c) (_ file: Int32, _ from: Int64, _ length: Int64, _ flags: UInt32) -> Int32

  /// Linux's `sync_file_range`, which the C module does not show to Swift; nil elsewhere. Flag 2 begins to write.
  private static var request: Request? {
    #if os(Linux)
      dlsym(nil, "sync_file_range").map { unsafeBitCast($0, to: Request.self) }
    #else
      nil
    #endif
  }
}
