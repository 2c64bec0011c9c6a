import Content
import Diagnostics
import Foundation
import Interchange
import JSONText

/// Reads a note, a folder of notes or a vault. Every note is an item. Content that Markdown cannot express is read from
/// `.fleetkit/library.jsonl`.
///
/// Memory is bounded by a few batches, the largest notes, the list of notes, and a few bytes per heading and link.
final class VaultReader: ContentReader {
  private let paths: VaultPaths
  private let parser: NoteParser
  private let links: VaultLinks
  /// The attachments of the library that was exported to the vault.
  private var kept = ExportedAttachments()
  private let context: RunContext
  private var pieces: NotePieces?
  /// The folders that are decks, with their notes. The next folder to read is the last element.
  private var decks: [DeckSearch.Deck] = []
  private let reader: NoteReader
  private var counts = NoteCounts()
  private let size: Int
  private var done = 0
  private var records: (any ContentReader)?
  private var isAtEnd = false

  /// Opens a source.
  /// - Parameter bundle: the format of the records that Markdown cannot express.
  init(_ source: Source, bundle: any Format, context: RunContext) throws {
    let paths = VaultPaths(source)
    self.paths = paths
    self.context = context
    parser = NoteParser(infer: context.reading.infer, folder: paths.place.name)
    links = VaultLinks(
      folder: paths.mediaFolder, source: paths.place.sourceID, findings: paths.isWhole ? context.findings : nil)
    var files: [VaultFile]
    if paths.isNote {
      files = [try Self.single(source)]
      size = files[0].size
    } else {
      let walk = try VaultWalk(source.path)
      for folder in walk.unreadable { VaultFindings(context.findings).unreadableName(in: folder) }
      for folder in walk.templateFolders { VaultFindings(context.findings).templates(in: paths.shown(folder)) }
      for note in walk.templates { links.unread(paths.inVault(note.path)) }
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
      if let kept = VaultPath.records(in: source) {
        records = try bundle.reader(of: Source(kept), context: context)
      }
    }
    let memory = BatchMemory(largest: 4 << 20)
    let makeReader: @Sendable () -> NoteReader = { [parser] in
      NoteReader(paths, parser: parser, options: context.reading, memory: memory)
    }
    reader = makeReader()
    if !paths.isNote, context.reading.infer != .never { try findDecks(in: &files) }
    pieces = NotePieces(files, makeReader: makeReader)
  }

  /// Moves the notes of folders that are decks from `files` to `decks`.
  private func findDecks(in files: inout [VaultFile]) throws {
    // The notes of a folder are consecutive, so each folder is checked once.
    var last: (folder: Substring, isForCards: Bool) = ("", CardFolders.isInDeckFolder(paths.inVault("x")))
    let candidates = files.filter { file in
      let folder = file.path[..<(file.path.lastIndex(of: "/") ?? file.path.startIndex)]
      if folder != last.folder { last = (folder, CardFolders.isInDeckFolder(paths.inVault(file.path))) }
      return last.isForCards
    }
    decks = try DeckSearch.find(candidates, paths, reader).reversed()
    if decks.isEmpty { return }
    let taken = Set(decks.flatMap { ($0.files + $0.unread).map(\.path) })
    files.removeAll { taken.contains($0.path) }
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
        add(piece)
        return piece.batch
      }
      if let deck = decks.popLast() {
        let piece = try reader.read(deck)
        add(piece)
        return piece.batch
      }
      self.pieces = nil
      VaultFindings(context.findings).report(counts, source: paths.source)
      links.finish()
      if let charter = NoteTicks.charter(counts, paths, parser: parser) { return charter }
    }
    if let records {
      if let batch = try records.next() {
        kept.extract(from: batch)
        return batch
      }
      self.records = nil
    }
    if isAtEnd { return nil }
    isAtEnd = true
    return try attachments()
  }

  private func add(_ piece: NotePiece) {
    for finding in piece.findings.kept { context.findings.report(finding) }
    for explanation in piece.explanations { context.explanations.add(explanation) }
    if context.reading.collectsIDs {
      let hangsOnPlace = paths.place.sourceID.utf8.elementsEqual(paths.place.root.utf8)
      for note in piece.nameless { context.noteIDs.add(note.file, id: note.id, hangsOnPlace: hangsOnPlace) }
    }
    counts.add(piece.counts)
    done += piece.size
    for note in piece.linked {
      if let own = note.links {
        links.addNote(path: note.path, id: note.id, title: note.title, aliases: note.aliases, own)
      } else {
        links.unread(note.path)
      }
    }
  }

  // MARK: Attachments

  /// Returns the files that notes use, as records; nil if notes use no files.
  private func attachments() throws -> RecordBatch? {
    let locator = VaultLocator(paths, parser: parser)
    let batch = RecordBatch(locator: locator, traits: locator.traits, origin: locator, capacity: 1 << 14)
    var entries = links.used.map { (path: $0.path, ids: $0.itemIDs) }
    let known = Set(entries.map(\.path))
    entries += kept.byPath.keys.filter { !known.contains($0) }.map { ($0, []) }
    entries.sort { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    for entry in entries {
      let old = kept.byPath[entry.path]
      let found = try VaultAttachment(
        path: entry.path, in: paths.mediaFolder, source: paths.place.sourceID, id: old?.id, itemIDs: entry.ids)
      guard let found else {
        if let old { append(old, to: batch, locator) } else { links.reportUnreadable(entry.path) }
        continue
      }
      let number = locator.addMedia(paths.fromSource(entry.path))
      // The library's record is used unchanged as long as the file is the same.
      if let old, old.sha256 == nil || old.sha256 == found.sha256 {
        append(line: old.line, to: batch, number)
      } else {
        var line = ByteBuffer(capacity: 512)
        found.write(into: &line)
        append(line: line.copy(0..<line.count), to: batch, number)
      }
    }
    for old in kept.others { append(old, to: batch, locator) }
    return batch.count == 0 ? nil : batch
  }

  /// Appends a record whose bytes are missing.
  private func append(_ old: ExportedAttachments.Kept, to batch: RecordBatch, _ locator: VaultLocator) {
    append(line: old.line, to: batch, locator.add(".fleetkit/library.jsonl"))
  }

  private func append(line: [UInt8], to batch: RecordBatch, _ file: Int32) {
    let start = batch.canonical.count
    batch.canonical.append(line.span)
    batch.appendSlot(.attachment, from: start)
    batch.slots[batch.slots.count - 1].sourceFile = file
  }
}

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
