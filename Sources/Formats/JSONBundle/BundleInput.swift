import Content
import Foundation
import Interchange
import JSONText

/// The bytes of a bundle, read in chunks into a buffer that batches take over.
final class BundleInput {
  let name: String
  /// What ids of records without one are derived from.
  let idName: String
  private let descriptor: Int32
  private let closes: Bool
  /// The bytes of an input that is in memory already; nil for files.
  private let bytes: UnsafeBufferPointer<UInt8>?
  /// Size of the file, nil for pipes.
  let size: Int?
  /// Bytes that were read so far.
  private(set) var consumed = 0
  /// What was read and not yet handed over.
  var buffer: ByteBuffer
  private(set) var isAtEnd = false
  /// Where buffers that batches took over come back to.
  let memory = BatchMemory(largest: 4 * BundleInput.chunk)

  /// How much is read at a time, and roughly how large a batch gets.
  static let chunk = 1 << 20
  /// The most records of a batch: a rejected one takes memory that has nothing to do with its length.
  static let batchRecords = 4096

  init(_ source: Source) throws {
    name = source.name
    idName = source.idName
    bytes = nil
    buffer = ByteBuffer(capacity: Self.chunk + 4096)
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

  /// Reads bytes that stay where they are as long as the input is used.
  init(name: String, bytes: UnsafeBufferPointer<UInt8>) {
    self.name = name
    idName = name
    self.bytes = bytes
    descriptor = -1
    closes = false
    size = bytes.count
    buffer = ByteBuffer(capacity: min(bytes.count, Self.chunk) + 64)
  }

  deinit { if closes { close(descriptor) } }

  /// Appends the next chunk to the buffer; false at the end.
  func fill() throws -> Bool {
    if isAtEnd { return false }
    if let bytes { return fill(from: bytes) }
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

  private func fill(from bytes: UnsafeBufferPointer<UInt8>) -> Bool {
    let end = min(bytes.count, consumed + Self.chunk)
    if end == consumed {
      isAtEnd = true
      return false
    }
    buffer.append(UnsafeBufferPointer(rebasing: bytes[consumed..<end]))
    consumed = end
    return true
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
