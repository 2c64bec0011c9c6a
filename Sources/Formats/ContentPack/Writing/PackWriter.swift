import ArchiveIO
import Content
import Diagnostics
import Foundation
import Interchange

/// Writes a faithful copy of everything as a pack of profile `copy`.
///
/// Items become files of their own, all other records `data/records.jsonl`, attachments with their bytes. Nothing is
/// said about a publisher: name from the file's name, version 0.0.0, publisher and licence `NOASSERTION`.
/// - Source: formats/content-pack.md
public final class PackWriter: ContentWriter {
  private let target: String
  private let assembly: PackAssembly
  private let context: RunContext

  /// Begins a pack.
  /// - Throws: `RunFailure`: 4 when something of that name is there, 64 for standard output.
  public init(_ target: Target, formats: PackFormats, context: RunContext) throws {
    if target.isStandardOutput {
      throw RunFailure(
        .usage, "write a pack to standard output: its beginning is known last", advice: "Name a file or a folder.")
    }
    self.target = target.path
    self.context = context
    assembly = try PackAssembly(
      target, kind: ArchiveKind.named(target.path) ?? .fleetpack, formats: formats, isPublished: false)
  }

  /// Takes records.
  public func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    let outcomes = try assembly.add(items: batch, losses: context.losses)
    var others: [RecordSlot] = []
    for (index, outcome) in outcomes.enumerated() {
      let slot = batch.slots[index]
      switch outcome {
      case .taken: tally[slot.kind].created += 1
      case .repeated:
        // The index of a pack has an id once.
        let record = Record(batch: batch, index: index)
        try rejects.add(record, .duplicateRecord, "the pack has an item \(record.id) already", &tally, context)
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

  /// Writes everything but the name.
  public func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    var info = PackInfo(profile: .copy, name: PackName.of(path: target))
    info.version = SemanticVersion("0.0.0")
    info.publisher = "NOASSERTION"
    info.licence = "NOASSERTION"
    try assembly.prepare(info)
  }

  /// Gives the pack its name.
  public func finish() throws -> Int { try assembly.finish() }

  /// Removes everything that was written.
  public func abort() { assembly.abort() }
}
