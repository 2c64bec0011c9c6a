import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange

/// Writes a faithful copy of all records as a pack with the profile `copy`.
///
/// Each item becomes a separate file, all other records are written to `data/records.jsonl`, and attachment files are
/// included. The pack's name is derived from the file's name, its version is 0.0.0, and its publisher and licence are
/// `NOASSERTION`.
/// - Source: formats/content-pack.md
public final class PackWriter: ContentWriter {
  private let target: String
  private let assembly: PackAssembly
  private let context: RunContext

  /// Begins a pack.
  /// - Throws: `RunFailure`: 4 if a file of that name exists, 64 for standard output.
  public init(_ target: Target, formats: PackFormats, context: RunContext) throws {
    if target.isStandardOutput {
      throw RunFailure(
        .usage, "write a pack to standard output: its beginning is written last", advice: "Specify a file or a folder.")
    }
    self.target = target.path
    self.context = context
    assembly = try PackAssembly(
      target, kind: ArchiveKind.named(target.path) ?? .fleetpack, formats: formats, isPublished: false)
  }

  /// Writes records.
  public func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    let outcomes = try assembly.add(items: batch, losses: context.losses)
    var others: [RecordSlot] = []
    for (index, outcome) in outcomes.enumerated() {
      let slot = batch.slots[index]
      switch outcome {
      case .taken: tally[slot.kind].created += 1
      case .repeated:
        // A pack's index must contain each id only once.
        let record = Record(batch: batch, index: index)
        try rejects.add(record, .duplicateRecord, "the pack already has an item \(record.id)", &tally, context)
      case .noItem:
        tally[slot.kind].created += 1
        others.append(slot)
        if slot.kind == .attachment { try addMedia(Record(batch: batch, index: index)) }
      }
    }
    batch.slots = others
    try assembly.add(records: batch)
  }

  private func addMedia(_ record: Record) throws {
    guard record.mediaPath != nil, try !assembly.add(mediaOf: record) else { return }
    context.losses.record(
      .attachment, id: record.id, field: "", reason: .noChecksum)
  }

  /// Writes the pack under a temporary name.
  public func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    var info = PackInfo(profile: .copy, name: PackName.of(path: target))
    info.version = SemanticVersion("0.0.0")
    info.publisher = "NOASSERTION"
    info.licence = "NOASSERTION"
    try assembly.prepare(info)
  }

  /// Renames the pack to its final name.
  public func finish() throws -> Int { try assembly.finish() }

  /// Removes everything that was written.
  public func abort() { assembly.abort() }
}
