import Diagnostics
import JSONText

/// One record of a batch: its kind, its canonical JSON and its place in the source.
public struct Record: Sendable {
  /// The batch that owns the record's bytes.
  public let batch: RecordBatch
  package let index: Int

  package init(batch: RecordBatch, index: Int) {
    self.batch = batch
    self.index = index
  }

  package var slot: RecordSlot { batch.slots[index] }

  /// What the record is.
  public var kind: RecordKind { slot.kind }

  /// The canonical line, without a line end.
  public var json: String { String(decoding: batch.line(slot), as: UTF8.self) }

  /// A copy of the canonical line.
  public var bytes: [UInt8] { Array(batch.line(slot)) }

  /// Lends the canonical line.
  package func withLine<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(batch.line(slot))
  }

  /// Lends the record, parsed in the memory of its batch; the node is valid only inside `body`.
  ///
  /// Not while others read the batch.
  /// - Returns: nil when the line is not JSON, which a reader never lets happen.
  package func withNode<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result? {
    defer { withExtendedLifetime(batch) {} }
    return try batch.parsed(index).map(body)
  }

  /// The record, parsed, with its own copy of the bytes.
  /// - Throws: `JSONError` when the line is not JSON, which a reader never lets happen.
  public func document() throws(JSONError) -> JSONDocument { try JSONDocument(parsing: batch.line(slot)) }

  /// Where the value at `pointer` stands in the source.
  public func place(at pointer: JSONPointer = JSONPointer()) -> Place {
    batch.locator.place(of: self, at: pointer)
  }

  /// The exact place of a part of the value at `pointer`.
  public func locate(_ pointer: JSONPointer, part: ValuePart = .value) -> LocatedPlace {
    batch.locator.locate(part, of: self, at: pointer)
  }

  /// The record as its source wrote it, for text formats; empty otherwise.
  package var sourceBytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: batch.source.start + slot.sourceStart, count: slot.sourceLength)
  }

  /// The record's id as text, `12` for operations; empty when it has none.
  public var id: String { RecordLine.id(of: batch.line(slot)) ?? "" }

  /// The record's title or name; empty when it has none.
  public var title: String { RecordLine.title(of: batch.line(slot)) ?? "" }
}
