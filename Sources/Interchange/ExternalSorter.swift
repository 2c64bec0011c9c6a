import Foundation
import JSONText

/// Sorts more lines than fit into memory. Sorted runs are written to disk, and merged while they are read.
///
/// The sort is stable: lines with equal keys keep their order. Lines that fit into one run stay in memory. Runs are
/// written on another thread, into unnamed files that disappear with the process. Memory is bounded by two runs, and
/// by 64 KiB for each run while merging.
package final class ExternalSorter {
  /// Appends the sort key of a line. Keys are compared as bytes.
  package typealias KeyWriter = (_ line: UnsafeBufferPointer<UInt8>, _ key: inout ByteBuffer) -> Void

  /// Lines in memory, and their order.
  private final class Lines: @unchecked Sendable {
    private struct Entry {
      /// The first eight bytes of the key as a number, so that most comparisons need no more.
      let prefix: UInt64
      let key: Range<Int>
      let line: Range<Int>
    }

    private var text = ByteBuffer(capacity: 1 << 20)
    private var keys = ByteBuffer(capacity: 1 << 16)
    private var entries: [Entry] = []

    var count: Int { entries.count }
    var bytes: Int { text.count + keys.count }

    func add(_ line: Span<UInt8>, _ writeKey: KeyWriter) {
      let start = keys.count
      line.withUnsafeBufferPointer { writeKey($0, &keys) }
      let key = start..<keys.count
      entries.append(Entry(prefix: prefix(of: key), key: key, line: text.count..<text.count + line.count))
      text.append(line)
    }

    /// Returns a line by its position in the order.
    func line(_ index: Int) -> UnsafeBufferPointer<UInt8> {
      UnsafeBufferPointer(rebasing: text.bytes[entries[index].line])
    }

    private func prefix(of key: Range<Int>) -> UInt64 {
      var prefix: UInt64 = 0
      for index in 0..<8 {
        prefix = prefix << 8 | (index < key.count ? UInt64(keys.bytes[key.lowerBound + index]) : 0)
      }
      return prefix
    }

    func sort() {
      let keys = keys.bytes.span
      entries.sort { left, right in
        if left.prefix != right.prefix { return left.prefix < right.prefix }
        let order = ExternalSorter.compare(
          keys.extracting(left.key), keys.extracting(right.key))
        return order != 0 ? order < 0 : left.line.lowerBound < right.line.lowerBound
      }
    }

    /// Sorts the lines and moves them to the disk.
    fileprivate func makeRun() throws -> Run {
      sort()
      let lines = try LineSpool()
      for index in entries.indices { try lines.append(line(index).span) }
      try lines.rewind()
      entries.removeAll(keepingCapacity: true)
      text.removeAll()
      keys.removeAll()
      return Run(lines)
    }
  }

  /// Sorted lines on disk, and the key of the current line.
  private final class Run: @unchecked Sendable {
    let lines: LineSpool
    private var key = ByteBuffer(capacity: 64)

    init(_ lines: LineSpool) { self.lines = lines }

    func advance(_ writeKey: KeyWriter) throws -> Bool {
      guard try lines.advance() else { return false }
      key.removeAll()
      writeKey(lines.line, &key)
      return true
    }

    /// Compares the keys of the current lines. The result is negative, zero or positive.
    func compare(_ other: Run) -> Int { ExternalSorter.compare(key.bytes.span, other.key.bytes.span) }
  }

  private let writeKey: KeyWriter
  private let runBytes: Int
  private var lines = Lines()
  /// A run that is being written on another thread, and its lines.
  private var writing: (run: Background<Run>, lines: Lines)?
  private var runs: [Run] = []
  /// The runs that still have a line; the run with the lowest line comes last.
  private var heads: [Int] = []
  private var given: Int?
  /// The number of lines returned; used only if no run was written.
  private var position = 0

  /// Creates an empty sorter.
  /// - Parameter runBytes: the number of bytes of lines and keys that are sorted in memory before a run is written.
  package init(runBytes: Int = 12 << 20, key: @escaping KeyWriter) {
    self.runBytes = runBytes
    writeKey = key
  }

  /// Adds a line, which must not contain a line end.
  /// - Throws: `RunFailure` if the disk is full.
  package func add(_ line: Span<UInt8>) throws {
    lines.add(line, writeKey)
    if lines.bytes >= runBytes { try writeRun() }
  }

  /// Ends the adding of lines. From now on, `next` returns them.
  /// - Throws: `RunFailure` if the disk is full.
  package func sort() throws {
    if runs.isEmpty, writing == nil { return lines.sort() }
    try writeRun()
    _ = try finishRun()
    for index in runs.indices {
      if try runs[index].advance(writeKey) { insert(index) }
    }
  }

  /// Returns the next line in order, valid until the next call; nil at the end.
  package func next() throws -> UnsafeBufferPointer<UInt8>? {
    if runs.isEmpty {
      guard position < lines.count else { return nil }
      defer { position += 1 }
      return lines.line(position)
    }
    if let given, try runs[given].advance(writeKey) { insert(given) }
    given = heads.popLast()
    return given.map { runs[$0].lines.line }
  }

  // MARK: Runs

  /// Begins to write the lines as a run, once the previous run is on disk.
  private func writeRun() throws {
    guard lines.count > 0 else { return }
    let full = lines
    lines = try finishRun() ?? Lines()
    writing = (Background { try full.makeRun() }, full)
  }

  /// Waits for the run that is being written.
  /// - Returns: The run's lines, which can be used again; nil if no run was being written.
  private func finishRun() throws -> Lines? {
    guard let (run, lines) = writing else { return nil }
    writing = nil
    runs.append(try run.wait())
    return lines
  }

  /// Inserts a run into `heads`. There are few runs, so a binary search and a shift are faster than a heap.
  private func insert(_ run: Int) {
    var (low, high) = (0, heads.count)
    while low < high {
      let middle = (low + high) / 2
      let order = runs[heads[middle]].compare(runs[run])
      if order > 0 || order == 0 && heads[middle] > run { low = middle + 1 } else { high = middle }
    }
    heads.insert(run, at: low)
  }

  // MARK: Order

  /// Compares keys: negative, zero or positive.
  package static func compare(_ left: Span<UInt8>, _ right: Span<UInt8>) -> Int {
    let order = left.withUnsafeBytes { left in
      right.withUnsafeBytes { right in
        guard let one = left.baseAddress, let other = right.baseAddress else { return Int32(0) }
        return memcmp(one, other, min(left.count, right.count))
      }
    }
    return order != 0 ? Int(order) : left.count - right.count
  }
}
