import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Merging
import RecordSources

/// Writes the result of a merge. The text that a person would have made from the two versions is preferred if it has
/// the merged content. Otherwise, the format's writer writes the records.
final class MergeOutput {
  private let merge: FileMerge
  private let format: any Format
  private let versions: MergeRunFiles
  private let context: RunContext
  private let spool: LineSpool
  /// The merged records. In `ours`, every conflict has our side's value; in `theirs`, it has the other side's. Both are
  /// empty unless the versions are texts that fit into memory.
  private var ours: [[UInt8]] = []
  private var theirs: [[UInt8]] = []
  /// The versions of a note's only record, with equal ids for equal steps.
  private var aligned: (base: [UInt8]?, ours: [UInt8], theirs: [UInt8])?
  private var isText: Bool

  init(_ merge: FileMerge, _ format: any Format, _ versions: MergeRunFiles, _ context: RunContext) throws {
    self.merge = merge
    self.format = format
    self.versions = versions
    self.context = context
    spool = try LineSpool()
    isText =
      versions.ours.text != nil && versions.theirs.text != nil
      && (versions.base == nil || versions.base?.text != nil)
  }

  /// Adds a merged record.
  func add(_ record: VersionMerge.Merged, _ settling: FileMerge.Settling) throws {
    if isText {
      aligned = record.versions
      if let line = record.ours { ours.append(line) }
      if let line = record.theirs { theirs.append(line) }
    } else if let line = settling == .theirs ? record.theirs : record.ours {
      try spool.append(line.span)
    }
  }

  /// Completes the target.
  func publish(_ report: inout FileMergeReport) throws {
    guard isText else {
      report.size = try writeSpool()
      return
    }
    let takesTheirs = merge.settling == .theirs
    let written = try text(of: takesTheirs ? theirs : ours)
    report.keepsTyping = written.keepsTyping
    for line in written.found.doubts where isNote { addDoubt(line, to: &report) }
    var bytes = takesTheirs && isNote ? written.found.flipped : written.found.text
    if merge.markers, !report.isClean {
      bytes = ConflictMarkers.text(ours: bytes, theirs: try text(of: theirs).found.flipped)
    }
    let file = try AtomicFile(merge.target, overwrites: true)
    let sink = ByteSink(descriptor: file.descriptor, name: merge.target)
    try sink.write(bytes.span)
    try sink.flush()
    copyPermissions(of: merge.target, to: file.descriptor)
    report.size = try file.publish()
  }

  private func copyPermissions(of path: String, to descriptor: Int32) {
    var status = stat()
    if stat(path, &status) == 0 { _ = fchmod(descriptor, status.st_mode & 0o777) }
  }

  // MARK: Texts

  private var isNote: Bool { format.descriptor.text == .note }

  /// Reports a conflict about lines that are not content: comments and unknown front matter.
  private func addDoubt(_ line: Int, to report: inout FileMergeReport) {
    report.conflictCount += 1
    guard report.conflicts.count < FileMergeReport.kept else { return }
    let record = ours.first ?? []
    let (id, title) = (RecordLine.id(of: record.span), RecordLine.title(of: record.span))
    let conflict = MergeConflict(
      pointer: "", label: "lines that are not content", base: nil, ours: nil, theirs: nil)
    report.conflicts.append(
      FileConflict(
        kind: .item, id: id ?? "", title: title ?? "", conflict: conflict,
        ours: Place(file: versions.ours.name, line: line, column: 1)))
  }

  /// Returns a text with the content of the records, and whether the text keeps the notation of the versions.
  private func text(of lines: [[UInt8]]) throws -> (found: TextCandidates.Found, keepsTyping: Bool) {
    let candidates = TextCandidates(
      base: versions.base?.text, ours: versions.ours.text ?? [], theirs: versions.theirs.text ?? [])
    if let found = try candidates.first(where: { try represents($0, lines) }) { return (found, true) }
    if let found = try assembled(lines) { return (found, true) }
    let text = try write(lines)
    guard try represents(text, lines) else {
      throw RunFailure(
        .failed, "merge '\(versions.ours.name)': the result cannot be written in its format; nothing was written",
        advice: "Merge the versions by hand, or choose a side with --ours or --theirs.")
    }
    // Lines of the other side that are not content may be missing, so the user has to check the text.
    return (TextCandidates.Found(text: text, doubts: [1], flipped: text), false)
  }

  /// Returns a note assembled from lines of both sides, step by step; nil if that is impossible.
  private func assembled(_ lines: [[UInt8]]) throws -> TextCandidates.Found? {
    guard isNote, let aligned, lines.count == 1 else { return nil }
    func blocks(_ version: MergeVersion?, _ line: [UInt8]?) throws -> NoteBlocks? {
      guard let version, let text = version.text, let line else { return nil }
      var blocks: NoteBlocks?
      let inner = RunContext(findings: DiagnosticLog(), reading: context.reading, now: context.now)
      try RecordScan(sources: version.sources).run(context: inner) { record in
        if record.kind == .item { blocks = NoteBlocks(text, line) { record.place(at: $0).line } }
      }
      return blocks
    }
    guard let mine = try blocks(versions.ours, aligned.ours), let other = try blocks(versions.theirs, aligned.theirs)
    else { return nil }
    let old = try blocks(versions.base, aligned.base)
    func assemble(_ takesTheirs: Bool) throws -> [UInt8]? {
      let assembly = NoteAssembly(base: old, ours: mine, theirs: other, takesTheirs: takesTheirs)
      guard let text = assembly.text(of: lines[0]), try represents(text, lines) else { return nil }
      return text
    }
    let isTheirs = lines == theirs && lines != ours
    guard let text = try assemble(isTheirs) else { return nil }
    // If the other side's lines are equally good, the sides differ in lines that are not content.
    guard let flipped = try assemble(!isTheirs),
      !TextCandidates.isSame(TextCandidates.lines(text), TextCandidates.lines(flipped))
    else { return TextCandidates.Found(text: text, flipped: text) }
    return TextCandidates.Found(text: text, doubts: [1], flipped: flipped)
  }

  /// Whether a text, read like any file, has the content of the records.
  private func represents(_ text: [UInt8], _ lines: [[UInt8]]) throws -> Bool {
    guard let format = format as? any MemberFormat else { return false }
    let sources = MergeVersion.sources(
      text, shown: versions.ours.name, fileName: versions.fileName, format: format)
    let inner = RunContext(findings: DiagnosticLog(), reading: context.reading, now: context.now)
    do {
      let records = try SortedRecords(sources, selection: nil, context: inner)
      guard records.unreadable == 0 else { return false }
      for line in lines {
        guard let entry = try records.next(),
          MergedContent.isSame(MergedContent.cut(entry.line).line, MergedContent.cut(line).line)
        else { return false }
      }
      return try records.next() == nil
    } catch let failure as RunFailure where failure.status == .failed {
      // If a candidate is not valid in its format, it is rejected.
      return false
    }
  }

  // MARK: Writing records

  /// Returns the records as the format writes them.
  private func write(_ lines: [[UInt8]]) throws -> [UInt8] {
    let texts = [versions.base?.text, versions.ours.text, versions.theirs.text].compactMap { $0 }
    let lines = isNote ? try lines.map { try withOwnIDs($0, texts) } : lines
    let batch = MergedLines.batch(lines, file: versions.ours.name)
    if let format = format as? any MemberFormat, lines.count == 1, let text = versions.ours.text,
      Self.isOneRecord(text), let record = batch.records.first,
      let written = format.itemWriter().text(of: record, at: versions.fileName)
    {
      return written
    }
    let folder = try TemporaryFolder()
    defer { folder.remove() }
    // A note without a title takes its title from the file name.
    let ending = "." + (format.descriptor.extensions.first ?? "json")
    let name = isNote ? versions.fileName : "bundle" + ending
    let path = folder.path + "/" + name + (name.hasSuffix(ending) ? "" : ending)
    try MergedLines.write([batch], to: Target(path), format, context)
    guard let data = FileManager.default.contents(atPath: path) else {
      throw RunFailure(.failed, "read '\(path)': it no longer exists")
    }
    return [UInt8](data)
  }

  /// Returns a note's record without ids that the note does not contain, so that these ids are derived from titles
  /// again.
  private func withOwnIDs(_ line: [UInt8], _ texts: [[UInt8]]) throws -> [UInt8] {
    let bare = MergedContent.withoutMadeIDs(line, texts: texts)
    let kind = RecordLine.kind(of: line.span) ?? .item
    let text = try? TypedRecord.other(kind: kind, json: String(decoding: bare, as: UTF8.self)).canonicalLine()
    return text.map { Array($0.utf8) } ?? line
  }

  /// Whether a text is one record and not a bundle.
  private static func isOneRecord(_ text: [UInt8]) -> Bool {
    guard let root = try? JSONDocument(parsing: text).root, root.kind == .object else { return false }
    return root["content_type"] != nil || root["kind"] != nil
  }

  /// Writes records that do not fit into memory or are not text.
  private func writeSpool() throws -> Int {
    let target = Target(merge.target, overwrites: FileMerge.isFolder(merge.target) ? false : true)
    if FileMerge.isFolder(merge.target) || !MergeVersion.isText(format), access(merge.target, F_OK) == 0 {
      throw RunFailure(
        .refused, "write '\(merge.target)': it exists and is not a single text file",
        advice: "Name a new file or folder.")
    }
    try spool.rewind()
    let registry = FormatRegistry.standard
    let named = try? registry.format(of: target)
    return try MergedLines.write(spool, to: target, named ?? format, context, file: versions.ours.name)
  }
}

/// Passes merged records to a format's writer.
enum MergedLines {
  /// The approximate size of a batch in bytes.
  private static let size = 1 << 20

  static func batch(_ lines: [[UInt8]], file: String) -> RecordBatch {
    let batch = RecordBatch(
      locator: FileLocator(file, showing: .record), capacity: lines.reduce(64) { $0 + $1.count + 1 })
    for line in lines {
      let start = batch.canonical.count
      batch.canonical.append(line.span)
      batch.appendSlot(RecordLine.kind(of: line.span) ?? .foreign, from: start)
    }
    return batch
  }

  /// Writes batches into a new file.
  static func write(_ batches: [RecordBatch], to target: Target, _ format: any Format, _ context: RunContext) throws {
    var rest = batches[...]
    _ = try write(to: target, format, context) { rest.popFirst() }
  }

  /// Writes lines from disk into a new file.
  /// - Returns: the file's size in bytes.
  static func write(
    _ spool: LineSpool, to target: Target, _ format: any Format, _ context: RunContext, file: String
  ) throws -> Int {
    try write(to: target, format, context) {
      var lines: [[UInt8]] = []
      var count = 0
      while count < size, try spool.advance() {
        lines.append(Array(spool.line))
        count += spool.line.count
      }
      return lines.isEmpty ? nil : batch(lines, file: file)
    }
  }

  private static func write(
    to target: Target, _ format: any Format, _ context: RunContext, _ next: () throws -> RecordBatch?
  ) throws -> Int {
    let writer = try format.writer(to: target, context: context)
    var tally = Tally()
    let rejects = RejectsWriter(target: target.path, asArray: false)
    do {
      while let batch = try next() {
        try Interruption.check()
        try writer.write(batch, tally: &tally, rejects: rejects)
      }
      try writer.prepare(tally: &tally, rejects: rejects)
      if tally.total.rejected > 0 {
        throw RunFailure(
          .failed, "write '\(target.path)': \(tally.total.rejected) merged records cannot be written in its format",
          advice: "Write a bundle instead, for example merged.jsonl.")
      }
      return try writer.finish()
    } catch {
      writer.abort()
      throw error
    }
  }
}
