import Content
import Diagnostics
import Interchange
import JSONText
import RecordSources

/// Passes merged records to a format's writer.
enum MergedLines {
  /// The approximate size of a batch in bytes.
  private static let size = 1 << 20

  static func batch(_ lines: [[UInt8]], file: String) -> RecordBatch {
    let batch = RecordBatch(
      locator: FileLocator(file, showing: .record), capacity: lines.reduce(64) { $0 + $1.count + 1 })
    for line in lines {
      let start = batch.canonical.count
      line.withUnsafeBufferPointer { batch.canonical.append($0) }
      batch.appendSlot(line.withUnsafeBufferPointer { RecordLine.kind(of: $0) } ?? .foreign, from: start)
    }
    return batch
  }

  /// Writes batches into a new file.
  static func write(_ batches: [RecordBatch], to target: Target, _ format: any Format, _ context: RunContext) throws {
    var rest = batches[...]
    _ = try write(to: target, format, context) { rest.popFirst() }
  }

  /// Writes lines from disk into a new file.
  /// - Returns: the file's size in bytes.
  static func write(
    _ spool: LineSpool, to target: Target, _ format: any Format, _ context: RunContext, file: String
  ) throws -> Int {
    try write(to: target, format, context) {
      var lines: [[UInt8]] = []
      var count = 0
      while count < size, try spool.advance() {
        lines.append(Array(spool.line))
        count += spool.line.count
      }
      return lines.isEmpty ? nil : batch(lines, file: file)
    }
  }

  private static func write(
    to target: Target, _ format: any Format, _ context: RunContext, _ next: () throws -> RecordBatch?
  ) throws -> Int {
    let writer = try format.writer(to: target, context: context)
    var tally = Tally()
    let rejects = RejectsWriter(target: target.path, asArray: false)
    do {
      while let batch = try next() {
        try Interruption.check()
        try writer.write(batch, tally: &tally, rejects: rejects)
      }
      try writer.prepare(tally: &tally, rejects: rejects)
      if tally.total.rejected > 0 {
        throw RunFailure(
          .failed, "write '\(target.path)': \(tally.total.rejected) merged records cannot be written in its format",
          advice: "Write a bundle instead, for example merged.jsonl.")
      }
      return try writer.finish()
    } catch {
      writer.abort()
      throw error
    }
  }
}
