/// The stack of a match's remaining choices, with the latest choice on top.
///
/// The stack begins in memory from the caller and moves to the heap when this memory is full. It never grows beyond
/// `maximumCount`.
struct BacktrackStack: ~Copyable {
  /// The largest number of entries, which take 32 MB.
  static let maximumCount = 1 << 21

  /// An action for backtracking.
  struct Entry: BitwiseCopyable {
    /// The kind of action.
    enum Kind: UInt8 {
      /// Continues with step `a` at position `b`.
      case choice
      /// Restores register `a` to `b`.
      case undo
      /// Shortens the text of the loop at step `a`, which consumed code points up to position `c` and may give them
      /// back down to position `b`.
      case giveBack
      /// Lengthens the text of the lazy loop at step `a`, which has consumed `b` code points up to position `c` and may
      /// consume one more.
      case takeMore
      /// Ends the lookaround at step `a`, which began at position `b`.
      case lookaround
    }

    var kind: Kind
    var a: Int32
    var b: Int32
    var c: Int32
  }

  private var entries: UnsafeMutablePointer<Entry>
  private var capacity: Int
  private var isOnHeap = false
  private(set) var count = 0

  /// Creates an empty stack in `memory`, which must exist as long as the stack.
  init(in memory: UnsafeMutableBufferPointer<Entry>) {
    if let start = memory.baseAddress {
      entries = start
      capacity = memory.count
    } else {
      entries = .allocate(capacity: 64)
      capacity = 64
      isOnHeap = true
    }
  }

  deinit { if isOnHeap { entries.deallocate() } }

  /// The entry at `index`, which must be less than `count`.
  @inline(__always) subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// Adds an entry. Returns false if there is no room.
  @inline(__always) mutating func push(_ kind: Entry.Kind, _ a: Int32, _ b: Int32, _ c: Int32 = 0) -> Bool {
    if count == capacity, !grow() { return false }
    entries[count] = Entry(kind: kind, a: a, b: b, c: c)
    count += 1
    return true
  }

  /// Removes and returns the top entry. Returns nil if the stack is empty.
  @inline(__always) mutating func pop() -> Entry? {
    if count == 0 { return nil }
    count -= 1
    return entries[count]
  }

  /// Removes all entries above `height`.
  @inline(__always) mutating func cut(to height: Int) { count = height }

  private mutating func grow() -> Bool {
    guard capacity < Self.maximumCount else { return false }
    let larger = min(capacity * 4, Self.maximumCount)
    let memory = UnsafeMutablePointer<Entry>.allocate(capacity: larger)
    memory.update(from: entries, count: count)
    if isOnHeap { entries.deallocate() }
    entries = memory
    capacity = larger
    isOnHeap = true
    return true
  }
}
