import Content
import Diagnostics
import Interchange
import JSONText
import SQLiteIO

/// Reads items on the calling thread.
final class SerialItems: ItemBatches {
  private let join: ItemJoin
  private let ids: IDNormalizer
  private let locator: LibraryLocator
  private var encoder: RowEncoder
  private let memory = BatchMemory(largest: 4 * SQLiteLibraryReader.batchBytes)

  /// Where findings go from now on.
  var findings: DiagnosticLog {
    get { encoder.findings }
    set { encoder.findings = newValue }
  }

  init(_ join: ItemJoin, ids: IDNormalizer, locator: LibraryLocator, findings: DiagnosticLog) {
    self.join = join
    self.ids = ids
    self.locator = locator
    encoder = RowEncoder(file: locator.file, findings: findings)
  }

  func next() throws -> RecordBatch? {
    let batch = RecordBatch(
      locator: locator, capacity: SQLiteLibraryReader.batchBytes + (1 << 16), memory: memory)
    while batch.canonical.count < SQLiteLibraryReader.batchBytes, let row = try join.next() {
      let start = batch.canonical.count
      let hasExtras = ItemRecord.write(row, ids: ids, encoder: &encoder, into: &batch.canonical)
      batch.appendSlot(.item, from: start, mayHaveExtras: hasExtras)
    }
    return batch.count == 0 ? nil : batch
  }
}
