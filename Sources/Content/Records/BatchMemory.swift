import JSONText
import Synchronization

/// Memory of batches that are done with, kept for the batches to come.
///
/// A reader owns one. Fresh memory would be cleared by the system page by page, which costs as much as filling it;
/// memory that was used a moment ago is also still in the processor's cache.
package final class BatchMemory: Sendable {
  private final class Bytes: @unchecked Sendable {
    var buffer = ByteBuffer(capacity: 0)
  }

  private final class Tokens: @unchecked Sendable {
    var tape = JSONTape(capacity: 0)
  }

  private let bytes = Mutex<[Bytes]>([])
  private let tokens = Mutex<[Tokens]>([])
  /// Larger ones were made for a record out of the ordinary and are given back to the system.
  private let largest: Int

  /// How many pieces of each sort are kept.
  private static let count = 12
  /// Smaller ones are not worth keeping.
  private static let smallest = 1 << 14

  /// Keeps pieces of up to `largest` bytes.
  package init(largest: Int) { self.largest = largest }

  /// An empty buffer, with room for `capacity` bytes if it is a new one.
  package func buffer(_ capacity: Int) -> ByteBuffer {
    var buffer = ByteBuffer(capacity: 0)
    if let piece = bytes.withLock({ $0.popLast() }) {
      swap(&buffer, &piece.buffer)
      buffer.reserve(capacity)
      return buffer
    }
    return ByteBuffer(capacity: capacity)
  }

  /// An empty tape, with room for `capacity` tokens if it is a new one.
  package func tape(_ capacity: Int) -> JSONTape {
    guard let piece = tokens.withLock({ $0.popLast() }) else { return JSONTape(capacity: capacity) }
    var tape = JSONTape(capacity: 0)
    swap(&tape, &piece.tape)
    return tape
  }

  /// Takes back a buffer; leaves an empty one in its place.
  package func keep(_ buffer: inout ByteBuffer) {
    guard buffer.capacity >= Self.smallest, buffer.capacity <= largest else { return }
    let piece = Bytes()
    swap(&buffer, &piece.buffer)
    piece.buffer.removeAll()
    bytes.withLock { if $0.count < Self.count { $0.append(piece) } }
  }

  /// Takes back a tape; leaves an empty one in its place.
  func keep(_ tape: inout JSONTape) {
    let size = tape.capacity * MemoryLayout<JSONToken>.stride
    guard size >= Self.smallest, size <= 2 * largest else { return }
    let piece = Tokens()
    swap(&tape, &piece.tape)
    piece.tape.removeAll()
    tokens.withLock { if $0.count < Self.count { $0.append(piece) } }
  }
}
