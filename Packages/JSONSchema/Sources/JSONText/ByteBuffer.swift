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
    Array(UnsafeBufferPointer(rebasing: bytes[range]))
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

  /// Appends `length` bytes from `source`, which must not point into this buffer.
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

  /// Appends a string that is known at compile time.
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

/// Compares short byte strings, such as names.
public enum ShortBytes {
  /// Returns whether two ranges of `count` bytes are equal.
  @inlinable @inline(__always)
  public static func same(_ left: UnsafeRawPointer, _ right: UnsafeRawPointer, _ count: Int) -> Bool {
    // Comparing two words that may overlap is faster than calling memcmp.
    if count >= 8 {
      var at = 0
      while at < count - 8 {
        if left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
          != right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
        {
          return false
        }
        at += 8
      }
      return left.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
        == right.loadUnaligned(fromByteOffset: count - 8, as: UInt64.self)
    }
    if count >= 4 {
      return left.loadUnaligned(as: UInt32.self) == right.loadUnaligned(as: UInt32.self)
        && left.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
          == right.loadUnaligned(fromByteOffset: count - 4, as: UInt32.self)
    }
    var index = 0
    while index < count {
      if left.load(fromByteOffset: index, as: UInt8.self) != right.load(fromByteOffset: index, as: UInt8.self) {
        return false
      }
      index += 1
    }
    return true
  }
}

/// Checks UTF-8 as Unicode defines it: shortest forms only, no surrogates, nothing above U+10FFFF.
public enum UTF8Check {
  /// Returns the length in bytes of the non-ASCII character at `bytes`, or 0 if the character is invalid.
  @inlinable
  public static func sequenceLength(_ bytes: UnsafePointer<UInt8>, available: Int) -> Int {
    let lead = bytes[0]
    @inline(__always) func isTail(_ index: Int) -> Bool { bytes[index] & 0xC0 == 0x80 }
    switch lead {
    case 0xC2...0xDF:
      return available >= 2 && isTail(1) ? 2 : 0
    case 0xE0...0xEF:
      guard available >= 3, isTail(1), isTail(2) else { return 0 }
      if lead == 0xE0, bytes[1] < 0xA0 { return 0 }
      if lead == 0xED, bytes[1] > 0x9F { return 0 }
      return 3
    case 0xF0...0xF4:
      guard available >= 4, isTail(1), isTail(2), isTail(3) else { return 0 }
      if lead == 0xF0, bytes[1] < 0x90 { return 0 }
      if lead == 0xF4, bytes[1] > 0x8F { return 0 }
      return 4
    default:
      return 0
    }
  }

  /// Returns the offset of the first byte that is not UTF-8, or nil if the whole text is UTF-8.
  public static func firstInvalid(in text: UnsafeBufferPointer<UInt8>) -> Int? {
    guard let base = text.baseAddress else { return nil }
    var at = 0
    while at < text.count {
      if at + 8 <= text.count {
        let word = UnsafeRawPointer(base + at).loadUnaligned(as: UInt64.self)
        if word & 0x8080_8080_8080_8080 == 0 {
          at += 8
          continue
        }
      }
      if base[at] < 0x80 {
        at += 1
        continue
      }
      let length = sequenceLength(base + at, available: text.count - at)
      if length == 0 { return at }
      at += length
    }
    return nil
  }
}
