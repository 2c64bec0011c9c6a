import FleetKitCore

/// Sorts lines by a key that was made for them: runs on disk, merged while they are read.
final class KeyedSorter {
  private var pending: [(key: String, line: [UInt8])] = []
  private var pendingBytes = 0
  private var runs: [LineSpool] = []
  private var heads: [(key: String, line: [UInt8], run: Int)] = []

  /// Bytes that are sorted in memory before a run is written.
  private static let runBytes = 24 << 20

  func add(key: String, line: [UInt8]) throws {
    pending.append((key, line))
    pendingBytes += line.count + key.utf8.count
    if pendingBytes >= Self.runBytes { try writeRun() }
  }

  private func writeRun() throws {
    guard !pending.isEmpty else { return }
    let run = try LineSpool()
    for (key, line) in pending.sorted(by: { $0.key < $1.key }) {
      try Array(key.utf8).withUnsafeBufferPointer { try run.append($0) }
      try line.withUnsafeBufferPointer { try run.append($0) }
    }
    try run.rewind()
    runs.append(run)
    pending.removeAll()
    pendingBytes = 0
  }

  /// Ends adding.
  func sort() throws {
    try writeRun()
    for index in runs.indices {
      if let head = try read(index) { heads.append(head) }
    }
  }

  private func read(_ index: Int) throws -> (key: String, line: [UInt8], run: Int)? {
    let run = runs[index]
    guard try run.advance() else { return nil }
    let key = String(decoding: run.line, as: UTF8.self)
    guard try run.advance() else { return nil }
    return (key, Array(run.line), index)
  }

  /// The next line in order; nil at the end.
  func next() throws -> (key: String, line: [UInt8])? {
    guard let lowest = heads.indices.min(by: { (heads[$0].key, heads[$0].run) < (heads[$1].key, heads[$1].run) })
    else { return nil }
    let head = heads[lowest]
    if let following = try read(head.run) { heads[lowest] = following } else { heads.remove(at: lowest) }
    return (head.key, head.line)
  }
}
