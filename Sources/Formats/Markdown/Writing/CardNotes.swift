import Content
import Foundation
import JSONText
import MarkdownText

/// The notes of a deck that was read from a folder with one note per card.
struct CardNotes {
  /// The note of a card.
  struct Note {
    let path: String
    /// The bytes that were read.
    let original: [UInt8]
    /// The bytes to write now.
    var bytes: [UInt8]
  }

  /// The folder's path, with a trailing slash.
  let folder: String
  let notes: [Note]

  /// Creates the notes from the originals in a record.
  /// - Returns: nil for records that were not read from such a folder or that its notes cannot express. The notes
  ///   cannot express a changed number or order of cards, or a changed front that is a file name.
  init?(_ record: NoteRecord) {
    guard let (folder, notes) = Self.kept(record) else { return nil }
    self.folder = folder
    let read = Self.read(notes, as: record)
    if let read, record.hasSameBody(as: read.record) {
      self.notes = notes
      return
    }
    guard let read, let before = read.record.withBody(DraftsFromRecord.deck),
      let wanted = record.withBody(DraftsFromRecord.deck), before.cards.count == wanted.cards.count
    else { return nil }
    self.notes = notes.indices.map { index in
      var note = notes[index]
      let (old, new, place) = (before.cards[index], wanted.cards[index], read.deck.cards[index])
      for (old, new, place) in [(old.back, new.back, place.back), (old.front, new.front, place.front)]
      where old.bytes != new.bytes && !place.range.isEmpty {
        let lines = new.bytes.split(separator: 0x0A, omittingEmptySubsequences: false)
        let lineEnd =
          LineEnd.first(in: note.bytes[place.range]) ?? LineEnd.first(in: note.original) ?? LineEnd.standard
        note.bytes.replaceSubrange(place.range, with: Array(lines.joined(separator: lineEnd)))
      }
      return note
    }
    // The written notes must be read back as this deck; otherwise the deck is not written in this form.
    guard let again = Self.read(self.notes, as: record), record.hasSameBody(as: again.record) else { return nil }
  }

  /// Reads notes as a deck, with positions in the notes' bytes.
  private static func read(_ notes: [Note], as record: NoteRecord) -> (deck: DeckDraft, record: NoteRecord)? {
    var deck = DeckDraft()
    for note in notes {
      let start = note.bytes.starts(with: mark) ? mark.count : 0
      let bytes = note.bytes.span.extracting(droppingFirst: start)
      let parsed = NoteParser(infer: .auto).parse(bytes, path: note.path)
      let file = VaultFile(path: note.path, size: bytes.count, modified: Timestamp(milliseconds: 0))
      var card = NoteReader.card(parsed, file, bytes)
      card.front.range = card.front.range.lowerBound + start..<card.front.range.upperBound + start
      card.back.range = card.back.range.lowerBound + start..<card.back.range.upperBound + start
      deck.cards.append(card)
    }
    var note = ParsedNote(
      body: 0..<0, judgement: NoteClassification(type: .flashcardDeck, certainty: 100), title: record.title)
    note.content = .deck(deck)
    let around = NoteJSON.Surroundings(derivedID: record.id, fileTime: Timestamp(milliseconds: 0))
    guard let line = CanonicalLine.of(note, Span(), around),
      let read = NoteRecord(line.span)
    else { return nil }
    return (deck, read)
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// Returns the folder and the notes in a record; nil if the record is not a deck that was read from a card folder.
  static func kept(_ record: NoteRecord) -> (folder: String, notes: [Note])? {
    record.type == .flashcardDeck ? record.withRoot { kept(in: $0) } : nil
  }

  private static func kept(in root: JSONNode) -> (folder: String, notes: [Note])? {
    guard let kept = root.member("extras")?.member("markdown"), let folder = kept.member("path")?.string,
      folder.hasSuffix("/"), let cards = kept.member("cards")
    else { return nil }
    let start = folder.precomposedStringWithCanonicalMapping
    var notes: [Note] = []
    var areWhole = true
    cards.forEachElement { card in
      guard areWhole, let path = card.member("path")?.string.flatMap(VaultPath.safe),
        path.utf8.starts(with: start.utf8), let body = card.member("text")?.string
      else { return areWhole = false }
      var bytes = card.member("bom")?.bool ?? false ? mark : []
      bytes += card.member("front_matter")?.string.map { OriginalFrontMatter(Array($0.utf8)).typed } ?? []
      bytes += body.utf8
      notes.append(Note(path: path, original: bytes, bytes: bytes))
    }
    return areWhole && !notes.isEmpty ? (folder, notes) : nil
  }
}
