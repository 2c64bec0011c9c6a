/// Growable bytes that a writer appends to and that other floors read in place.
///
/// Owns one allocation and frees it; copying is impossible by type, so a slice of it never outlives a
/// reallocation unnoticed. Appending is amortised O(1).
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutablePointer<UInt8>
  @usableFromInline var used = 0
  /// How many bytes fit before the buffer grows.
  public internal(set) var capacity: Int

  /// Makes an empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    storage = .allocate(capacity: self.capacity)
  }

  deinit { storage.deallocate() }

  /// How many bytes the buffer holds.
  @inlinable @inline(__always) public var count: Int { used }

  /// The bytes, in place. Valid until the next append or removal.
  @inlinable @inline(__always) public var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage, count: used)
  }

  /// The address of the first byte. Valid until the next append or removal.
  @inlinable @inline(__always) public var start: UnsafePointer<UInt8> { UnsafePointer(storage) }

  /// A copy of the bytes of `range`, for callers that keep them.
  public func copy(_ range: Range<Int>) -> [UInt8] {
    Array(UnsafeBufferPointer(rebasing: bytes[range]))
  }

  /// Makes room for `more` further bytes.
  @inlinable @inline(__always) public mutating func reserve(_ more: Int) {
    if used + more > capacity { grow(more) }
  }

  @usableFromInline mutating func grow(_ more: Int) {
    let larger = max(capacity * 2, used + more + 64)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.update(from: storage, count: used)
    storage.deallocate()
    storage = moved
    capacity = larger
  }

  /// Appends one byte.
  @inlinable @inline(__always) public mutating func append(_ byte: UInt8) {
    if used == capacity { grow(1) }
    storage[used] = byte
    used += 1
  }

  /// Appends `length` bytes from `source`, which must not lie in this buffer.
  @inlinable @inline(__always) public mutating func append(_ source: UnsafePointer<UInt8>, _ length: Int) {
    reserve(length)
    (storage + used).update(from: source, count: length)
    used += length
  }

  /// Appends the bytes of a buffer.
  @inlinable @inline(__always) public mutating func append(_ source: UnsafeBufferPointer<UInt8>) {
    guard let base = source.baseAddress else { return }
    append(base, source.count)
  }

  /// Appends text that is known at compile time.
  @inlinable @inline(__always) public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append($0) }
  }

  /// Appends the UTF-8 of `text`.
  @inlinable public mutating func append(utf8 text: String) {
    var text = text
    text.withUTF8 { append($0) }
  }

  /// Drops everything past the first `length` bytes.
  @inlinable @inline(__always) public mutating func truncate(to length: Int) {
    if length < used { used = max(0, length) }
  }

  /// Empties the buffer and keeps its memory.
  @inlinable @inline(__always) public mutating func removeAll() { used = 0 }

  /// Drops the first `length` bytes and moves the rest to the front.
  public mutating func removeFirst(_ length: Int) {
    guard length > 0 else { return }
    let left = max(0, used - length)
    if left > 0 { storage.update(from: storage + length, count: left) }
    used = left
  }

  /// Lets `fill` write up to `room` bytes at the end; it answers how many it wrote.
  @discardableResult
  @inlinable public mutating func append<E: Error>(
    room: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(E) -> Int
  ) throws(E) -> Int {
    reserve(room)
    let written = try fill(UnsafeMutableRawBufferPointer(start: storage + used, count: room))
    used += max(0, min(written, room))
    return written
  }
}
