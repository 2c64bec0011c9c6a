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
