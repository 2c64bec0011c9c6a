import Content
import Diagnostics
import Interchange
import JSONText

/// Reads a bundle: hands out the records that its splitter finds, batch by batch.
///
/// Memory is bounded by one chunk, or by the largest record.
final class JSONBundleReader: ContentReader {
  private let input: BundleInput
  private let splitter: any RecordSplitter
  private let locator: TextLocator
  private let records: RecordTextReader

  init(input: BundleInput, splitter: any RecordSplitter, context: RunContext) {
    self.input = input
    self.splitter = splitter
    locator = TextLocator(file: input.name)
    records = RecordTextReader(context: context, isLines: splitter is LineSplitter)
    records.begin(input.name, idScope: [RejectsOrigin.fileName(of: input.name) ?? Self.fileName(input.idName)])
  }

  var progress: (done: Int, total: Int?) { (input.consumed, input.size) }

  func next() throws -> RecordBatch? {
    guard let (spans, end) = try splitter.next() else { return nil }
    let batch = RecordBatch(locator: locator, source: input.takeBuffer(upTo: end), memory: input.memory)
    batch.slots.reserveCapacity(spans.count)
    for span in spans { records.read(span, into: batch) }
    return batch
  }

  static func fileName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
