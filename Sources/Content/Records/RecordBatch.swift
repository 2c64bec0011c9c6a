import JSONText

/// A stretch of records that travel together from a reader to a writer.
///
/// Owns the bytes that its records lie in. Every record is a line of canonical JSON (formats/json-bundle.md);
/// a reader fills a batch, then hands it over and never touches it again. Bounded in bytes by the reader.
public final class RecordBatch: @unchecked Sendable {
  /// Canonical lines that were written by us.
  package var canonical: ByteBuffer
  /// The source's own bytes, for text formats: lines that are canonical already are used where they lie.
  package var source: ByteBuffer
  /// Tokens of the records that were parsed on the way in.
  package var tape: JSONTape
  /// One slot for each record.
  package var slots: [RecordSlot] = []
  /// Records of the source that are not in the batch because they could not be read.
  package var rejected: [RejectedRecord] = []
  /// Where records come from, for places.
  package let locator: any RecordLocator
  /// What a scout between reader and writer found out about the records; nil where none has looked at the batch.
  package var found: (any AnyObject & Sendable)?

  /// Where the batch's memory goes when nobody needs it any more.
  private let memory: BatchMemory?

  /// Makes a batch for lines that will be written.
  package init(locator: any RecordLocator, capacity: Int, memory: BatchMemory? = nil) {
    self.locator = locator
    self.memory = memory
    canonical = memory?.buffer(capacity) ?? ByteBuffer(capacity: capacity)
    source = ByteBuffer(capacity: 64)
    tape = memory?.tape(64) ?? JSONTape(capacity: 64)
  }

  /// Makes a batch of a source's own bytes.
  package init(locator: any RecordLocator, source: consuming ByteBuffer, memory: BatchMemory? = nil) {
    self.locator = locator
    self.memory = memory
    canonical = ByteBuffer(capacity: 64)
    let capacity = source.count / 16 + 64
    tape = memory?.tape(capacity) ?? JSONTape(capacity: capacity)
    self.source = source
  }

  deinit {
    memory?.keep(&canonical)
    memory?.keep(&source)
    memory?.keep(&tape)
  }

  /// Ends the canonical line that began at `start`, and lists its record.
  /// - Parameter mayHaveExtras: false where whoever wrote the line knows that it has none.
  package func appendSlot(_ kind: RecordKind, from start: Int, mayHaveExtras: Bool = true) {
    var slot = RecordSlot(kind: kind, inSource: false, start: start, length: canonical.count - start, root: -1)
    slot.mayHaveExtras = mayHaveExtras
    slots.append(slot)
    // With their line ends, lines that follow each other can be written in one piece.
    canonical.append(0x0A)
  }

  /// How many records the batch holds.
  public var count: Int { slots.count }

  /// How many records of the source could not be read.
  public var rejectedCount: Int { rejected.count }

  /// The records, each sharing the batch's memory.
  public var records: [Record] { slots.indices.map { Record(batch: self, index: $0) } }

  /// Leaves out records that `takes` says no to.
  package func keep(_ takes: (Record) -> Bool) {
    slots = slots.indices.filter { takes(Record(batch: self, index: $0)) }.map { slots[$0] }
  }

  /// The bytes that slots of one side lie in.
  package func base(_ slot: RecordSlot) -> UnsafePointer<UInt8> {
    slot.inSource ? source.start : canonical.start
  }

  /// A record's canonical line without its line end.
  package func line(_ slot: RecordSlot) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base(slot) + slot.start, count: slot.length)
  }

  /// A record whose canonical line has been parsed; nil where nobody has done that yet.
  package func node(_ slot: RecordSlot) -> JSONNode? {
    slot.root < 0 ? nil : JSONNode(text: base(slot), tokens: tape.tokens, index: slot.root)
  }

  /// A record, its canonical line parsed unless that has been done; whoever asks next gets the same tokens.
  ///
  /// Nodes of other records of the batch are no longer valid. Not while others read the batch.
  package func parsed(_ index: Int) -> JSONNode? {
    let slot = slots[index]
    if slot.root < 0 {
      let text = slot.inSource ? source.bytes : canonical.bytes
      guard let parse = try? tape.parse(text, in: slot.start..<slot.start + slot.length) else { return nil }
      slots[index].root = parse.root
    }
    return node(slots[index])
  }
}

/// Where one record of a batch lies and where it came from. No references.
package struct RecordSlot: Sendable {
  package var kind: RecordKind
  /// Whether the canonical line is the source's own text.
  package var inSource: Bool
  /// Offset of the canonical line.
  package var start: Int
  /// Length of the canonical line.
  package var length: Int
  /// Index of the outermost token, or -1 when the record was not parsed yet.
  package var root: Int
  /// Offset and length of the record as the source wrote it, for text formats.
  package var sourceStart = 0
  package var sourceLength = 0
  /// Line and column, from 1, of the record in its file; 0 when it has none.
  package var sourceLine = 0
  package var sourceColumn = 0
  /// Which file of a source of many files the record comes from, as its locator counts them; 0 where there is one.
  package var sourceFile: Int32 = 0
  /// How many rows of a table the record was made of; 0 where records are no rows.
  package var rows: Int32 = 0
  /// Whether the source says only some of the record's steps or cards: the library's others stay.
  package var isPartial = false
  /// Whether the record may have extras; false only where its reader knows that it has none.
  package var mayHaveExtras = true
  /// Whether the line is known to be canonical and of known members only, so that the app's JSON columns have its
  /// parts byte by byte; false where nobody has looked.
  package var isPlain = false
  /// The number of the record in what a scout found; -1 where none has looked.
  package var found: Int32 = -1

  package init(kind: RecordKind, inSource: Bool, start: Int, length: Int, root: Int) {
    self.kind = kind
    self.inSource = inSource
    self.start = start
    self.length = length
    self.root = root
  }
}
