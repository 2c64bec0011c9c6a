/// Rows in memory that is kept from item to item, unless one item needed much of it.
struct RowTable<Row: BitwiseCopyable>: ~Copyable {
  private var storage: UnsafeMutablePointer<Row>?
  private var capacity = 0
  private(set) var count = 0

  /// Memory for more rows than this is released.
  private static var mostKept: Int { 16_384 }

  deinit { storage?.deallocate() }

  /// The rows; valid until the next change.
  var rows: UnsafeBufferPointer<Row> { UnsafeBufferPointer(start: storage, count: count) }

  mutating func append(_ row: Row) {
    if count == capacity { grow() }
    storage?[count] = row
    count += 1
  }

  mutating func removeAll() {
    count = 0
    guard capacity > Self.mostKept else { return }
    storage?.deallocate()
    storage = nil
    capacity = 0
  }

  private mutating func grow() {
    capacity = max(64, capacity * 2)
    let larger = UnsafeMutablePointer<Row>.allocate(capacity: capacity)
    if let storage {
      larger.moveInitialize(from: storage, count: count)
      storage.deallocate()
    }
    storage = larger
  }
}
