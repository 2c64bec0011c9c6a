import JSONText

/// Sorts more lines than fit into memory: sorted runs on disk, merged while they are read.
///
/// Stable: lines with equal keys keep the order in which they came. What fits into one run stays in memory; runs are
/// files without a name, gone with the process. Memory is bounded by one run, and by 64 KiB for each run while merging.
package final class ExternalSorter<Key: Comparable> {
  private struct Entry {
    let key: Key
    let start: Int
    let length: Int
  }

  private let keyOf: (UnsafeBufferPointer<UInt8>) -> Key
  private let runBytes: Int
  private var text = ByteBuffer(capacity: 1 << 20)
  private var entries: [Entry] = []
  private var runs: [LineSpool] = []
  /// The next line of every run that has one, the lowest last.
  private var heads: [(key: Key, run: Int)] = []
  private var given: Int?
  /// The order of lines that all fit into memory; empty once there are runs.
  private var order: [Int] = []
  private var isInMemory = false

  /// Makes an empty sorter.
  /// - Parameter runBytes: bytes that are sorted in memory before a run is written.
  package init(runBytes: Int = 24 << 20, key: @escaping (UnsafeBufferPointer<UInt8>) -> Key) {
    self.runBytes = runBytes
    keyOf = key
  }

  /// Takes a line over; it must not contain a line end.
  package func add(_ line: UnsafeBufferPointer<UInt8>) throws {
    entries.append(Entry(key: keyOf(line), start: text.count, length: line.count))
    text.append(line)
    if text.count >= runBytes { try writeRun() }
  }

  private func inOrder() -> [Int] {
    // The standard library's sort is stable.
    entries.withUnsafeBufferPointer { entries in entries.indices.sorted { entries[$0].key < entries[$1].key } }
  }

  private func line(_ index: Int) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: text.start + entries[index].start, count: entries[index].length)
  }

  private func writeRun() throws {
    guard !entries.isEmpty else { return }
    let run = try LineSpool()
    for index in inOrder() { try run.append(line(index)) }
    try run.rewind()
    runs.append(run)
    entries.removeAll(keepingCapacity: true)
    text.removeAll()
  }

  /// Ends adding; lines come from `next` from now on.
  package func sort() throws {
    if runs.isEmpty {
      // The last one first, so that the next one is at the end.
      order = inOrder().reversed()
      isInMemory = true
      return
    }
    try writeRun()
    for index in runs.indices {
      if try runs[index].advance() { heads.append((keyOf(runs[index].line), index)) }
    }
    heads.sort { ($0.key, $0.run) > ($1.key, $1.run) }
  }

  /// The next line in order, valid until the next call; nil at the end.
  package func next() throws -> UnsafeBufferPointer<UInt8>? {
    if isInMemory { return order.popLast().map(line) }
    if let given, try runs[given].advance() { insert(keyOf(runs[given].line), run: given) }
    given = heads.popLast()?.run
    return given.map { runs[$0].line }
  }

  /// Few runs, so a search by halves and a shift beat a heap.
  private func insert(_ key: Key, run: Int) {
    var low = 0
    var high = heads.count
    while low < high {
      let middle = (low + high) / 2
      if (heads[middle].key, heads[middle].run) > (key, run) { low = middle + 1 } else { high = middle }
    }
    heads.insert((key, run), at: low)
  }
}
