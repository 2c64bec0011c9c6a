import Content

/// The ids of one record and how often each came, in memory that is used again for the next record.
struct IDTable: ~Copyable {
  private var ids: [UUIDBits]
  /// How often each id came; 0 for an empty slot.
  private var counts: [Int32]
  /// The slots that have an id.
  private var used: [UInt32] = []
  private var mask: Int

  private static let nothing = UUIDBits(high: 0, low: 0)

  init() {
    ids = Array(repeating: Self.nothing, count: 64)
    counts = Array(repeating: 0, count: 64)
    mask = 63
  }

  /// Forgets all ids; costs as much as there were.
  mutating func removeAll() {
    for slot in used { counts[Int(slot)] = 0 }
    used.removeAll(keepingCapacity: true)
  }

  /// Adds an id.
  /// - Returns: how often it had been added before.
  mutating func add(_ id: UUIDBits) -> Int {
    // A table of a million rows has an id for each: three quarters of the slots are used before it grows.
    if used.count * 4 >= counts.count * 3 { grow() }
    let at = slot(of: id)
    counts[at] += 1
    if counts[at] == 1 {
      ids[at] = id
      used.append(UInt32(truncatingIfNeeded: at))
    }
    return Int(counts[at]) - 1
  }

  /// The slot of an id, or the empty one where it belongs.
  private func slot(of id: UUIDBits) -> Int {
    // Ids of people may be anything; a run's own key keeps them from being made to collide.
    var at = start(id)
    while counts[at] > 0, ids[at] != id { at = (at + 1) & mask }
    return at
  }

  private static let seed = UInt64.random(in: 0...UInt64.max) | 1

  private func start(_ id: UUIDBits) -> Int {
    let mixed = (id.high ^ Self.seed).multipliedFullWidth(by: (id.low ^ 0x9E37_79B9_7F4A_7C15) | 1)
    return Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
  }

  private mutating func grow() {
    let old = (ids: ids, counts: counts)
    ids = Array(repeating: Self.nothing, count: old.ids.count * 2)
    counts = Array(repeating: 0, count: ids.count)
    mask = ids.count - 1
    for index in used.indices {
      let from = Int(used[index])
      let at = slot(of: old.ids[from])
      ids[at] = old.ids[from]
      counts[at] = old.counts[from]
      used[index] = UInt32(truncatingIfNeeded: at)
    }
  }
}
