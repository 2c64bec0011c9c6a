import Content
import Foundation
import Interchange
import JSONText

/// The bytes of a bundle, read in chunks into a buffer that batches take over.
final class BundleInput {
  let name: String
  private let descriptor: Int32
  private let closes: Bool
  /// Size of the file, nil for pipes.
  let size: Int?
  /// Bytes that were read so far.
  private(set) var consumed = 0
  /// What was read and not yet handed over.
  var buffer = ByteBuffer(capacity: BundleInput.chunk + 4096)
  private(set) var isAtEnd = false
  /// Where buffers that batches took over come back to.
  let memory = BatchMemory(largest: 4 * BundleInput.chunk)

  /// How much is read at a time, and roughly how large a batch gets.
  static let chunk = 1 << 20

  init(_ source: Source) throws {
    name = source.path
    if source.isStandardInput {
      descriptor = 0
      closes = false
      size = nil
    } else {
      descriptor = open(source.path, O_RDONLY | O_CLOEXEC)
      closes = true
      guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
      var status = stat()
      size = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }
  }

  deinit { if closes { close(descriptor) } }

  /// Appends the next chunk to the buffer; false at the end.
  func fill() throws -> Bool {
    if isAtEnd { return false }
    let got = try buffer.append(room: Self.chunk) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
      while true {
        let got = read(descriptor, room.baseAddress, room.count)
        if got >= 0 { return got }
        if errno != EINTR { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
      }
    }
    consumed += got
    if got == 0 { isAtEnd = true }
    return got > 0
  }

  /// Takes the buffer away and starts a new one with what stands behind `end`.
  func takeBuffer(upTo end: Int) -> ByteBuffer {
    var next = memory.buffer(max(Self.chunk + 4096, buffer.count - end + Self.chunk))
    if end < buffer.count { next.append(buffer.start + end, buffer.count - end) }
    swap(&next, &buffer)
    next.truncate(to: end)
    return next
  }
}
