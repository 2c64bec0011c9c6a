/// Numbers that were met, for lists that are short nearly always and must not be slow when they are long.
struct FewSeen {
  private static let few = 32
  private var first: [UInt64] = []
  private var rest: Set<UInt64> = []

  /// Forgets all of them; keeps the memory of a short list.
  mutating func removeAll() {
    first.removeAll(keepingCapacity: true)
    if !rest.isEmpty { rest = [] }
  }

  /// Remembers a number; false when it was met before.
  mutating func insert(_ number: UInt64) -> Bool {
    if first.contains(number) { return false }
    guard first.count >= Self.few else {
      first.append(number)
      return true
    }
    return rest.insert(number).inserted
  }
}
