/// A key that a rule stores for every record of a run.
protocol CompactKey: BitwiseCopyable, Equatable {
  /// Hashes the key with a secret seed, so that input cannot contain keys chosen to collide.
  func mixed(_ secret: CompactSecret) -> UInt64
}

/// The seed of the hashes. It is different in every process.
struct CompactSecret: Sendable {
  private let first = UInt64.random(in: .min ... .max) | 1
  private let second = UInt64.random(in: .min ... .max)

  static let shared = CompactSecret()

  @inline(__always) func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
    let product = (left ^ first).multipliedFullWidth(by: right ^ second)
    return product.high ^ product.low
  }
}

extension UInt64: CompactKey {
  func mixed(_ secret: CompactSecret) -> UInt64 { secret.mix(self, 0x9E37_79B9_7F4A_7C15) }
}

extension RecordKey: CompactKey {
  func mixed(_ secret: CompactSecret) -> UInt64 { secret.mix(high, low) }
}

/// A table that is more densely filled than `Dictionary` and grows by half, for millions of small keys and values.
///
/// Each slot has one additional byte, and 53 to 80 percent of the slots are used. A million numeric keys with
/// eight-byte values take 21 to 32 MB, plus two thirds of that while the table grows. Large tables are in temporary
/// files (`SpillingArray`). A table has one owner.
struct CompactTable<Key: CompactKey, Value: BitwiseCopyable> {
  /// The number of keys.
  private(set) var count = 0
  /// For each slot, 0 if it is empty, otherwise some bits of the hash with the highest bit set.
  private var marks = SpillingArray<UInt8>()
  private var keys = SpillingArray<Key>()
  private var values = SpillingArray<Value>()
  private let secret = CompactSecret.shared

  var isEmpty: Bool { count == 0 }

  /// Removes all keys.
  mutating func removeAll() { self = CompactTable() }

  /// Adds a key unless the table contains it.
  /// - Returns: The key's existing value; nil if the key is new.
  @discardableResult mutating func insert(_ key: Key, _ value: Value) -> Value? {
    if (count + 1) * 5 > marks.count * 4 { grow() }
    let (slot, isThere) = find(key)
    if isThere { return values[slot] }
    put(key, value, slot)
    return nil
  }

  /// Whether a key was added.
  func contains(_ key: Key) -> Bool { count > 0 && find(key).isThere }

  /// The value of a key; nil if the key was not added.
  subscript(_ key: Key) -> Value? {
    guard count > 0 else { return nil }
    let (slot, isThere) = find(key)
    return isThere ? values[slot] : nil
  }

  /// Changes the value of a key that was added before.
  mutating func update(_ key: Key, _ change: (inout Value) -> Void) {
    guard count > 0 else { return }
    let (slot, isThere) = find(key)
    if isThere { change(&values[slot]) }
  }

  private mutating func put(_ key: Key, _ value: Value, _ slot: Int) {
    marks[slot] = Self.mark(key.mixed(secret))
    keys[slot] = key
    values[slot] = value
    count += 1
  }

  private static func mark(_ hash: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: hash) | 0x80 }

  /// Returns the slot of a key, or the empty slot for it. There is always an empty slot.
  private func find(_ key: Key) -> (slot: Int, isThere: Bool) {
    let hash = key.mixed(secret)
    let mark = Self.mark(hash)
    let marks = marks.elements
    var slot = Int(hash.multipliedFullWidth(by: UInt64(marks.count)).high)
    while marks[slot] != 0 {
      if marks[slot] == mark, keys[slot] == key { return (slot, true) }
      slot += 1
      if slot == marks.count { slot = 0 }
    }
    return (slot, false)
  }

  private mutating func grow() {
    let (oldMarks, oldKeys, oldValues) = (marks, keys, values)
    let slots = max(64, oldMarks.count / 2 * 3)
    marks = SpillingArray(zeros: slots)
    keys = SpillingArray(zeros: slots)
    values = SpillingArray(zeros: slots)
    count = 0
    for slot in 0..<oldMarks.count where oldMarks[slot] != 0 {
      put(oldKeys[slot], oldValues[slot], find(oldKeys[slot]).slot)
    }
  }
}

/// A table that is used as a set.
extension CompactTable where Value == CompactNothing {
  /// Adds a key; returns false if the set contains it.
  @discardableResult mutating func insert(_ key: Key) -> Bool { insert(key, CompactNothing()) == nil }
}

/// The empty value for the keys of a set.
struct CompactNothing: BitwiseCopyable {}
