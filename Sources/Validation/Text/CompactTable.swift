import Content
import Diagnostics
import JSONText

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
    store(key, value, slot)
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

  private mutating func store(_ key: Key, _ value: Value, _ slot: Int) {
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
      store(oldKeys[slot], oldValues[slot], find(oldKeys[slot]).slot)
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

/// An id in sixteen bytes, for rules that store a million ids.
struct RecordKey: Hashable {
  let high: UInt64
  let low: UInt64

  /// Reads a UUID in upper or lower case. Fails for any other value.
  init?(_ node: JSONNode?) {
    guard let node, node.kind == .string else { return nil }
    self.init(node.inner.span)
  }

  /// Reads a UUID in upper or lower case. Fails for any other text.
  init?(_ text: String) {
    self.init(text.utf8.span)
  }

  private init?(_ text: Span<UInt8>) {
    guard CanonicalUUID.form(of: text) != .none else { return nil }
    // The groups have 8-4-4-4-12 digits. The groups of four in the middle are read in pairs.
    @inline(__always) func four(_ at: Int) -> UInt64 { UInt64(text.halfWord(at: at)) }
    high = Self.value(text.word(at: 0)) << 32 | Self.value(four(9) | four(14) << 32)
    low = Self.value(four(19) | four(24) << 32) << 32 | Self.value(text.word(at: 28))
  }

  /// Returns the value of eight hexadecimal digits, the first digit in the lowest byte.
  @inline(__always) private static func value(_ digits: UInt64) -> UInt64 {
    // A letter has bit 6 set, and its value is its lower half plus nine.
    let halves = (digits & 0x0F0F_0F0F_0F0F_0F0F) &+ ((digits >> 6) & 0x0101_0101_0101_0101) &* 9
    let bytes = (halves & 0x00FF_00FF_00FF_00FF) << 4 | (halves >> 8) & 0x00FF_00FF_00FF_00FF
    return (bytes & 0xFF) << 24 | (bytes >> 16 & 0xFF) << 16 | (bytes >> 32 & 0xFF) << 8 | bytes >> 48 & 0xFF
  }

  /// A hash of the id. Different ids rarely share it.
  var number: UInt64 { (high ^ (low << 23 | low >> 41)) &* 0x9E37_79B9_7F4A_7C15 }

  /// The id as the app writes it.
  var text: String {
    let hex = [high, low].map { half in
      let digits = String(half, radix: 16, uppercase: true)
      return String(repeating: "0", count: 16 - digits.count) + digits
    }.joined()
    var out = ""
    for (position, digit) in hex.enumerated() {
      if [8, 12, 16, 20].contains(position) { out += "-" }
      out.append(digit)
    }
    return out
  }
}

/// The places of records, each packed into eight bytes, for rules that store a place for every record of a run.
struct RecordPositions {
  /// A stored place.
  struct Entry: BitwiseCopyable {
    fileprivate let source: UInt32
    /// The line; 0 for a row of a library, whose id the caller has.
    fileprivate let line: UInt32
  }

  /// The properties of a place that many records share: file, member and table.
  private struct Source: Equatable {
    let file: String
    let member: String?
    let table: String?
  }

  private var sources: [Source] = []

  /// Stores the place where a record begins.
  mutating func store(_ place: Place) -> Entry {
    let line = UInt32(clamping: place.line ?? 0)
    let source = Source(file: place.file, member: place.member, table: place.row?.table)
    // Records arrive source by source and from few tables, so one of the last entries nearly always matches.
    if let known = sources.suffix(8).lastIndex(of: source) {
      return Entry(source: UInt32(clamping: known), line: line)
    }
    sources.append(source)
    return Entry(source: UInt32(clamping: sources.count - 1), line: line)
  }

  /// Returns a stored place.
  /// - Parameter id: the record's id, for rows of a library.
  func place(_ entry: Entry, id: String) -> Place {
    let source = sources[Int(entry.source)]
    return Place(
      file: source.file, member: source.member, line: entry.line == 0 ? nil : Int(entry.line),
      row: source.table.map { Place.Row(table: $0, id: id) })
  }
}

/// A set of numbers for lists that are nearly always short but must not be slow when they are long.
struct SmallSet {
  private static let few = 32
  private var first: [UInt64] = []
  private var rest: Set<UInt64> = []

  /// Removes all numbers. Keeps the memory of a short list.
  mutating func removeAll() {
    first.removeAll(keepingCapacity: true)
    if !rest.isEmpty { rest = [] }
  }

  /// Adds a number; returns false if the set contains it.
  mutating func insert(_ number: UInt64) -> Bool {
    if first.contains(number) { return false }
    guard first.count >= Self.few else {
      first.append(number)
      return true
    }
    return rest.insert(number).inserted
  }
}

/// Finds equal elements among many, by a hash of each element and a full comparison of candidates.
///
/// The time is linear for any input. If many different elements share a hash, some repeats among them are missed.
struct RepeatFinder {
  private var numbers: [UInt64] = []

  /// The maximum number of elements that are compared one by one, which is faster than using a table.
  private static let few = 48

  /// Calls `found` with every element that repeats an earlier one, and with the earlier element.
  /// - Parameters:
  ///   - quick: a faster and less exact hash; `number` is called only if two elements share it.
  ///   - number: a hash that is equal for equal elements; nil excludes an element.
  ///   - same: returns whether two elements with equal hashes are really equal.
  mutating func find(
    _ range: Range<Int>, quick: ((Int) -> UInt64)? = nil, number: (Int) -> UInt64?, same: (Int, Int) -> Bool,
    found: (_ index: Int, _ first: Int) -> Void
  ) {
    guard range.count > 1 else { return }
    if let quick, range.count <= Self.few {
      numbers.removeAll(keepingCapacity: true)
      var isSeen = false
      for index in range {
        let own = quick(index)
        isSeen = isSeen || numbers.contains(own)
        numbers.append(own)
      }
      guard isSeen else { return }
    }
    if range.count > Self.few {
      var firsts = CompactTable<UInt64, Int>()
      for index in range {
        guard let number = number(index), let first = firsts.insert(number, index) else { continue }
        if same(first, index) { found(index, first) }
      }
      return
    }
    numbers.removeAll(keepingCapacity: true)
    for index in range {
      let own = number(index) ?? 0
      // Zero marks elements without a hash.
      if own != 0, let earlier = numbers.firstIndex(of: own), same(range.lowerBound + earlier, index) {
        found(index, range.lowerBound + earlier)
      }
      numbers.append(own)
    }
  }
}
