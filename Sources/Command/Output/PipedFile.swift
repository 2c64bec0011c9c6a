import FleetKit
import Foundation

/// A temporary copy of a backup that is read from a pipe or written to one.
///
/// The copy is needed because a backup is read more than once, and the beginning of a backup is written last. The copy
/// is in a folder that only its owner can read, and is deleted with this object.
struct PipedFile {
  /// The copy's path.
  let path: String
  private let folder: TemporaryFolder

  /// Makes the folder for a backup that is yet to be written.
  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/pipe.fleetpack"
  }

  /// Copies standard input.
  /// - Throws: `RunFailure` with status 2 if standard input cannot be read, or the disk is full.
  init(reading descriptor: Int32) throws {
    try self.init()
    guard isatty(descriptor) == 0 else {
      throw RunFailure(
        .usage, "read standard input: it is a terminal", advice: "Pipe a backup into the command, or name a file.")
    }
    let target = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard target >= 0 else { throw RunFailure(.failed, "write '\(path)': \(String(cString: strerror(errno)))") }
    defer { close(target) }
    try Self.pour(descriptor, into: ByteSink(descriptor: target, name: path), name: "standard input")
  }

  /// Writes the copy to standard output.
  /// - Throws: `RunFailure` with status 2 if the reader closed the pipe.
  func send(to descriptor: Int32) throws {
    let source = open(path, O_RDONLY | O_CLOEXEC)
    guard source >= 0 else { throw RunFailure(.failed, "read '\(path)': \(String(cString: strerror(errno)))") }
    defer { close(source) }
    do {
      try Self.pour(source, into: ByteSink(descriptor: descriptor, name: "standard output"), name: path)
    } catch is BrokenPipe {
      throw RunFailure(.failed, "write standard output: it was closed early", advice: "No backup was written.")
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
      try sink.write(room.span.extracting(first: got))
    }
    try sink.flush()
  }
}
