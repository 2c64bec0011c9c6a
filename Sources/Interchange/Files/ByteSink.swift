import Foundation
import JSONText

/// Whoever read the output has gone away, as `head` does when it has seen enough.
public struct BrokenPipe: Error {}

/// Writes bytes to a file descriptor through a buffer; full disks and closed pipes become errors.
public final class ByteSink {
  private let descriptor: Int32
  private let name: String
  private var buffer = ByteBuffer(capacity: 1 << 18)
  /// How many bytes were taken, written or still in the buffer.
  public private(set) var count = 0

  /// Writes to `descriptor`; `name` is for messages.
  public init(descriptor: Int32, name: String) {
    self.descriptor = descriptor
    self.name = name
  }

  /// Takes bytes.
  /// - Throws: `RunFailure` with status 2 when the disk is full or the reader has gone.
  public func write(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    count += bytes.count
    if buffer.count + bytes.count > 1 << 18 || bytes.count >= 1 << 16 { try flush() }
    if bytes.count >= 1 << 16 {
      try send(bytes)
    } else {
      buffer.append(bytes)
    }
  }

  /// Takes text.
  /// - Throws: as `write`.
  public func write(_ text: String) throws {
    var text = text
    try text.withUTF8 { try write($0) }
  }

  /// Hands everything to the system.
  /// - Throws: as `write`.
  public func flush() throws {
    try send(buffer.bytes)
    buffer.removeAll()
  }

  private func send(_ bytes: UnsafeBufferPointer<UInt8>) throws {
    var at = 0
    while at < bytes.count, let base = bytes.baseAddress {
      #if canImport(Glibc)
        let sent = Glibc.write(descriptor, base + at, bytes.count - at)
      #else
        let sent = Darwin.write(descriptor, base + at, bytes.count - at)
      #endif
      if sent < 0 {
        if errno == EINTR { continue }
        if errno == EPIPE { throw BrokenPipe() }
        throw RunFailure(
          .failed, "write '\(name)': \(SystemError.last)",
          advice: errno == ENOSPC ? "Free some space and run it again; nothing was changed." : nil)
      }
      at += sent
    }
  }
}
