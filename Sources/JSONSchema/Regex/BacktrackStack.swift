/// What a match must do when it gets no further, the latest last.
///
/// Begins in memory that the caller lends and moves to the heap when that is full; never grows past `maximumCount`.
struct BacktrackStack: ~Copyable {
  /// The most entries: 32 MB.
  static let maximumCount = 1 << 21

  /// One thing to do.
  struct Entry: BitwiseCopyable {
    /// What to do.
    enum Kind: UInt8 {
      /// Go on with step `a` at position `b`.
      case choice
      /// Register `a` was `b`.
      case undo
      /// The loop at step `a` took code points up to position `c` and may give back to position `b`.
      case giveBack
      /// The lazy loop at step `a` has taken `b` code points up to position `c` and may take one more.
      case takeMore
      /// The lookaround at step `a` began at position `b`.
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

  /// Makes an empty stack in `memory`, which must stay until the stack is gone.
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

  /// The entry at `index`, below `count`.
  @inline(__always) subscript(index: Int) -> Entry {
    get { entries[index] }
    set { entries[index] = newValue }
  }

  /// Adds an entry; answers false when there is no room for more.
  @inline(__always) mutating func push(_ kind: Entry.Kind, _ a: Int32, _ b: Int32, _ c: Int32 = 0) -> Bool {
    if count == capacity, !grow() { return false }
    entries[count] = Entry(kind: kind, a: a, b: b, c: c)
    count += 1
    return true
  }

  /// Takes the last entry; nil when there is none.
  @inline(__always) mutating func pop() -> Entry? {
    if count == 0 { return nil }
    count -= 1
    return entries[count]
  }

  /// Forgets the entries from `height` on.
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
