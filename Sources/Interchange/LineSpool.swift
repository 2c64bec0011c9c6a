import Foundation
import JSONText

/// An unnamed file of lines, which are first written and then read. The file disappears with the process.
public final class LineSpool {
  private let descriptor: Int32
  private let sink: ByteSink
  private var buffer = ByteBuffer(capacity: 1 << 16)
  private var start = 0
  private var end = 0
  private var atEnd = false
  /// The number of lines that were appended.
  public private(set) var count = 0

  /// Creates an empty spool in a folder, by default in the temporary folder.
  /// - Throws: `RunFailure` if that folder cannot be written.
  public init(in folder: String = TemporaryFolder.root) throws {
    descriptor = try UnlinkedFile.descriptor(in: folder)
    sink = ByteSink(descriptor: descriptor, name: "a temporary file in \(folder)")
  }

  deinit { close(descriptor) }

  /// Appends a line, which must not contain a line end.
  /// - Throws: `RunFailure` if the disk is full.
  public func append(_ line: Span<UInt8>) throws {
    count += 1
    try sink.write(line)
    try sink.write("\n")
  }

  /// Ends writing, so that the next `advance` moves to the first line. May be called again to read the lines once more.
  /// - Throws: `RunFailure` if the disk is full.
  public func rewind() throws {
    try sink.flush()
    lseek(descriptor, 0, SEEK_SET)
    buffer.removeAll()
    (start, end, atEnd) = (0, 0, false)
  }

  /// Moves to the next line. Returns false at the end.
  /// - Throws: `RunFailure` if the file cannot be read.
  public func advance() throws -> Bool {
    start = end
    var searched = start
    while true {
      if let found = buffer.bytes.span.firstIndex(of: 0x0A, from: searched) {
        end = found + 1
        return true
      }
      if atEnd { return false }
      buffer.removeFirst(start)
      start = 0
      end = 0
      searched = buffer.count
      let got = try buffer.append(room: 1 << 16) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
        let got = read(descriptor, room.baseAddress, room.count)
        if got < 0 { throw RunFailure(.failed, "read a temporary file: \(SystemError.last)") }
        return got
      }
      atEnd = got == 0
    }
  }

  /// The current line without its line end, valid until the next `advance`.
  public var line: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: buffer.start + start, count: max(0, end - start - 1))
  }
}

/// A temporary file without a name, which disappears with the process.
package final class UnlinkedFile {
  /// The descriptor, open for reading and writing.
  let descriptor: Int32
  /// The name of the file in messages.
  let name: String

  /// Makes the file in a folder, by default in the temporary folder.
  /// - Throws: `RunFailure` if that folder cannot be written.
  init(in folder: String = TemporaryFolder.root) throws {
    name = "a temporary file in \(folder)"
    descriptor = try Self.descriptor(in: folder)
  }

  /// Makes an unnamed file, which the caller closes.
  /// - Returns: The file's descriptor, open for reading and writing.
  /// - Throws: `RunFailure` if the folder cannot be written.
  package static func descriptor(in folder: String = TemporaryFolder.root) throws -> Int32 {
    var template = Array((folder + "/fleetkit-XXXXXX").utf8CString)
    let descriptor = mkstemp(&template)
    guard descriptor >= 0 else {
      throw RunFailure(
        .failed, "make a temporary file in '\(folder)': \(SystemError.last)",
        advice: "Set TMPDIR to a writable folder.")
    }
    unlink(template)
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    return descriptor
  }

  deinit { close(descriptor) }

  /// Passes a range of the file to `body`, in pieces.
  /// - Throws: `RunFailure` if the file cannot be read, and what `body` throws.
  func read(_ stretch: Range<Int>, _ body: (Span<UInt8>) throws -> Void) throws {
    var piece = [UInt8](repeating: 0, count: min(stretch.count, 1 << 16))
    var at = stretch.lowerBound
    while at < stretch.upperBound {
      let room = min(piece.count, stretch.upperBound - at)
      let got = piece.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, room, off_t(at)) }
      guard got > 0 else { throw RunFailure(.failed, "read \(name): \(SystemError.last)") }
      try body(piece.span.extracting(first: got))
      at += got
    }
  }
}
