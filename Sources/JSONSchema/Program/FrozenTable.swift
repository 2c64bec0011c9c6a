/// A table that never changes once it is made. It consists of an address and a length, without reference counts.
///
/// The owner calls `free` when the table is no longer read.
struct FrozenTable<Element> {
  let start: UnsafePointer<Element>
  let count: Int

  init(_ elements: [Element]) {
    // An empty table also has an address, so that readers need no optional.
    let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(1, elements.count))
    elements.withUnsafeBufferPointer { source in
      if let base = source.baseAddress { copy.initialize(from: base, count: source.count) }
    }
    start = UnsafePointer(copy)
    count = elements.count
  }

  func free() {
    let memory = UnsafeMutablePointer(mutating: start)
    memory.deinitialize(count: count)
    memory.deallocate()
  }

  @inline(__always) subscript(index: Int) -> Element { start[index] }
}
