/// Steps from a value to one inside it. No reference counting: it moves with every member that is written.
struct PathStack: ~Copyable {
  private let storage = UnsafeMutablePointer<Int>.allocate(capacity: PathStack.capacity)
  private var depth = 0

  /// Deeper than any shape nests; steps beyond it are counted and not kept.
  private static let capacity = 64

  deinit { storage.deallocate() }

  @inline(__always)
  mutating func append(_ step: Int) {
    if depth < Self.capacity { storage[depth] = step }
    depth += 1
  }

  @inline(__always)
  mutating func removeLast() { depth -= 1 }

  mutating func removeAll() { depth = 0 }

  /// The steps, outermost first.
  var steps: [Int] { (0..<min(depth, Self.capacity)).map { storage[$0] } }

  /// Replaces the steps.
  mutating func restore(_ steps: [Int]) {
    depth = 0
    for step in steps { append(step) }
  }
}
