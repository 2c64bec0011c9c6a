/// The tokens of one or many JSON texts that lie in one stretch of memory.
///
/// Parsing appends; offsets count from the start of that memory, so many lines of a bundle share one tape
/// and no value of them is allocated or copied.
public struct JSONTape: ~Copyable, @unchecked Sendable {
  @usableFromInline var storage: UnsafeMutablePointer<JSONToken>
  @usableFromInline var used = 0
  /// How many tokens fit before the tape grows.
  public internal(set) var capacity: Int

  /// Makes an empty tape with room for `capacity` tokens.
  public init(capacity: Int = 256) {
    self.capacity = max(16, capacity)
    storage = .allocate(capacity: self.capacity)
  }

  deinit { storage.deallocate() }

  /// How many tokens the tape holds.
  @inlinable @inline(__always) public var count: Int { used }

  /// The tokens, in place. Valid until the next parse.
  @inlinable @inline(__always) public var tokens: UnsafePointer<JSONToken> { UnsafePointer(storage) }

  /// The token at `index`.
  @inlinable public subscript(index: Int) -> JSONToken {
    precondition(index >= 0 && index < used, "token index out of range")
    return storage[index]
  }

  /// Forgets every token and keeps the memory.
  @inlinable public mutating func removeAll() { used = 0 }

  /// Forgets the tokens from `index` on.
  @inlinable public mutating func truncate(to index: Int) {
    if index < used { used = max(0, index) }
  }

  @inlinable @inline(__always) mutating func append(_ token: JSONToken) {
    if used == capacity { grow() }
    storage[used] = token
    used += 1
  }

  @usableFromInline mutating func grow() {
    let larger = capacity * 2
    let moved = UnsafeMutablePointer<JSONToken>.allocate(capacity: larger)
    moved.update(from: storage, count: used)
    storage.deallocate()
    storage = moved
    capacity = larger
  }
}
