import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Reads a note, a folder of notes or a vault: every note is an item, and what Markdown cannot say comes from
/// `.fleetkit/library.jsonl`.
///
/// Memory is bounded by a few batches, the largest notes, the list of notes, and a few bytes for each heading and link.
final class VaultReader: ContentReader {
  let paths: VaultPaths
  let parser: NoteParser
  let links: VaultLinks
  /// Attachments that a library had.
  private(set) var kept = KeptAttachments()
  private let context: RunContext
  private var pieces: NotePieces?
  private var counts = NoteCounts()
  private let size: Int
  private var done = 0
  private var records: (any ContentReader)?
  private var isAtEnd = false

  /// Opens a source.
  /// - Parameter bundle: the format of what Markdown cannot say.
  init(_ source: Source, bundle: any Format, context: RunContext) throws {
    let paths = VaultPaths(source)
    self.paths = paths
    self.context = context
    parser = NoteParser(infer: context.reading.infer)
    links = VaultLinks(
      folder: paths.mediaFolder, source: paths.place.sourceID, findings: paths.isWhole ? context.findings : nil)
    let files: [VaultFile]
    if paths.isNote {
      files = [try Self.single(source)]
      size = files[0].size
    } else {
      let walk = try VaultWalk(source.path)
      for folder in walk.unreadable { VaultFindings(context.findings).unreadableName(in: folder) }
      for path in walk.others { links.file(paths.inVault(path)) }
      var read: [VaultFile] = []
      for note in walk.notes {
        if context.leavesOut(paths.shown(note.path)) {
          links.unread(paths.inVault(note.path))
        } else {
          read.append(note)
        }
      }
      files = read
      size = walk.size
      let kept = (source.path.hasSuffix("/") ? source.path : source.path + "/") + ".fleetkit/library.jsonl"
      if access(kept, F_OK) == 0 { records = try bundle.reader(of: Source(kept), context: context) }
    }
    let memory = BatchMemory(largest: 4 << 20)
    pieces = NotePieces(files) { [parser] in
      NoteReader(paths, parser: parser, explains: context.reading.explains, memory: memory)
    }
  }

  private static func single(_ source: Source) throws -> VaultFile {
    if source.isStandardInput {
      return VaultFile(path: "-", size: 0, modified: Timestamp(milliseconds: 0))
    }
    var status = stat()
    guard stat(source.path, &status) == 0 else {
      throw RunFailure(.failed, "read '\(source.path)': \(SystemError.last)")
    }
    return VaultFile(path: (source.path as NSString).lastPathComponent, status)
  }

  var progress: (done: Int, total: Int?) { (done, size) }

  func next() throws -> RecordBatch? {
    if let pieces {
      if let piece = try pieces.next() {
        take(piece)
        return piece.batch
      }
      self.pieces = nil
      VaultFindings(context.findings).report(counts, source: paths.source)
      links.finish()
    }
    if let records {
      if let batch = try records.next() {
        kept.take(from: batch)
        return batch
      }
      self.records = nil
    }
    if isAtEnd { return nil }
    isAtEnd = true
    return try attachments()
  }

  private func take(_ piece: NotePiece) {
    for finding in piece.findings.kept { context.findings.report(finding) }
    for explanation in piece.explanations { context.explanations.add(explanation) }
    counts.add(piece.counts)
    done += piece.size
    for note in piece.linked {
      if let own = note.links {
        links.note(path: note.path, id: note.id, title: note.title, aliases: note.aliases, own)
      } else {
        links.unread(note.path)
      }
    }
  }
}
