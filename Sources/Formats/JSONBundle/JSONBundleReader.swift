import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Reads a bundle and returns the records that its splitter finds, batch by batch.
///
/// Memory is bounded by a chunk or by the largest record.
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
    records.begin(input.name, idScope: Self.idScope(input.name, input.idName))
  }

  var progress: (done: Int, total: Int?) { (input.consumed, input.size) }

  func next() throws -> RecordBatch? {
    guard let (spans, end) = try splitter.next() else { return nil }
    let batch = RecordBatch(locator: locator, source: input.detachBuffer(upTo: end), memory: input.memory)
    batch.slots.reserveCapacity(spans.count)
    for span in spans { records.read(span, into: batch) }
    return batch
  }

  /// Returns the values from which the ids of records without an id are derived: the file's name without its folder.
  static func idScope(_ name: String, _ idName: String) -> [String] {
    [RejectsOrigin.fileName(of: name) ?? fileName(idName)]
  }

  static func fileName(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}

/// Reads bundles that are contained in a larger file. Several small bundles share a batch.
///
/// A file that is not a bundle is reported and rejected, and the following files are still read. Memory is bounded by a
/// batch or by the largest record.
final class BundleMembersReader: ContentReader {
  /// A file that is being read.
  private struct Open {
    let index: Int
    let input: BundleInput
    let splitter: any RecordSplitter
  }

  private let members: any MemberSource
  private let spelling: JSONBundleFormat.Spelling
  private let context: RunContext
  private let records: RecordTextReader
  private let lines: MemberLines?
  private let memory = BatchMemory(largest: 4 * BundleInput.chunk)
  private var upcoming = 0
  private var open: Open?
  private var done = 0
  private let size: Int
  /// The file whose error will end the reading, once the records before it have been returned.
  private var unread: UnreadFile?

  init(_ members: any MemberSource, spelling: JSONBundleFormat.Spelling, context: RunContext) {
    self.members = members
    self.spelling = spelling
    self.context = context
    lines = members.areFiles ? nil : MemberLines(members)
    records = RecordTextReader(context: context, isLines: spelling == .lines)
    size = members.paths.indices.reduce(0) { $0 + members.bytes(of: $1).count }
  }

  var progress: (done: Int, total: Int?) { (done, size) }

  func next() throws -> RecordBatch? {
    if let unread { throw unread }
    guard open != nil || upcoming < members.paths.count else { return nil }
    let locator = TextLocator(members, lines: lines)
    let room = min(size, BundleInput.chunk) + BundleInput.chunk / 4
    let batch = RecordBatch(
      locator: locator, traits: locator.traits, origin: locator, source: memory.buffer(room), memory: memory)
    while batch.source.count < BundleInput.chunk, unread == nil, let file = try open ?? openNext() {
      open = file
      if try !read(file, into: batch) {
        // A file is listed when all of its records have been read.
        locator.list(file.index)
        open = nil
      }
    }
    return batch
  }

  private func openNext() throws -> Open? {
    guard upcoming < members.paths.count else { return nil }
    defer { upcoming += 1 }
    let name = members.shown(upcoming)
    records.begin(
      name, idScope: members.idScope(of: upcoming), file: Int32(truncatingIfNeeded: upcoming))
    let input = BundleInput(name: name, bytes: members.bytes(of: upcoming))
    let splitter = try spelling.splitter(of: input, context: context)
    records.isLines = splitter is LineSplitter
    return Open(index: upcoming, input: input, splitter: splitter)
  }

  /// Reads a part of a file. Returns false at the end of the file.
  private func read(_ file: Open, into batch: RecordBatch) throws -> Bool {
    let found: (spans: [RecordSpan], end: Int)?
    do {
      found = try file.splitter.next()
    } catch let failure as RunFailure {
      guard let finding = failure.finding else {
        guard members.areFiles else { throw failure }
        unread = UnreadFile(index: file.index)
        return true
      }
      reject(file, finding, batch)
      done += file.input.size ?? 0
      return false
    }
    guard let (spans, end) = found else {
      done += file.input.size ?? 0
      return false
    }
    try Interruption.check()
    let start = batch.source.count
    batch.source.append(file.input.buffer.bytes.span.extracting(first: end))
    for var span in spans {
      span.start += start
      records.read(span, into: batch)
    }
    file.input.buffer.removeFirst(end)
    return true
  }

  /// Rejects the rest of a file after an error outside its records.
  private func reject(_ file: Open, _ finding: Diagnostic, _ batch: RecordBatch) {
    context.findings.report(finding)
    if members.areFiles { return }
    let reason = RejectReason(code: finding.code.id, message: finding.message, place: finding.place.description)
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: file.input.buffer.copy(0..<file.input.buffer.count),
        place: members.shown(file.index), reasons: [reason], file: Int32(truncatingIfNeeded: file.index)))
  }
}

/// Reads a bundle in chunks into a buffer that is passed to batches.
final class BundleInput {
  let name: String
  /// The name from which the ids of records without an id are derived.
  let idName: String
  private let descriptor: Int32
  private let closes: Bool
  /// The bytes of an input that is already in memory; nil for files.
  private let bytes: UnsafeBufferPointer<UInt8>?
  /// The size of the file; nil for pipes.
  let size: Int?
  /// The number of bytes read so far.
  private(set) var consumed = 0
  /// The bytes that were read but not yet passed to a batch.
  var buffer: ByteBuffer
  private(set) var isAtEnd = false
  /// The pool to which batches return their buffers.
  let memory = BatchMemory(largest: 4 * BundleInput.chunk)

  /// The number of bytes that are read at a time, which is also the approximate size of a batch.
  ///
  /// Up to eight batches, each with its tokens, exist at the same time. Chunks of four times this size would take 30 MB
  /// more and would not be faster.
  static let chunk = 1 << 18
  /// The maximum number of records in a batch. It is limited because a rejected record takes memory regardless of its
  /// length.
  static let batchRecords = 4096

  init(_ source: Source) throws {
    name = source.name
    idName = source.idName
    bytes = nil
    buffer = ByteBuffer(capacity: Self.chunk + 4096)
    if source.isStandardInput {
      descriptor = 0
      closes = false
      size = nil
    } else {
      descriptor = open(source.path, O_RDONLY | O_CLOEXEC)
      closes = true
      guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
      var status = stat()
      size = fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG ? Int(status.st_size) : nil
    }
  }

  /// Creates an input from bytes, which must remain in memory as long as the input is used.
  init(name: String, bytes: UnsafeBufferPointer<UInt8>) {
    self.name = name
    idName = name
    self.bytes = bytes
    descriptor = -1
    closes = false
    size = bytes.count
    buffer = ByteBuffer(capacity: min(bytes.count, Self.chunk) + 64)
  }

  deinit { if closes { close(descriptor) } }

  /// Appends the next chunk to the buffer. Returns false at the end.
  func fill() throws -> Bool {
    if isAtEnd { return false }
    if let bytes { return fill(from: bytes.span) }
    let got = try buffer.append(room: Self.chunk) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
      while true {
        let got = read(descriptor, room.baseAddress, room.count)
        if got >= 0 { return got }
        if errno != EINTR { throw RunFailure(.failed, "read '\(name)': \(SystemError.last)") }
      }
    }
    consumed += got
    if got == 0 { isAtEnd = true }
    return got > 0
  }

  private func fill(from bytes: Span<UInt8>) -> Bool {
    let end = min(bytes.count, consumed + Self.chunk)
    if end == consumed {
      isAtEnd = true
      return false
    }
    buffer.append(bytes.extracting(consumed..<end))
    consumed = end
    return true
  }

  /// Returns the buffer and starts a new one with the bytes after `end`.
  fileprivate func detachBuffer(upTo end: Int) -> ByteBuffer {
    var next = memory.buffer(max(Self.chunk + 4096, buffer.count - end + Self.chunk))
    next.append(buffer.bytes.span.extracting(droppingFirst: end))
    swap(&next, &buffer)
    next.truncate(to: end)
    return next
  }
}

/// Determines the origin of the records in a file of rejects.
///
/// Records without ids get ids that are derived from their file's name. If such records are rejected, corrected and
/// read again, they must get the same ids as before. The original file's name is therefore taken from the reasons file
/// in the same folder.
private enum RejectsOrigin {
  /// Returns the name of the file that all rejects came from; nil if the file at `path` does not contain rejects.
  static func fileName(of path: String) -> String? {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return nil }
    let reasons = path[..<dot] + ".reasons.jsonl"
    guard access(String(reasons), R_OK) == 0, let data = FileManager.default.contents(atPath: String(reasons)) else {
      return nil
    }
    var found: String?
    for line in data.split(separator: 0x0A) {
      guard let place = (try? JSONDocument(parsing: Array(line)))?.root["place"]?.string else { return nil }
      // A place has the form `file:line:column`.
      let file = place.split(separator: ":", omittingEmptySubsequences: false).dropLast(2).joined(separator: ":")
      let name = JSONBundleReader.fileName(file)
      if name.isEmpty || (found != nil && found != name) { return nil }
      found = name
    }
    return found
  }
}
