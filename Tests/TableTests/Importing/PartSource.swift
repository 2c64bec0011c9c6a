import Content
import Diagnostics
import FleetKit
import Interchange
import JSONBundle
import JSONText
import TestSupport

/// A bundle that contains only some members of its records, as a table does. It is read like any bundle, and then each
/// step counts as a row.
struct PartSource: Format {
  var said: FieldCoverage?
  /// Whether records contain only some of their steps.
  var isPartial = false
  /// The positions of the steps when they are retried.
  var anchors: [StepAnchor] = []
  /// The rows that cannot be used.
  var rejected: [RejectedRecord] = []

  var descriptor: FormatDescriptor {
    FormatDescriptor(
      FormatID("part"), title: "Part of a bundle", page: "", extensions: ["part"], mediaType: "text/plain", keeps: [],
      writes: false)
  }

  func recognises(_ source: Source, head: FileHead) -> Bool { source.pathExtension == "part" }
  func hasSignature(_ head: FileHead) -> Bool { false }
  func writer(to target: Target, context: RunContext) throws -> any ContentWriter {
    throw RunFailure(.usage, "nothing is written so")
  }

  func reader(of source: Source, context: RunContext) throws -> any ContentReader {
    PartReader(self, file: source.path, try JSONBundleFormat(.lines).reader(of: source, context: context))
  }
}

private final class PartReader: ContentReader {
  private let format: PartSource
  private let file: String
  private let reader: any ContentReader
  private var rejected: [RejectedRecord]

  init(_ format: PartSource, file: String, _ reader: any ContentReader) {
    self.format = format
    self.file = file
    self.reader = reader
    rejected = format.rejected
  }

  var progress: (done: Int, total: Int?) { reader.progress }

  func next() throws -> RecordBatch? {
    guard let read = try reader.next() else { return nil }
    let locator = PartLocator(file: file, anchors: format.anchors)
    let batch = RecordBatch(
      locator: locator, traits: SourceTraits(isWrittenByHand: true, expressible: format.said), origin: locator,
      capacity: 1 << 12)
    for record in read.records {
      let start = batch.canonical.count
      record.withLine { batch.canonical.append($0.span) }
      batch.appendSlot(record.kind, from: start)
      let steps = try record.document().root["content_data"]?["sections"]?.elements.flatMap {
        $0["items"]?.elements ?? []
      }
      batch.slots[batch.slots.count - 1].rows = Int32(steps?.count ?? 1)
      batch.slots[batch.slots.count - 1].isPartial = format.isPartial
    }
    batch.rejected = rejected
    rejected = []
    return batch
  }
}

private struct PartLocator: RecordLocator, RecordOrigin {
  let file: String
  let anchors: [StepAnchor]
  func stepAnchors(of record: Record) -> [StepAnchor] { anchors }
  func place(of record: Record, at pointer: JSONPointer) -> Place { Place(file: file, pointer: pointer.description) }
}
