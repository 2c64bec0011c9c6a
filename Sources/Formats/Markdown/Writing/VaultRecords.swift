import Content
import Diagnostics
import Foundation
import Interchange

/// The bundle inside a vault, which holds the content that Markdown cannot express, both as it was before a run and as
/// the run writes it.
///
/// Records that are not in the run stay in the bundle. Memory is a few bytes per record.
final class VaultRecords {
  /// The outcome of writing a record.
  enum Outcome { case created, updated, unchanged }

  private let format: any Format
  private let old: String?
  private let now: Timestamp
  private let writer: any ContentWriter
  /// The records that the bundle had before the run, with a hash of each record's content.
  private var before: [RecordMark: Int] = [:]
  /// The records of the run, including the records that became notes.
  private var seen: Set<RecordMark> = []
  /// The number of records in the new bundle.
  private(set) var count = 0
  /// The number of records in the bundle that were not in the run.
  private(set) var leftAlone = 0

  /// Begins a bundle.
  /// - Parameters:
  ///   - old: the path of the vault's existing bundle; nil if the vault has no bundle.
  ///   - path: the path to which the new bundle is written.
  init(_ format: any Format, old: String?, path: String, context: RunContext) throws {
    self.format = format
    self.old = old
    now = context.now
    writer = try format.writer(to: Target(path, overwrites: true), context: RunContext(now: context.now))
    try forEachOldBatch { batch in
      for slot in batch.slots {
        let line = batch.line(slot).span
        before[RecordMark(line)] = RecordMark.hash(line)
      }
    }
  }

  private func forEachOldBatch(_ body: (RecordBatch) throws -> Void) throws {
    guard let old else { return }
    let reader = try format.reader(of: Source(old), context: RunContext(now: now))
    while let batch = try reader.next() {
      guard batch.rejected.isEmpty else {
        throw RunFailure(
          .failed, "read '\(old)': \(batch.rejected.count) of its records cannot be used; nothing was written",
          advice: "Correct these records; 'fleetkit validate' lists the errors.")
      }
      try body(batch)
    }
  }

  /// Marks a record of the run as written to a note.
  /// - Returns: whether the bundle had the record.
  func becameNote(_ line: Span<UInt8>) -> Bool {
    let mark = RecordMark(line)
    seen.insert(mark)
    return before[mark] != nil
  }

  /// Marks a record of the run as written to the bundle, and returns the outcome.
  func outcome(_ line: Span<UInt8>) -> Outcome {
    let mark = RecordMark(line)
    seen.insert(mark)
    guard let hash = before[mark] else { return .created }
    return hash == RecordMark.hash(line) ? .unchanged : .updated
  }

  /// Writes the records of a batch.
  func write(_ batch: RecordBatch, rejects: RejectsWriter) throws {
    count += batch.count
    var tally = Tally()
    try writer.write(batch, tally: &tally, rejects: rejects)
  }

  /// Completes the bundle at its path.
  func finish(rejects: RejectsWriter) throws {
    try forEachOldBatch { batch in
      batch.slots = batch.slots.filter { !seen.contains(RecordMark(batch.line($0).span)) }
      leftAlone += batch.count
      if batch.count > 0 { try write(batch, rejects: rejects) }
    }
    var tally = Tally()
    try writer.prepare(tally: &tally, rejects: rejects)
    _ = try writer.finish()
  }

  func abort() { writer.abort() }
}

/// The identity of a record in sixteen bytes: a hash of the kind and id, or of the whole record if it has no id.
struct RecordMark: Hashable {
  private let first: Int
  private let second: Int

  init(_ line: Span<UInt8>) {
    let kind = RecordLine.kindRange(of: line) ?? 0..<0
    let id = RecordLine.idRange(of: line) ?? 0..<line.count
    func hash(_ salt: Int) -> Int {
      var hasher = Hasher()
      hasher.combine(salt)
      line.extracting(kind).bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      hasher.combine(0)
      line.extracting(id).bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
      return hasher.finalize()
    }
    first = hash(1)
    second = hash(2)
  }

  static func hash(_ line: Span<UInt8>) -> Int {
    var hasher = Hasher()
    line.bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    return hasher.finalize()
  }
}
