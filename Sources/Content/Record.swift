import Diagnostics
import JSONText
import Synchronization

/// The kind of a record in a bundle. Unknown kinds pass through bundles unchanged.
public struct RecordKind: Hashable, Sendable, Encodable, CustomStringConvertible {
  /// The word in the record's `kind` member.
  public let name: String

  /// Names a kind.
  public init(_ name: String) { self.name = name }

  /// Encodes the name.
  public func encode(to encoder: any Encoder) throws { try name.encode(to: encoder) }

  /// A checklist, practice guide or flashcard deck with its envelope.
  public static let item = RecordKind("item")
  /// A trip on a boat.
  public static let charter = RecordKind("charter")
  /// The ticks of one checklist on one charter.
  public static let execution = RecordKind("execution")
  /// One row of the queue.
  public static let syncOperation = RecordKind("sync_operation")
  /// A file that belongs to content.
  public static let attachment = RecordKind("attachment")
  /// One practice of a guide or deck.
  public static let practiceSession = RecordKind("practice_session")
  /// A record of another system, kept unchanged.
  public static let foreign = RecordKind("foreign")

  /// The known kinds, in the order in which bundles list them.
  public static let known: [RecordKind] = [
    .charter, .item, .execution, .syncOperation, .attachment, .practiceSession, .foreign,
  ]

  /// The position in a bundle's order. Unknown kinds come last.
  public var rank: Int { Self.known.firstIndex(of: self) ?? Self.known.count }

  /// Whether FleetKit defines this kind.
  public var isKnown: Bool { rank < Self.known.count }

  /// The member of a `.json` bundle that lists records of this kind; nil for unknown kinds.
  public var listName: String? { !isKnown ? nil : self == .foreign ? name : name + "s" }

  /// The plural for messages, such as `sync operations`.
  public var plural: String {
    if self == .foreign || !isKnown { return name.replacing("_", with: " ") + " records" }
    return name.replacing("_", with: " ") + "s"
  }

  /// The kind's name.
  public var description: String { name }
}

/// One record of a batch: its kind, its canonical JSON and its place in the source.
public struct Record: Sendable {
  /// The batch that owns the record's bytes.
  public let batch: RecordBatch
  package let index: Int

  package init(batch: RecordBatch, index: Int) {
    self.batch = batch
    self.index = index
  }

  /// Makes a record of values, with its canonical line, for writers.
  /// - Throws: `ModelError` as in `TypedRecord.canonicalLine()`.
  public init(_ values: TypedRecord) throws(ModelError) {
    let line = try values.canonicalLine()
    batch = RecordBatch(locator: FileLocator("values", showing: .value), capacity: line.utf8.count + 64)
    index = 0
    batch.canonical.append(utf8: line)
    batch.appendSlot(values.kind, from: 0)
  }

  package var slot: RecordSlot { batch.slots[index] }

  /// The kind of the record.
  public var kind: RecordKind { slot.kind }

  /// The canonical line, without a line end.
  public var json: String { String(decoding: batch.line(slot), as: UTF8.self) }

  /// A copy of the canonical line.
  public var bytes: [UInt8] { Array(batch.line(slot)) }

  /// Calls `body` with the canonical line.
  package func withLine<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
    try body(batch.line(slot))
  }

  /// Calls `body` with the record, parsed in its batch's memory. The node is valid only inside `body`.
  ///
  /// Must not be called while other threads read the batch.
  /// - Returns: nil if the line is not JSON, which does not happen with records from a reader.
  package func withNode<Result>(_ body: (JSONNode) throws -> Result) rethrows -> Result? {
    defer { withExtendedLifetime(batch) {} }
    return try batch.parsed(index).map(body)
  }

  /// Parses the record into a document with its own copy of the bytes.
  /// - Throws: `JSONError` if the line is not JSON, which does not happen with records from a reader.
  public func document() throws(JSONError) -> JSONDocument { try JSONDocument(parsing: batch.line(slot).span) }

  /// Returns the source position of the value at `pointer`.
  public func place(at pointer: JSONPointer = JSONPointer()) -> Place {
    batch.locator.place(of: self, at: pointer)
  }

  /// Returns the exact position of one part of the value at `pointer`.
  public func locate(_ pointer: JSONPointer, part: ValuePart = .value) -> LocatedPlace {
    batch.locator.locate(part, of: self, at: pointer)
  }

  /// What FleetKit last wrote at the record's place, or nil if unknown. Access may read the file again.
  package var lastWritten: LastWritten? { batch.origin.lastWritten(of: self) }
  /// The table rows of the record as they were typed; nil for records that are not rows.
  package var originalRows: OriginalRows? { batch.origin.originalRows(of: self) }
  /// The rows that a partial record lacks; nil for records that are not rows.
  package var lostRows: LostRows? { batch.origin.lostRows(of: self) }
  /// For each step or card of a partial record, its position in the checklist or deck.
  package var stepAnchors: [StepAnchor] { batch.origin.stepAnchors(of: self) }
  /// The path of the file with an attachment's bytes; nil if the source only has its name.
  package var mediaPath: String? { batch.origin.mediaPath(of: self) }
  /// Whether the record has a `mediaPath`. The answer does not unpack anything.
  package var hasMedia: Bool { batch.origin.hasMedia(of: self) }

  /// The record's bytes in its source, for text formats; otherwise empty.
  package var sourceBytes: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: batch.source.start + slot.sourceStart, count: slot.sourceLength)
  }

  /// The record's id as text, such as `12` for an operation; empty if it has none.
  public var id: String { RecordLine.id(of: batch.line(slot).span) ?? "" }

  /// The record's title or name; empty if it has none.
  public var title: String { RecordLine.title(of: batch.line(slot).span) ?? "" }
}

/// Reads values from canonical lines without parsing them. Kind and id are always at the start of a line.
package enum RecordLine {
  /// Returns the id of a canonical line: `{"kind":"…","id":…`.
  package static func id(of line: Span<UInt8>) -> String? {
    guard let range = idRange(of: line) else { return nil }
    var bytes = line.extracting(range)
    if bytes.first == UInt8(ascii: "\"") {
      bytes = bytes.extracting(1..<bytes.count - 1)
      guard bytes.contains(UInt8(ascii: "\\")) else { return String(decoding: bytes) }
      var plain = ByteBuffer(capacity: bytes.count)
      JSONStrings.unescape(bytes, into: &plain)
      return String(decoding: plain.bytes.span)
    }
    return bytes.equals("null") ? nil : String(decoding: bytes)
  }

  private static let head: StaticString = "{\"kind\":\""
  private static let idKey: StaticString = ",\"id\":"

  /// Returns the range of the id's value in a canonical line, quotes included; nil if the id is not the second member.
  package static func idRange(of line: Span<UInt8>) -> Range<Int>? {
    guard let kind = kindRange(of: line) else { return nil }
    let start = kind.upperBound + 1 + idKey.utf8CodeUnitCount
    guard start < line.count, line.starts(with: idKey, at: kind.upperBound + 1) else { return nil }
    var end = start
    if line[start] == UInt8(ascii: "\"") {
      end += 1
      while end < line.count, line[end] != UInt8(ascii: "\"") {
        end += line[end] == UInt8(ascii: "\\") ? 2 : 1
      }
      end += 1
    } else {
      while end < line.count, line[end] != UInt8(ascii: ","), line[end] != UInt8(ascii: "}") { end += 1 }
    }
    return end <= line.count ? start..<end : nil
  }

  /// Returns the range of the kind's text in a canonical line, without quotes.
  package static func kindRange(of line: Span<UInt8>) -> Range<Int>? {
    let start = head.utf8CodeUnitCount
    guard line.count > start, line.starts(with: head) else { return nil }
    return line.firstIndex(of: UInt8(ascii: "\""), from: start).map { start..<$0 }
  }

  /// Returns the kind of a canonical line.
  package static func kind(of line: Span<UInt8>) -> RecordKind? {
    kindRange(of: line).map { RecordKind(String(decoding: line.extracting($0))) }
  }

  /// Returns the title of an item or the name of a charter. Parses the line.
  package static func title(of line: Span<UInt8>) -> String? {
    guard let document = try? JSONDocument(parsing: line) else { return nil }
    return (document.root["title"] ?? document.root["name"])?.string
  }
}

/// Limits for one record, which is held in memory as a whole.
package enum RecordLimits {
  /// The maximum size of a record as complete JSON in bytes, or twice the size of its text if that is more.
  package static let bytes = 20 << 20
  /// The maximum number of errors listed for one record, and the maximum number of its other findings.
  package static let findings = 10_000
  /// Appended to the message of the last listed finding.
  package static let notListed = "; further problems of this kind in this record are not listed"
  /// Returns the message for a record with too many values.
  package static func problem(_ record: JSONNode) -> String { problem(values: values(record)) }

  /// Returns the message for a record with this number of values, which is too many.
  package static func problem(values: Int) -> String {
    "the record has \(values) values; the limit is a million, plus one for every 16 bytes"
  }

  /// Whether a record has few enough values. Member names also count.
  ///
  /// The limit is needed because a value that takes two bytes of text (`0,`) takes 16 bytes of memory when parsed, and
  /// more while it is checked.
  package static func fits(_ record: JSONNode) -> Bool {
    fits(values: values(record), bytes: Int(record.token.length))
  }

  /// Whether JSON text of this size may have this many values.
  package static func fits(values: Int, bytes: Int) -> Bool { values <= 1_000_000 + bytes / 16 }

  /// Whether a record that was parsed separately has few enough values.
  package static func fits(_ record: JSONDocument) -> Bool { record.withRoot { fits($0) } }

  private static func values(_ record: JSONNode) -> Int { Int(record.token.next) - record.index }
}

/// A group of records that a reader passes to a writer.
///
/// A batch owns the bytes of its records. Every record is a line of canonical JSON (formats/json-bundle.md). A reader
/// fills a batch, passes it on and never accesses it again. The reader limits the size of its batches.
public final class RecordBatch: @unchecked Sendable {
  /// Canonical lines that FleetKit wrote.
  package var canonical: ByteBuffer
  /// The source's own bytes, for text formats. Lines that are already canonical are used in place.
  package var source: ByteBuffer
  /// Tokens of the records that the reader parsed.
  package var tape: JSONTape
  /// One slot for each record.
  package var slots: [RecordSlot] = []
  /// Records of the source that are not in the batch because they could not be read.
  package var rejected: [RejectedRecord] = []
  /// Finds the positions of the records.
  package let locator: any RecordLocator
  /// The properties of the records' source.
  package let traits: SourceTraits
  /// Provides the source's data about records that is not in their lines.
  package let origin: any RecordOrigin
  private var hashes: [[UInt8]] = []
  /// The results of a prefetcher between reader and writer; nil if no prefetcher processed the batch.
  package var found: (any AnyObject & Sendable)?

  /// Receives the batch's memory when it is no longer needed.
  private let memory: BatchMemory?

  /// Makes a batch for lines that will be written.
  package init(
    locator: any RecordLocator, traits: SourceTraits = SourceTraits(), origin: any RecordOrigin = NoOrigin(),
    capacity: Int, memory: BatchMemory? = nil
  ) {
    self.locator = locator
    self.traits = traits
    self.origin = origin
    self.memory = memory
    canonical = memory?.buffer(capacity) ?? ByteBuffer(capacity: capacity)
    source = ByteBuffer(capacity: 64)
    tape = memory?.tape(64) ?? JSONTape(capacity: 64)
  }

  /// Makes a batch from a source's own bytes.
  package init(
    locator: any RecordLocator, traits: SourceTraits = SourceTraits(), origin: any RecordOrigin = NoOrigin(),
    source: consuming ByteBuffer, memory: BatchMemory? = nil
  ) {
    self.locator = locator
    self.traits = traits
    self.origin = origin
    self.memory = memory
    canonical = ByteBuffer(capacity: 64)
    let capacity = source.count / 16 + 64
    tape = memory?.tape(capacity) ?? JSONTape(capacity: capacity)
    self.source = source
  }

  /// Makes a batch for lines that will be written, with another batch's source.
  package convenience init(like other: RecordBatch, capacity: Int) {
    self.init(locator: other.locator, traits: other.traits, origin: other.origin, capacity: capacity)
  }

  deinit {
    memory?.recycle(&canonical)
    memory?.recycle(&source)
    memory?.recycle(&tape)
  }

  /// Ends the canonical line that began at `start` and adds its record.
  /// - Parameter mayHaveExtras: false if the writer of the line wrote no extras.
  package func appendSlot(_ kind: RecordKind, from start: Int, mayHaveExtras: Bool = true) {
    var slot = RecordSlot(kind: kind, inSource: false, start: start, length: canonical.count - start, root: -1)
    slot.mayHaveExtras = mayHaveExtras
    slots.append(slot)
    // With their line ends, consecutive lines can be written at once.
    canonical.append(0x0A)
  }

  /// The number of records in the batch.
  public var count: Int { slots.count }

  /// The number of selected records in the source that could not be read.
  public var rejectedCount: Int { rejected.count(where: \.isSelected) }

  /// The records, each sharing the batch's memory.
  public var records: [Record] { slots.indices.map { Record(batch: self, index: $0) } }

  /// Removes the records for which `isIncluded` returns false.
  package func keep(where isIncluded: (Record) -> Bool) {
    slots = slots.indices.filter { isIncluded(Record(batch: self, index: $0)) }.map { slots[$0] }
  }

  /// Returns the memory that contains a slot's line.
  package func base(_ slot: RecordSlot) -> UnsafePointer<UInt8> {
    slot.inSource ? source.start : canonical.start
  }

  /// Returns a record's canonical line without its line end.
  package func line(_ slot: RecordSlot) -> UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(start: base(slot) + slot.start, count: slot.length)
  }

  /// Parses all lines and hashes them, for a writer that needs both. Must not be called while other threads read the
  /// batch.
  package func prepare() {
    for index in slots.indices {
      // The writer parses lines that are not JSON again and reports them.
      _ = parsed(index)
      slots[index].hash = Int32(hashes.count)
      hashes.append(Digest.sha256(line(slots[index]).span))
    }
  }

  /// Returns the SHA-256 of a record's line; nil if the batch was not prepared.
  package func hash(_ slot: RecordSlot) -> [UInt8]? { slot.hash < 0 ? nil : hashes[Int(slot.hash)] }

  /// Returns the root of a record whose canonical line was already parsed; nil otherwise.
  package func node(_ slot: RecordSlot) -> JSONNode? {
    slot.root < 0 ? nil : JSONNode(text: base(slot), tokens: tape.tokens, index: slot.root)
  }

  /// Returns the root of a record, and parses its canonical line if necessary. The tokens are kept for the next call.
  ///
  /// Nodes of the batch's other records become invalid. Must not be called while other threads read the batch.
  package func parsed(_ index: Int) -> JSONNode? {
    let slot = slots[index]
    if slot.root < 0 {
      let text = slot.inSource ? source.bytes : canonical.bytes
      guard let parse = try? tape.parse(text.span, in: slot.start..<slot.start + slot.length) else { return nil }
      slots[index].root = parse.root
    }
    return node(slots[index])
  }
}

/// The location of a record's bytes in its batch and of the record in the source. Contains no references.
package struct RecordSlot: Sendable {
  package var kind: RecordKind
  /// Whether the canonical line is in the source's own text.
  package var inSource: Bool
  /// Offset of the canonical line.
  package var start: Int
  /// Length of the canonical line.
  package var length: Int
  /// Index of the outermost token, or -1 if the record was not parsed yet.
  package var root: Int
  /// Offset and length of the record in the source's bytes, for text formats.
  package var sourceStart = 0
  package var sourceLength = 0
  /// The record's line and column in its file, from 1; 0 if unknown.
  package var sourceLine = 0
  package var sourceColumn = 0
  /// The number of the record's file in a source of many files, as its locator counts them; 0 for a single file.
  package var sourceFile: Int32 = 0
  /// The number of the record's table rows; 0 for records that are not rows.
  package var rows: Int32 = 0
  /// Whether the source has only some of the record's steps or cards. The library keeps its other steps or cards.
  package var isPartial = false
  /// Whether the record may have extras; false only if its reader found no extras.
  package var mayHaveExtras = true
  /// Whether the line is known to be canonical and to have known members only, so that its sections, tags and ticks
  /// equal the app's JSON columns byte for byte; false if this was not checked.
  package var isPlain = false
  /// The record's number in the prefetcher's results; -1 if no prefetcher processed the batch.
  package var found: Int32 = -1
  /// The index of the record's hash in the batch's hashes; -1 if the batch was not prepared.
  package var hash: Int32 = -1

  package init(kind: RecordKind, inSource: Bool, start: Int, length: Int, root: Int) {
    self.kind = kind
    self.inSource = inSource
    self.start = start
    self.length = length
    self.root = root
  }
}

/// Memory of released batches, kept for later batches.
///
/// Each reader owns one. The system clears fresh memory page by page, which costs as much as filling it. Recently used
/// memory is also still in the processor's cache.
package final class BatchMemory: Sendable {
  private final class Bytes: @unchecked Sendable {
    var buffer = ByteBuffer(capacity: 0)
  }

  private final class Tokens: @unchecked Sendable {
    var tape = JSONTape(capacity: 0)
  }

  private let bytes = Mutex<[Bytes]>([])
  private let tokens = Mutex<[Tokens]>([])
  /// The size limit. Larger pieces were made for an unusual record and are returned to the system.
  private let largest: Int

  /// The maximum number of buffers and of tapes that are kept.
  private static let count = 12
  /// The minimum size. Smaller pieces are not worth keeping.
  private static let smallest = 1 << 14

  /// Keeps pieces of up to `largest` bytes.
  package init(largest: Int) { self.largest = largest }

  /// Returns an empty buffer, with room for `capacity` bytes if it is a new one.
  package func buffer(_ capacity: Int) -> ByteBuffer {
    var buffer = ByteBuffer(capacity: 0)
    if let piece = bytes.withLock({ $0.popLast() }) {
      swap(&buffer, &piece.buffer)
      buffer.reserve(capacity)
      return buffer
    }
    return ByteBuffer(capacity: capacity)
  }

  /// Returns an empty tape, with room for `capacity` tokens if it is a new one.
  package func tape(_ capacity: Int) -> JSONTape {
    guard let piece = tokens.withLock({ $0.popLast() }) else { return JSONTape(capacity: capacity) }
    var tape = JSONTape(capacity: 0)
    swap(&tape, &piece.tape)
    return tape
  }

  /// Stores a buffer's memory for reuse and leaves an empty buffer.
  package func recycle(_ buffer: inout ByteBuffer) {
    guard buffer.capacity >= Self.smallest, buffer.capacity <= largest else { return }
    let piece = Bytes()
    swap(&buffer, &piece.buffer)
    piece.buffer.removeAll()
    bytes.withLock { if $0.count < Self.count { $0.append(piece) } }
  }

  /// Stores a tape's memory for reuse and leaves an empty tape.
  func recycle(_ tape: inout JSONTape) {
    let size = tape.capacity * MemoryLayout<JSONToken>.stride
    guard size >= Self.smallest, size <= 2 * largest else { return }
    let piece = Tokens()
    swap(&tape, &piece.tape)
    piece.tape.removeAll()
    tokens.withLock { if $0.count < Self.count { $0.append(piece) } }
  }
}

/// The hash of a record's content, independent of its ids, times and status.
///
/// The hash is the SHA-256 of the canonical form without those members. Two items with the same text have the same hash
/// in any library. The hash is stable across versions: omitting other members requires a new bundle version.
public enum ContentHash {
  /// Returns the hash of a canonical record as 64 hexadecimal digits.
  /// - Throws: `JSONError` if the line is not JSON.
  public static func of(_ record: Record) throws(JSONError) -> String {
    try of(line: record.batch.line(record.slot).span)
  }

  package static func of(line: Span<UInt8>) throws(JSONError) -> String { Digest.hex(try bytes(of: line)) }

  /// Returns the hash as 32 bytes.
  package static func bytes(of line: Span<UInt8>) throws(JSONError) -> [UInt8] {
    var tape = JSONTape(capacity: line.count / 8 + 16)
    let parse = try tape.parse(line)
    var out = ByteBuffer(capacity: line.count)
    line.withUnsafeBufferPointer {
      guard let base = $0.baseAddress else { return }
      write(JSONNode(text: base, tokens: tape.tokens, index: parse.root), into: &out)
    }
    return Digest.sha256(out.bytes.span)
  }

  private static func write(_ node: JSONNode, into out: inout ByteBuffer) {
    switch node.kind {
    case .object:
      out.append(UInt8(ascii: "{"))
      node.forEachMember { name, value in
        // Null means no value, so an optional member that is null equals a missing one.
        if value.isNull || isLeftOut(name) { return }
        out.append(name.raw.span)
        out.append(UInt8(ascii: ":"))
        write(value, into: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "}"))
    case .array:
      out.append(UInt8(ascii: "["))
      node.forEachElement { element in
        write(element, into: &out)
        out.append(UInt8(ascii: ","))
      }
      out.append(UInt8(ascii: "]"))
    default: out.append(node.raw.span)
    }
  }

  private static let leftOut: Set<String> = [
    "id", "sync_status", "syncStatus", "visibility", "creator_id", "creatorID", "created_at", "createdAt",
    "updated_at", "updatedAt", "published_at", "public_id", "public_metadata", "fork_count",
    "rating_average", "rating_count", "is_pinned", "pinned_order", "needs_sync", "last_synced_at",
    "server_id", "last_updated", "sortOrder", "isExpandedByDefault", "extras",
  ]

  private static func isLeftOut(_ name: JSONNode) -> Bool {
    leftOut.contains(String(decoding: name.inner.span))
  }
}
