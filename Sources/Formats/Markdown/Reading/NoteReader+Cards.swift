import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText

extension NoteReader {
  /// Looks at a note that lies in a folder which may be a deck.
  /// - Throws: `RunFailure` when it cannot be read from the disk.
  func glance(_ file: VaultFile) throws -> CardFolders.Note? {
    try withText(of: file) { text, _ in
      let note = parser.parse(text, path: paths.inVault(file.path))
      return CardFolders.Note(
        path: paths.inVault(file.path), declaresType: note.metadata.type != nil, text: text, body: note.body)
    }
  }

  /// Reads a folder with one note for each card as a deck.
  /// - Throws: `RunFailure` when one of them cannot be read from the disk.
  func read(_ found: DeckSearch.Deck) throws -> NotePiece {
    let folder = found.folder
    let files = found.files
    let locator = VaultLocator(paths, parser: parser)
    let piece = NotePiece(batch: RecordBatch(locator: locator, source: ByteBuffer(capacity: 1 << 14)))
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
        if !supplement.isEmpty { texts += text }
        language = language ?? LetterLanguage.infer(text, in: note.body)
        if deck.cards.count > 1 { original.append(UInt8(ascii: ",")) }
        let own = NoteOriginal(
          path: paths.inVault(file.path), encoding: decoded.encoding, hadBOM: decoded.hadBOM, hasDerivedID: false)
        original.append(UInt8(ascii: "{"))
        own.members(of: note, text, keepsBody: true).withUnsafeBufferPointer { original.append($0) }
        original.append(UInt8(ascii: "}"))
        link(note, id, paths.inVault(file.path), text, decoded, piece)
      }
    }
    original.append(UInt8(ascii: "]"))
    // Without that note the deck would be one that has lost a card.
    for file in found.unread { try leaveOut(card: file, piece, locator) }
    if isConflict || !found.unread.isEmpty { return piece }
    let judgement = Judgement(
      type: .flashcardDeck, certainty: 90,
      reasons: [
        Explanation.Reason("\(files.count) short notes in a folder for cards", weight: 60),
        Explanation.Reason("none of them declares to be anything else", weight: 20),
      ])
    var note = ParsedNote(body: 0..<0, judgement: judgement, title: Self.title(folder.path))
    note.content = .deck(deck)
    note.inferredLanguage = language
    note.add(supplement, texts)
    let shown = paths.shown(paths.fromFolder(folder.path))
    NoteFindings(piece.findings, file: shown).report(
      note, UnsafeBufferPointer(start: nil, count: 0), counts: &piece.counts)
    if explains { explain(judgement, shown, piece) }
    let around = NoteJSON.Surroundings(
      derivedID: id, fileTime: files.map(\.modified).max() ?? Timestamp(milliseconds: 0),
      original: original.copy(0..<original.count))
    NoteJSON(note: note, text: UnsafeBufferPointer(start: nil, count: 0)).write(around, into: &piece.batch.source)
    let number = locator.add(deck: files.map(\.path))
    _ = append(note, number: number, shown: shown, from: 0, into: piece, locator)
    return piece
  }

  /// Puts aside a note that may be a card of a deck, and cannot be read as one.
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
          ? "it says that it is of another type"
          : "it is empty or longer than 2 KB, or has headings or several cards in it"
      reject(text, file, piece, findings.unreadCard(reason, note.title))
    }
    if done == nil { rejectWithoutText(file, piece, findings.unreadCard("it is no text", nil)) }
  }

  /// A note as a card: what its front matter says of id and tags counts.
  static func card(_ note: ParsedNote, _ file: VaultFile, _ text: UnsafeBufferPointer<UInt8>) -> CardDraft {
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
