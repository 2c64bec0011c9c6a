import Content
import Interchange

/// Writes one item as one note.
final class NoteFileWriter: ContentWriter {
  private let context: RunContext
  private let target: String
  private let text: NoteRenderer
  private let file: AtomicFile
  private var size: Int?

  /// Begins a note.
  /// - Throws: `RunFailure` with status 4 if a file with that name exists.
  init(_ target: Target, check: any NoteCheck, context: RunContext) throws {
    self.context = context
    self.target = target.path
    text = NoteRenderer(check: check)
    file = try AtomicFile(target)
  }

  func write(_ batch: RecordBatch, tally: inout Tally, rejects: RejectsWriter) throws {
    for record in batch.records {
      guard record.kind == .item else {
        context.losses.record(record.kind, id: record.id, field: "", reason: .notAnItem)
        tally[record.kind].skipped[.notAnItem, default: 0] += 1
        continue
      }
      guard size == nil else {
        throw RunFailure(
          .refused, "write '\(target)': a note holds one item, but the source has more; nothing was written",
          advice: "Name a folder, '\(folderName)/', or choose one item with --id or --title.")
      }
      let name = target.split(separator: "/").last.map(String.init) ?? target
      let bytes = record.withLine { NoteRecord($0) }.flatMap { text.text(of: $0, at: name) }
      guard let bytes else {
        throw RunFailure(
          .refused, "write '\(target)': Markdown cannot express the item \(record.id) without loss",
          advice: "Write a bundle, for example item.json.")
      }
      let sink = ByteSink(descriptor: file.descriptor, name: target)
      try bytes.withUnsafeBufferPointer { try sink.write($0) }
      try sink.flush()
      size = bytes.count
      tally[.item].created += 1
    }
  }

  private var folderName: String {
    guard let dot = target.lastIndex(of: ".") else { return target }
    return String(target[..<dot])
  }

  func prepare(tally: inout Tally, rejects: RejectsWriter) throws {
    guard size != nil else {
      throw RunFailure(
        .refused, "write '\(target)': there is no item to write; nothing was written",
        advice: "'fleetkit list' lists the items in the source.")
    }
  }

  func finish() throws -> Int { try file.publish() }

  func abort() { file.discard() }

  var noteCount: Int? { size == nil ? 0 : 1 }
}
