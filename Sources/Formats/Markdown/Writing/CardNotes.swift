import Content
import Foundation
import JSONText
import MarkdownText

/// The notes of a deck that was read from a folder with one note for each card, as long as they still say the deck.
struct CardNotes {
  /// A note of a card.
  struct Note {
    let path: String
    let bytes: [UInt8]
  }

  /// The folder, with a slash at its end.
  let folder: String
  let notes: [Note]

  /// Takes the notes that a record keeps.
  /// - Returns: nil for records that were not read from such a folder, or say something else by now.
  init?(_ record: NoteRecord) {
    guard record.type == .flashcardDeck, let (folder, notes) = record.withRoot({ Self.kept(in: $0) }) else {
      return nil
    }
    var deck = DeckDraft()
    for note in notes {
      let start = note.bytes.starts(with: Self.mark) ? Self.mark.count : 0
      note.bytes.withUnsafeBufferPointer { all in
        let bytes = UnsafeBufferPointer(rebasing: all[start...])
        let parsed = NoteParser(infer: .auto).parse(bytes, path: note.path)
        let file = VaultFile(path: note.path, size: bytes.count, modified: Timestamp(milliseconds: 0))
        deck.cards.append(NoteReader.card(parsed, file, bytes))
      }
    }
    self.folder = folder
    self.notes = notes
    // What is written is read as this deck again, or it is not written this way.
    var note = ParsedNote(
      body: 0..<0, judgement: Judgement(type: .flashcardDeck, certainty: 100), title: record.title)
    note.content = .deck(deck)
    let around = NoteJSON.Surroundings(derivedID: record.id, fileTime: Timestamp(milliseconds: 0))
    guard let own = CanonicalLine.of(note, UnsafeBufferPointer(start: nil, count: 0), around),
      let other = own.withUnsafeBufferPointer({ NoteRecord($0) }), record.saysTheSameBody(as: other)
    else { return nil }
  }

  private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

  /// The folder and the notes that the extras of a deck keep; nil where it was read from no such folder.
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
      notes.append(Note(path: path, bytes: bytes))
    }
    return areWhole && !notes.isEmpty ? (folder, notes) : nil
  }
}
