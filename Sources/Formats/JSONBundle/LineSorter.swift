import Content
import Foundation
import Interchange
import JSONText

/// Sorts more lines than fit into memory: sorted runs on disk, merged at the end.
///
/// Stable: lines with equal keys keep the order in which they came. The runs are files without a name, gone
/// with the process.
final class LineSorter {
  private struct Entry {
    let key: BundleKey
    let start: Int
    let length: Int
  }

  /// Bytes that are sorted in memory before a run is written.
  static let runBytes = 24 << 20

  private var text = ByteBuffer(capacity: 1 << 20)
  private var entries: [Entry] = []
  private var runs: [LineRun] = []

  /// Takes a line over.
  func add(_ line: UnsafeBufferPointer<UInt8>, kind: RecordKind) throws {
    entries.append(Entry(key: BundleKey(kind: kind, line: line), start: text.count, length: line.count))
    text.append(line)
    if text.count >= Self.runBytes { try writeRun() }
  }

  private func writeRun() throws {
    guard !entries.isEmpty else { return }
    let order = entries.indices.sorted { (entries[$0].key, $0) < (entries[$1].key, $1) }
    let run = try LineRun()
    for index in order {
      let entry = entries[index]
      try run.append(UnsafeBufferPointer(start: text.start + entry.start, count: entry.length))
    }
    try run.rewind()
    runs.append(run)
    entries.removeAll(keepingCapacity: true)
    text.removeAll()
  }

  /// Gives every line in order.
  func drain(_ body: (UnsafeBufferPointer<UInt8>, RecordKind) throws -> Void) throws {
    try writeRun()
    var heads: [(key: BundleKey, run: Int)] = []
    for (index, run) in runs.enumerated() {
      if let key = try run.advance() { heads.append((key, index)) }
    }
    heads.sort { ($0.key, $0.run) > ($1.key, $1.run) }
    while let head = heads.popLast() {
      let run = runs[head.run]
      try run.withLine(body)
      guard let key = try run.advance() else { continue }
      // Few runs, so a search by halves and a shift beat a heap.
      var low = 0
      var high = heads.count
      while low < high {
        let middle = (low + high) / 2
        if (heads[middle].key, heads[middle].run) > (key, head.run) { low = middle + 1 } else { high = middle }
      }
      heads.insert((key, head.run), at: low)
    }
  }
}
