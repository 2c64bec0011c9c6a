import Content
import JSONText

/// Memory of an import for the records that it merges, used again for each.
final class MergeMemory {
  /// What is taken from the text of the last import before a record is compared with it.
  let overlay = RecordOverlay()
  var baseTape = JSONTape(capacity: 256)
  var sourceTape = JSONTape(capacity: 256)
  var unitedTape = JSONTape(capacity: 256)
  var baseTermTape = JSONTape(capacity: 256)
  var sourceTermTape = JSONTape(capacity: 256)
  var mergedTape = JSONTape(capacity: 256)
  /// An execution with the ticks that the text of the last import has beside.
  var united = ByteBuffer(capacity: 1 << 10)
  var baseTerm = ByteBuffer(capacity: 1 << 10)
  var sourceTerm = ByteBuffer(capacity: 1 << 10)
  /// What the source says, for the next import.
  var sourceText = ByteBuffer(capacity: 1 << 10)
}
