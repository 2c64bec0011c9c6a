import CZlib
import Interchange

/// Unpacks deflated bytes without a frame, as in ZIP.
final class RawInflater {
  /// The state after some input.
  enum State {
    case more
    /// The deflated data has ended, and the given number of bytes is left over.
    case ended(left: Int)
    case damaged(String)
  }

  private var stream = z_stream()

  /// Creates an inflater. `name` is used in messages.
  init(_ name: String) throws {
    guard inflateInit2_(&stream, -15, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      throw RunFailure(.failed, "read '\(name)': there is not enough memory for zlib")
    }
  }

  deinit { inflateEnd(&stream) }

  /// Prepares for new data.
  func reset() { inflateReset(&stream) }

  /// Unpacks bytes and passes the result to `take`.
  func feed(
    _ bytes: UnsafeRawBufferPointer, room: UnsafeMutableRawBufferPointer,
    _ take: (UnsafeRawBufferPointer) throws -> Void
  ) throws -> State {
    stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self))
    stream.avail_in = UInt32(bytes.count)
    while true {
      stream.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
      stream.avail_out = UInt32(room.count)
      let status = inflate(&stream, Z_NO_FLUSH)
      let count = room.count - Int(stream.avail_out)
      if count > 0 { try take(UnsafeRawBufferPointer(rebasing: room[..<count])) }
      switch status {
      case Z_STREAM_END: return .ended(left: Int(stream.avail_in))
      case Z_OK, Z_BUF_ERROR: if stream.avail_in == 0, stream.avail_out > 0 { return .more }
      default: return .damaged(stream.msg.map { String(cString: $0) } ?? "zlib reports \(status)")
      }
    }
  }
}
