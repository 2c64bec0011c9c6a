/// A growable buffer of bytes that a writer appends to and that other modules read in place.
///
/// The buffer owns one allocation and frees it. The type cannot be copied, so a slice never outlives a reallocation
/// unnoticed. Appending takes amortized constant time.
public struct ByteBuffer: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutablePointer<UInt8>
  @usableFromInline var used = 0
  /// The number of bytes that fit before the buffer must grow.
  public internal(set) var capacity: Int

  /// Creates an empty buffer with room for `capacity` bytes.
  public init(capacity: Int = 4096) {
    self.capacity = max(64, capacity)
    storage = .allocate(capacity: self.capacity)
  }

  deinit { storage.deallocate() }

  /// The number of bytes in the buffer.
  @inlinable @inline(__always) public var count: Int { used }

  /// The bytes, in place. They are valid until the next append or removal.
  @inlinable @inline(__always) public var bytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: storage, count: used)
  }

  /// The address of the first byte. It is valid until the next append or removal.
  @inlinable @inline(__always) public var start: UnsafePointer<UInt8> { UnsafePointer(storage) }

  /// Returns a copy of the bytes in `range`, for callers that keep them.
  public func copy(_ range: Range<Int>) -> [UInt8] {
    Array(bytes[range])
  }

  /// Makes room for `more` additional bytes.
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

  /// Appends bytes, which must not be in this buffer.
  @inlinable @inline(__always) public mutating func append(_ source: Span<UInt8>) {
    reserve(source.count)
    source.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { (storage + used).update(from: base, count: source.count) }
    }
    used += source.count
  }

  /// Appends a string that is known at compile time.
  @inlinable @inline(__always) public mutating func append(_ text: StaticString) {
    text.withUTF8Buffer { append($0.span) }
  }

  /// Appends the UTF-8 of `text`.
  @inlinable public mutating func append(utf8 text: String) { append(text.utf8.span) }

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

  /// Lets `fill` write up to `room` bytes at the end. `fill` returns the number of bytes that it wrote.
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

/// Checks UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above U+10FFFF.
public enum UTF8Check {
  /// Returns the length in bytes of the non-ASCII character at `at`, or 0 if the character is invalid.
  @inlinable
  public static func sequenceLength(in text: Span<UInt8>, at: Int) -> Int {
    let lead = text[at]
    let available = text.count - at
    @inline(__always) func isTail(_ index: Int) -> Bool { text[at + index] & 0xC0 == 0x80 }
    switch lead {
    case 0xC2...0xDF:
      return available >= 2 && isTail(1) ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, isTail(1), isTail(2) else { return 0 }
      if lead == 0xE0, text[at + 1] < 0xA0 { return 0 }
      if lead == 0xED, text[at + 1] > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard available >= 4, isTail(1), isTail(2), isTail(3) else { return 0 }
      if lead == 0xF0, text[at + 1] < 0x90 { return 0 }
      if lead == 0xF4, text[at + 1] > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  /// Returns the offset of the first byte that is not UTF-8, or nil if the whole text is UTF-8.
  public static func firstInvalid(in text: Span<UInt8>) -> Int? {
    var at = 0
    while at < text.count {
      if at + 8 <= text.count, text.word(at: at) & 0x8080_8080_8080_8080 == 0 {
        at += 8
        continue
      }
      if text[at] < 0x80 {
        at += 1
        continue
      }
      let length = sequenceLength(in: text, at: at)
      if length == 0 { return at }
      at += length
    }
    return nil
  }
}
