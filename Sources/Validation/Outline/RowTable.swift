#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// Rows in memory that stays from item to item, unless one item needed much of it.
struct RowTable<Row: BitwiseCopyable>: ~Copyable {
  private var storage: UnsafeMutablePointer<Row>?
  private var capacity = 0
  private(set) var count = 0

  /// How many rows are worth keeping memory for.
  private static var mostKept: Int { 16_384 }

  deinit { free(storage) }

  /// The rows; valid until the next change.
  var rows: UnsafeBufferPointer<Row> { UnsafeBufferPointer(start: storage, count: count) }

  subscript(index: Int) -> Row {
    get { rows[index] }
    set {
      precondition(index < count)
      storage?[index] = newValue
    }
  }

  mutating func append(_ row: Row) {
    if count == capacity { grow() }
    storage?[count] = row
    count += 1
  }

  mutating func removeAll() {
    count = 0
    guard capacity > Self.mostKept else { return }
    free(storage)
    storage = nil
    capacity = 0
  }

  private mutating func grow() {
    capacity = max(64, capacity * 2)
    // Pages of a large block are moved, not copied, so that both sizes are never in memory together.
    guard let moved = realloc(storage, capacity * MemoryLayout<Row>.stride) else { fatalError("out of memory") }
    storage = moved.assumingMemoryBound(to: Row.self)
  }
}
