import Content

/// The ids of one record and how often each came, in memory that is used again for the next record.
struct IDTable: ~Copyable {
  private var slots: [(id: UUIDBits, count: Int32)]
  private var used: [Int] = []
  private var mask: Int

  init() {
    slots = Array(repeating: (UUIDBits(high: 0, low: 0), 0), count: 64)
    mask = 63
  }

  /// Forgets all ids; costs as much as there were.
  mutating func removeAll() {
    for slot in used { slots[slot].count = 0 }
    used.removeAll(keepingCapacity: true)
  }

  /// Adds an id.
  /// - Returns: how often it had been added before.
  mutating func add(_ id: UUIDBits) -> Int {
    if used.count * 2 >= slots.count { grow() }
    // Ids of people may be anything; a run's own key keeps them from being made to collide.
    var at = start(id)
    while slots[at].count > 0 {
      if slots[at].id == id {
        slots[at].count += 1
        return Int(slots[at].count) - 1
      }
      at = (at + 1) & mask
    }
    slots[at] = (id, 1)
    used.append(at)
    return 0
  }

  private static let seed = UInt64.random(in: 0...UInt64.max) | 1

  private func start(_ id: UUIDBits) -> Int {
    let mixed = (id.high ^ Self.seed).multipliedFullWidth(by: (id.low ^ 0x9E37_79B9_7F4A_7C15) | 1)
    return Int(truncatingIfNeeded: mixed.high ^ mixed.low) & mask
  }

  private mutating func grow() {
    let old = used.map { slots[$0] }
    slots = Array(repeating: (UUIDBits(high: 0, low: 0), 0), count: slots.count * 2)
    mask = slots.count - 1
    used.removeAll(keepingCapacity: true)
    for entry in old {
      var at = start(entry.id)
      while slots[at].count > 0 { at = (at + 1) & mask }
      slots[at] = entry
      used.append(at)
    }
  }
}
