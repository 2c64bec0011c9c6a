import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownSyntax
import MarkdownText
import Validation

/// Reads notes one after another into records. Each thread has its own reader.
final class NoteReader {
  private let paths: VaultPaths
  private let parser: NoteParser
  private let explains: Bool
  /// The charter of the executions that are made from ticks; nil to make no executions.
  private let tickCharter: String?
  private var canonicalizer = Canonicalizer(mode: .bundle)
  private var bytes = ByteBuffer(capacity: 1 << 16)
  private var scan = MarkdownScan()
  private let memory: BatchMemory

  init(_ paths: VaultPaths, parser: NoteParser, options: ReadingOptions, memory: BatchMemory) {
    self.paths = paths
    self.parser = parser
    explains = options.explains
    tickCharter = options.withTicks ? NoteTicks.charterID(of: paths.place) : nil
    self.memory = memory
  }

  /// Reads some notes.
  /// - Throws: `RunFailure` if a note cannot be read from the disk.
  func read(_ files: ArraySlice<VaultFile>) throws -> NotePiece {
    let locator = VaultLocator(paths, parser: parser)
    let size = files.reduce(0) { $0 + $1.size }
    let source = memory.buffer(size + size / 4 + files.count * 2048 + 4096)
    let piece = NotePiece(
      batch: RecordBatch(
        locator: locator, traits: locator.traits, origin: locator, source: source, memory: memory))
    piece.size = size
    for file in files {
      try Interruption.check()
      try read(file, into: piece, locator)
    }
    return piece
  }

  // MARK: One note

  /// Reads and decodes a file; nil if the file is not text.
  func withText<Result>(
    of file: VaultFile, _ body: (Span<UInt8>, DecodedText) throws -> Result
  ) throws -> Result? {
    bytes.removeAll()
    if let members = paths.members {
      guard let index = members.index(of: file.path) else { return nil }
      let all = members.bytes(of: index)
      if let decoded = DecodedText.decode(all.span) {
        return try decoded.withText(of: all) { try body($0.span, decoded) }
      }
      bytes.append(all.span)
      return nil
    }
    if paths.source == "-" {
      try NoteBytes.read(0, "standard input", size: 1 << 16, into: &bytes)
    } else {
      try NoteBytes.read(paths.real(file.path), size: file.size, into: &bytes)
    }
    let all = bytes.bytes
    guard let decoded = DecodedText.decode(all.span) else { return nil }
    return try decoded.withText(of: all) { try body($0.span, decoded) }
  }

  private func read(_ file: VaultFile, into piece: NotePiece, _ locator: VaultLocator) throws {
    // The size of standard input is unknown until it is read.
    if file.size > NoteBytes.largest, paths.source != "-" { return tooLarge(file, piece, locator) }
    let done: Void? = try withText(of: file) { read(file, $0, $1, into: piece, locator) }
    if done == nil {
      leaveOut(file, piece, locator)
      let message = "this file is not text in UTF-8, UTF-16, windows-1251 or windows-1252"
      rejectWithoutText(file, piece, Diagnostic(.notText, message, at: Place(file: paths.shown(file.path))))
    }
  }

  /// Rejects the file that was read last, because it is not text.
  private func rejectWithoutText(_ file: VaultFile, _ piece: NotePiece, _ finding: Diagnostic) {
    reject(bytes.bytes.span, file, piece, finding)
  }

  /// Leaves out a note that exceeds the limits for notes, but keeps its position in the order.
  private func tooLarge(_ file: VaultFile, _ piece: NotePiece, _ locator: VaultLocator) {
    leaveOut(file, piece, locator)
    let message =
      "the note exceeds one of the limits for notes: \(NoteBytes.largest >> 20) MB or \(MarkdownTree.mostLines) lines"
    reject(
      nil, file, piece,
      Diagnostic(.noteTooLarge, message, at: Place(file: paths.shown(file.path))))
  }

  /// Adds a note that is not a record as a possible link target.
  func leaveOut(_ file: VaultFile, _ piece: NotePiece, _ locator: VaultLocator) {
    _ = locator.add(file.path)
    piece.linked.append(
      NotePiece.Linked(path: paths.inVault(file.path), id: "", title: "", aliases: [], links: nil))
  }

  private func read(
    _ file: VaultFile, _ text: Span<UInt8>, _ decoded: DecodedText, into piece: NotePiece,
    _ locator: VaultLocator
  ) {
    let path = paths.inVault(file.path)
    let shown = paths.shown(file.path)
    let findings = NoteFindings(piece.findings, file: shown)
    if decoded.encoding != .utf8 { findings.encoding(decoded.encoding, decoded.certainty) }
    var note = parser.parse(text, path: path)
    guard note.tree.isRead else { return tooLarge(file, piece, locator) }
    if !paths.isNote, paths.members == nil, note.metadata.type == nil, note.metadata.member("id") == nil,
      let what = FolderNote.of(file, note, text)
    {
      _ = locator.add(file.path)
      link(note, "", path, text, decoded, piece)
      return findings.aboutTheFolder(what)
    }
    if let marker = ConflictLines.first(in: text) {
      leaveOut(file, piece, locator)
      return reject(text, file, piece, findings.conflict(marker, note.title, text))
    }
    let supplement = paths.place.notes[path]
    note.add(supplement, Array(text))
    findings.report(note, text, counts: &piece.counts)
    if explains { explain(note.judgement, shown, piece) }
    var around = NoteJSON.Surroundings(
      derivedID: supplement.id ?? paths.place.derivedID(at: path), fileTime: file.modified)
    note = note.withCurrentStatus(text, around)
    let original = NoteOriginal(
      path: path, encoding: decoded.encoding, hadBOM: decoded.hadBOM,
      hasDerivedID: note.metadata.member("id") == nil)
    let isRendered = paths.members?.isRendered ?? paths.memory?.isRendered(bytes.bytes.span, at: path) ?? false
    if paths.members?.isMade != true, !(isRendered && NoteOriginal.isAllSaid(note, text)) {
      around.original = original.members(of: note, text)
    }
    let start = piece.batch.source.count
    NoteJSON(note: note).write(text, around, into: &piece.batch.source)
    let number = locator.add(file.path)
    let id = append(note, number: number, shown: shown, from: start, into: piece, locator)
    if let tickCharter, id != nil {
      let made = NoteTicks.appendExecution(
        of: note, charter: tickCharter, time: file.modified, to: piece.batch, &canonicalizer)
      piece.counts.addTicks(made, of: file)
    }
    if original.hasDerivedID, paths.members == nil, let id { piece.nameless.append((paths.real(file.path), id)) }
    link(note, id ?? "", path, text, decoded, piece)
  }

  func link(
    _ note: ParsedNote, _ id: String, _ path: String, _ text: Span<UInt8>, _ decoded: DecodedText,
    _ piece: NotePiece
  ) {
    // Links are not collected from standard input, which has no neighboring files, or from packs, whose links are
    // checked by rules.
    if paths.source == "-" || paths.members != nil { return }
    piece.linked.append(
      NotePiece.Linked(
        path: path, id: id, title: note.title, aliases: note.metadata.aliases,
        links: NoteLinks(text, body: note.body, tree: note.tree, scan: &scan, keepsLines: decoded.encoding != .utf8)))
  }

  /// Makes a record from the draft at the end of the batch's source. A canonical draft is used without a copy, which is
  /// almost always possible for a guide.
  /// - Returns: the record's id; nil if the draft cannot be used.
  func append(
    _ note: ParsedNote, number: Int32, shown: String, from start: Int, into piece: NotePiece, _ locator: VaultLocator
  ) -> String? {
    let batch = piece.batch
    let parse: JSONParse
    do throws(JSONError) {
      parse = try batch.tape.parse(batch.source.bytes.span, in: start..<batch.source.count)
    } catch {
      // No value refers to the draft yet, so its bytes can be removed.
      batch.source.truncate(to: start)
      piece.findings.report(Diagnostic(.notText, error.message, at: Place(file: shown)))
      let reason = RejectReason(code: DiagnosticCode.notText.id, message: error.message, place: shown)
      batch.rejected.append(RejectedRecord(kind: .item, bytes: Array("null".utf8), place: shown, reasons: [reason]))
      return nil
    }
    let node = JSONNode(text: batch.source.start, tokens: batch.tape.tokens, index: parse.root)
    if CanonicalCheck.isCanonical(node, kind: .item, traits: parse.traits) {
      var slot = RecordSlot(
        kind: .item, inSource: true, start: start, length: batch.source.count - start, root: parse.root)
      slot.sourceFile = number
      batch.slots.append(slot)
      let id = RecordLine.id(of: batch.line(slot).span)
      // With line ends included, consecutive lines can be written in one piece.
      batch.source.append(0x0A)
      return id
    }
    defer {
      batch.source.truncate(to: start)
      batch.tape.truncate(to: parse.root)
    }
    let begin = batch.canonical.count
    canonicalizer.writeRecord(node, kind: .item, derivedID: { CanonicalUUID.zero }, into: &batch.canonical)
    batch.appendSlot(.item, from: begin)
    batch.slots[batch.slots.count - 1].sourceFile = number
    let issues = canonicalizer.issues
    let record = Record(batch: batch, index: batch.slots.count - 1)
    guard !issues.isEmpty else { return record.id }
    let found = issues.map { issue in
      Diagnostic(
        issue.code, issue.message, at: locator.locate(.value, of: record, at: issue.pointer).place,
        record: "item \(record.id)", title: note.title, severity: issue.severity, fix: issue.fix)
    }
    for finding in found { piece.findings.report(finding) }
    guard canonicalizer.rejected else { return record.id }
    let errors = found.filter { $0.code.severity == .error }
    batch.slots.removeLast()
    batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: batch.source.copy(start..<batch.source.count), place: shown,
        reasons: errors.map { RejectReason(code: $0.code.id, message: $0.message, place: $0.place.description) }))
    batch.canonical.truncate(to: begin)
    return nil
  }

  private func explain(_ judgement: NoteClassification, _ file: String, _ piece: NotePiece) {
    piece.explanations.append(
      Explanation(
        file: file, takenFor: judgement.type.rawValue.replacing("_", with: " "), certainty: judgement.certainty,
        reasons: judgement.reasons))
  }

  /// Rejects a file that cannot be read.
  /// - Parameter bytes: the bytes to keep in the rejects; nil to keep only the file's path.
  func reject(
    _ bytes: Span<UInt8>?, _ file: VaultFile, _ piece: NotePiece, _ finding: Diagnostic
  ) {
    piece.findings.report(finding)
    var json = ByteBuffer(capacity: (bytes?.count ?? 0) * 4 / 3 + 256)
    json.append("{\"kind\":\"foreign\",\"system\":\"file\",\"type\":\"note\",\"path\":")
    json.appendJSONString(paths.inVault(file.path))
    if let bytes {
      json.append(",\"base64\":\"")
      json.append(utf8: bytes.withUnsafeBufferPointer { Data($0) }.base64EncodedString())
      json.append("\"")
    }
    json.append("}")
    piece.batch.rejected.append(
      RejectedRecord(
        kind: .item, bytes: json.copy(0..<json.count), place: finding.place.description,
        reasons: [
          RejectReason(code: finding.code.id, message: finding.message, place: finding.place.description)
        ]))
  }

  // MARK: Decks of cards

  /// Examines a note in a folder that may be a deck.
  /// - Throws: `RunFailure` if the note cannot be read from the disk.
  func glance(_ file: VaultFile) throws -> CardFolders.Note? {
    try withText(of: file) { text, _ in
      let note = parser.parse(text, path: paths.inVault(file.path))
      return CardFolders.Note(
        path: paths.inVault(file.path), declaresType: note.metadata.type != nil, text: text, body: note.body)
    }
  }

  /// Reads a folder with one note per card as a deck.
  /// - Throws: `RunFailure` if a note cannot be read from the disk.
  func read(_ found: DeckSearch.Deck) throws -> NotePiece {
    let folder = found.folder
    let files = found.files
    let locator = VaultLocator(paths, parser: parser)
    let piece = NotePiece(
      batch: RecordBatch(
        locator: locator, traits: locator.traits, origin: locator, source: ByteBuffer(capacity: 1 << 14)))
    let id = paths.place.deckID(of: folder.path + "/")
    let supplement = paths.place.notes[folder.path + "/"]
    var texts: [UInt8] = []
    var deck = DeckDraft()
    var language: String?
    var original = ByteBuffer(capacity: 1 << 12)
    original.append("\"path\":")
    original.appendJSONString(folder.path + "/")
    original.append(",\"cards\":[")
    var isConflict = false
    for file in files {
      piece.size += file.size
      _ = try withText(of: file) { text, decoded in
        let note = parser.parse(text, path: paths.inVault(file.path))
        if let marker = ConflictLines.first(in: text) {
          isConflict = true
          let findings = NoteFindings(piece.findings, file: paths.shown(file.path))
          return reject(text, file, piece, findings.conflict(marker, note.title, text))
        }
        deck.cards.append(Self.card(note, file, text))
        if !supplement.isEmpty { texts.append(contentsOf: text) }
        language = language ?? LetterLanguage.infer(text, in: note.body)
        if deck.cards.count > 1 { original.append(UInt8(ascii: ",")) }
        let own = NoteOriginal(
          path: paths.inVault(file.path), encoding: decoded.encoding, hadBOM: decoded.hadBOM, hasDerivedID: false)
        original.append(UInt8(ascii: "{"))
        original.append(own.members(of: note, text, keepsBody: true).span)
        original.append(UInt8(ascii: "}"))
        link(note, id, paths.inVault(file.path), text, decoded, piece)
      }
    }
    original.append(UInt8(ascii: "]"))
    // Without these notes, the deck would appear to have lost cards.
    for file in found.unread { try leaveOut(card: file, piece, locator) }
    if isConflict || !found.unread.isEmpty { return piece }
    let judgement = NoteClassification(
      type: .flashcardDeck, certainty: 90,
      reasons: [
        Explanation.Reason("\(files.count) short notes in a card folder", weight: 60),
        Explanation.Reason("none of them declares another type", weight: 20),
      ])
    var note = ParsedNote(body: 0..<0, judgement: judgement, title: Self.title(folder.path))
    note.content = .deck(deck)
    note.inferredLanguage = language
    note.add(supplement, texts)
    let shown = paths.shown(paths.fromFolder(folder.path))
    NoteFindings(piece.findings, file: shown).report(
      note, Span(), counts: &piece.counts)
    if explains { explain(judgement, shown, piece) }
    let around = NoteJSON.Surroundings(
      derivedID: id, fileTime: files.map(\.modified).max() ?? Timestamp(milliseconds: 0),
      original: original.copy(0..<original.count))
    NoteJSON(note: note).write(Span(), around, into: &piece.batch.source)
    let number = locator.add(deck: files.map(\.path))
    _ = append(note, number: number, shown: shown, from: 0, into: piece, locator)
    return piece
  }

  /// Leaves out a note that may be a card of a deck but cannot be read as a card.
  private func leaveOut(card file: VaultFile, _ piece: NotePiece, _ locator: VaultLocator) throws {
    if file.size > NoteBytes.largest { return tooLarge(file, piece, locator) }
    piece.size += file.size
    leaveOut(file, piece, locator)
    let findings = NoteFindings(piece.findings, file: paths.shown(file.path))
    let done: Void? = try withText(of: file) { text, _ in
      let note = parser.parse(text, path: paths.inVault(file.path))
      if let marker = ConflictLines.first(in: text) {
        return reject(text, file, piece, findings.conflict(marker, note.title, text))
      }
      let reason =
        file.size > CardFolders.longestNote
        ? "it is larger than 16 KiB"
        : note.metadata.type != nil
          ? "it declares another type"
          : "it is empty, is longer than 2 KB, or contains headings or several cards"
      reject(text, file, piece, findings.unreadCard(reason, note.title))
    }
    if done == nil { rejectWithoutText(file, piece, findings.unreadCard("it is not text", nil)) }
  }

  /// Returns a note as a card, with the id and tags from its front matter.
  static func card(_ note: ParsedNote, _ file: VaultFile, _ text: Span<UInt8>) -> CardDraft {
    var card = CardFolders.card(fromFile: file.name, text, body: note.body)
    let place = note.body.lowerBound..<note.body.lowerBound
    if let id = note.metadata.member("id").flatMap({ Self.string($0.json) }) {
      card.id = card.id ?? SourcedText(bytes: Array(id.utf8), range: place)
    }
    if card.tags.isEmpty, let json = note.metadata.member("tags")?.json,
      let tags = try? JSONDocument(parsing: json).root.elements.compactMap(\.string)
    {
      card.tags = tags.map { SourcedText(bytes: Array($0.utf8), range: place) }
    }
    return card
  }

  private static func string(_ json: [UInt8]) -> String? { try? JSONDocument(parsing: json).root.string }

  private static func title(_ path: String) -> String {
    String(path.split(separator: "/").last ?? "").precomposed
  }
}

extension String {
  /// The text in NFC, the normal form of file names on Linux and Windows; macOS uses NFD.
  var precomposed: String { utf8.allSatisfy { $0 < 0x80 } ? self : precomposedStringWithCanonicalMapping }
}

/// Some notes of a vault that were read on one thread: their records, and the data to be combined with the data of
/// other pieces.
final class NotePiece: @unchecked Sendable {
  /// A note as a link target.
  struct Linked {
    let path: String
    /// The record's id; empty for a note that is not a record.
    let id: String
    let title: String
    let aliases: [String]
    /// The note's own links; nil for a note that could not be read.
    let links: NoteLinks?
  }

  let batch: RecordBatch
  /// The findings with their positions.
  let findings = DiagnosticLog(keepPerCode: .max)
  /// The notes as link targets, sorted by path.
  var linked: [Linked] = []
  var explanations: [Explanation] = []
  /// The notes without an id, and the ids of their records.
  var nameless: [(file: String, id: String)] = []
  /// The counts that are reported once for all notes.
  var counts = NoteCounts()
  /// The total size of the files, in bytes.
  var size = 0

  init(batch: RecordBatch) { self.batch = batch }
}

/// Counts over the notes of a vault. Each count is reported once, because a finding for each note would hide the other
/// findings.
struct NoteCounts: Sendable {
  /// The number of notes whose language was recognized by their letters, for each language.
  var languages: [String: Int] = [:]
  /// The number of notes whose times were taken from their files.
  var timesFromFile = 0
  /// The number of ticks, the number of notes with ticks, and the position of the first tick.
  var ticks = 0
  var tickedNotes = 0
  var firstTick: Place?
  /// The number of ticks in executions, and the most recently modified file with such a tick.
  var madeTicks = 0
  var lastTick: (file: String, time: Timestamp)?

  /// Counts the ticks of an execution.
  mutating func addTicks(_ made: Int, of file: VaultFile) {
    guard made > 0 else { return }
    madeTicks += made
    if lastTick.map({ $0.time < file.modified }) ?? true { lastTick = (file.path, file.modified) }
  }

  /// Adds the counts of another piece.
  mutating func add(_ other: NoteCounts) {
    languages.merge(other.languages) { $0 + $1 }
    timesFromFile += other.timesFromFile
    ticks += other.ticks
    tickedNotes += other.tickedNotes
    firstTick = firstTick ?? other.firstTick
    madeTicks += other.madeTicks
    if let last = other.lastTick, lastTick.map({ $0.time < last.time }) ?? true { lastTick = last }
  }
}

/// Reads whole files into reused memory.
enum NoteBytes {
  /// The maximum size of a note, in bytes.
  static let largest = MarkdownTree.longest

  /// Reads a file and appends it to `out`.
  /// - Throws: `RunFailure` with status 2 if the file cannot be read or is larger than `largest`.
  static func read(_ path: String, size: Int, into out: inout ByteBuffer) throws {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
    defer { close(descriptor) }
    try read(descriptor, path, size: size, into: &out)
  }

  /// Reads a descriptor to its end.
  static func read(_ descriptor: Int32, _ path: String, size: Int, into out: inout ByteBuffer) throws {
    let start = out.count
    // Reading one byte more than expected shows whether the end was reached.
    var room = max(size, 0) + 1
    while true {
      let got = try out.append(room: room) { (room: UnsafeMutableRawBufferPointer) throws -> Int in
        let got = FileRead.some(descriptor, into: room)
        guard got >= 0 else { throw RunFailure(.failed, "read '\(path)': \(SystemError.last)") }
        return got
      }
      if got == 0 { return }
      if got < room, out.count - start == size { return }
      room = 1 << 16
      guard out.count - start <= largest else {
        throw RunFailure(.failed, "read '\(path)': the file is larger than \(largest >> 20) MB, the limit for notes")
      }
    }
  }
}

/// The original of a note as it was typed, which the record keeps so that the note can be written back unchanged.
/// - Source: formats/markdown.md, "What a record keeps of a note"
struct NoteOriginal {
  /// The note's path in its vault.
  let path: String
  let encoding: TextEncoding
  let hadBOM: Bool
  /// Whether the note has no id, so that the id is derived from the vault and the path.
  let hasDerivedID: Bool

  /// Whether a record contains all content of a note, so that without the original only the note's spelling is lost.
  ///
  /// The result is true for every note that FleetKit rendered. It is false if the note has YAML comments, keys that are
  /// not members, values that cannot be used, or body text that is in no value of the record.
  static func isAllSaid(_ note: ParsedNote, _ text: Span<UInt8>) -> Bool {
    guard let range = note.frontMatter, note.yamlError == nil, note.metadata.member("id") != nil,
      note.metadata.problems.allSatisfy({ $0.code == .misspelledFrontMatter && !$0.isAboutKey }), !note.hasUnusedText
    else { return false }
    // The continuation lines of a multi-line value must not look like other keys either.
    let areMembers = range.split { text[$0] == 0x0A }.allSatisfy { line in
      let end = line.first { text[$0] == UInt8(ascii: ":") } ?? line.upperBound
      let name = String(decoding: text.extracting(line.lowerBound..<end))
      return MetadataKeys.key(spelled: name)?.name == name
    }
    // A comment has a `#` that is in no value.
    return areMembers && range.count { text[$0] == UInt8(ascii: "#") } == note.metadata.numberSigns
  }

  /// Returns the members of `extras.markdown` without the braces.
  /// - Parameter keepsBody: whether the body is also kept. The body of a guide is the guide itself, so only its hash is
  ///   kept.
  func members(of note: ParsedNote, _ text: Span<UInt8>, keepsBody: Bool? = nil) -> [UInt8] {
    var json = ByteBuffer(capacity: 512)
    json.append("\"path\":")
    json.appendJSONString(path)
    if let range = note.frontMatterBlock {
      json.append(",\"front_matter\":")
      json.appendJSONString(text.extracting(range))
    }
    var isGuide = false
    if case .guide = note.content { isGuide = true }
    let body = text.extracting(note.body)
    if keepsBody ?? !isGuide {
      json.append(",\"text\":")
      json.appendJSONString(body)
    } else {
      json.append(",\"text_hash\":")
      json.appendJSONString(String(decoding: FastHash.digits(of: body), as: UTF8.self))
    }
    if hasDerivedID { json.append(",\"derived_id\":true") }
    if hadBOM { json.append(",\"bom\":true") }
    if encoding != .utf8 {
      json.append(",\"encoding\":")
      json.appendJSONString(encoding.rawValue)
    }
    return Array(json.bytes)
  }
}
