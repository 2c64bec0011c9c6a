import FleetKit
import Foundation

/// A backup that goes through a pipe. It is read more than once, and made from its end to its beginning, so a copy
/// waits in a folder that only its owner can read, and goes with the process.
struct PipedFile {
  /// Where it waits.
  let path: String
  private let folder: TemporaryFolder

  /// A place for what is yet to be made.
  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/pipe.fleetpack"
  }

  /// Takes what comes on standard input.
  /// - Throws: `RunFailure` with status 2 when it cannot be read, or the disk is full.
  init(reading descriptor: Int32) throws {
    try self.init()
    guard isatty(descriptor) == 0 else {
      throw RunFailure(
        .usage, "read standard input: it is a terminal", advice: "Pipe a backup into it, or name a file.")
    }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw RunFailure(.failed, "write '\(path)': \(String(cString: strerror(errno)))") }
    defer { close(target) }
    try Self.pour(descriptor, into: ByteSink(descriptor: target, name: path), name: "standard input")
  }

  /// Puts it out.
  /// - Throws: `RunFailure` with status 2 when nobody takes it.
  func send(to descriptor: Int32) throws {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(path)': \(String(cString: strerror(errno)))") }
    defer { close(source) }
    do {
      try Self.pour(source, into: ByteSink(descriptor: descriptor, name: "standard output"), name: path)
    } catch is BrokenPipe {
      throw RunFailure(.failed, "write standard output: whoever read it has gone", advice: "There is no backup.")
    }
  }

  private static func pour(_ source: Int32, into sink: ByteSink, name: String) throws {
    let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 1 << 18)
    defer { room.deallocate() }
    while true {
      try Interruption.check()
      let got = read(source, room.baseAddress, room.count)
      if got < 0, errno == EINTR { continue }
      guard got >= 0 else { throw RunFailure(.failed, "read \(name): \(String(cString: strerror(errno)))") }
      if got == 0 { break }
      try sink.write(UnsafeBufferPointer(rebasing: room[..<got]))
    }
    try sink.flush()
  }
}
