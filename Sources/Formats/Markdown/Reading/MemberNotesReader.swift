import Content
import Interchange

/// Reads notes that are members of a container such as a pack. Every note is an item.
///
/// Memory is bounded by a few batches and the largest notes. The reader does not follow links; rules check them.
final class MemberNotesReader: ContentReader {
  private let paths: VaultPaths
  private let context: RunContext
  private let members: any MemberSource
  private let parser: NoteParser
  private var pieces: NotePieces?
  private var counts = NoteCounts()
  private var done = 0
  private let size: Int

  init(_ members: any MemberSource, context: RunContext) {
    let paths = VaultPaths(members)
    self.paths = paths
    self.members = members
    self.context = context
    let files = members.paths.enumerated().map { index, path in
      VaultFile(path: path, size: members.bytes(of: index).count, modified: members.time)
    }
    size = files.reduce(0) { $0 + $1.size }
    let parser = NoteParser(infer: context.reading.infer)
    let memory = BatchMemory(largest: 4 << 20)
    let options = context.reading
    self.parser = parser
    pieces = NotePieces(files) { NoteReader(paths, parser: parser, options: options, memory: memory) }
  }

  var progress: (done: Int, total: Int?) { (done, size) }

  func next() throws -> RecordBatch? {
    guard let pieces else { return nil }
    if let piece = try pieces.next() {
      for var finding in piece.findings.kept {
        if let made = members.madeOf(finding.place) { finding.place = made.place }
        context.findings.report(finding)
      }
      for explanation in piece.explanations { context.explanations.add(explanation) }
      counts.add(piece.counts)
      done += piece.size
      return piece.batch
    }
    self.pieces = nil
    VaultFindings(context.findings).report(counts, source: paths.source) { members.madeOf($0)?.place ?? $0 }
    return NoteTicks.charter(counts, paths, parser: parser)
  }
}
