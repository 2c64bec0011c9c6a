import Content
import Diagnostics
import Interchange
import JSONText

/// Reads bundles that lie inside something larger, many small ones into one batch.
///
/// A file that is no bundle is reported and rejected; those behind it are read all the same. Memory is bounded by a
/// batch, or by the largest record.
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
  private let lines: MemberLines
  private let memory = BatchMemory(largest: 4 * BundleInput.chunk)
  private var upcoming = 0
  private var open: Open?
  private var done = 0
  private let size: Int

  init(_ members: any MemberSource, spelling: JSONBundleFormat.Spelling, context: RunContext) {
    self.members = members
    self.spelling = spelling
    self.context = context
    lines = MemberLines(members)
    records = RecordTextReader(context: context, isLines: spelling == .lines)
    size = members.paths.indices.reduce(0) { $0 + members.bytes(of: $1).count }
  }

  var progress: (done: Int, total: Int?) { (done, size) }

  func next() throws -> RecordBatch? {
    guard open != nil || upcoming < members.paths.count else { return nil }
    let locator = MemberTextLocator(members, lines: lines)
    let room = min(size, BundleInput.chunk) + BundleInput.chunk / 4
    let batch = RecordBatch(locator: locator, source: memory.buffer(room), memory: memory)
    while batch.source.count < BundleInput.chunk, let file = open ?? openNext() {
      open = file
      if try !read(file, into: batch) {
        // Listed where it ends, when all of its records are there.
        locator.list(file.index)
        open = nil
      }
    }
    return batch
  }

  private func openNext() -> Open? {
    guard upcoming < members.paths.count else { return nil }
    defer { upcoming += 1 }
    let name = members.shown(upcoming)
    records.begin(
      name, idScope: [members.idScope, members.innerPath(upcoming)], file: Int32(truncatingIfNeeded: upcoming))
    let input = BundleInput(name: name, bytes: members.bytes(of: upcoming))
    let splitter: any RecordSplitter =
      switch spelling {
      case .lines: LineSplitter(input: input, context: context)
      case .document: DocumentSplitter(input: input, context: context)
      }
    return Open(index: upcoming, input: input, splitter: splitter)
  }

  /// Reads a stretch of a file; false at its end.
  private func read(_ file: Open, into batch: RecordBatch) throws -> Bool {
    let found: (spans: [RecordSpan], end: Int)?
    do {
      found = try file.splitter.next()
    } catch let failure as RunFailure {
      guard let finding = failure.finding else { throw failure }
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
    batch.source.append(UnsafeBufferPointer(rebasing: file.input.buffer.bytes[..<end]))
    for var span in spans {
      span.start += start
      records.read(span, into: batch)
    }
    file.input.buffer.removeFirst(end)
    return true
  }

  /// What is left of a file when something around its records is wrong.
  private func reject(_ file: Open, _ finding: Diagnostic, _ batch: RecordBatch) {
    context.findings.report(finding)
    let reason = RejectReason(code: finding.code.id, message: finding.message, place: finding.place.description)
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: file.input.buffer.copy(0..<file.input.buffer.count),
        place: members.shown(file.index), reasons: [reason], file: Int32(truncatingIfNeeded: file.index)))
  }
}
