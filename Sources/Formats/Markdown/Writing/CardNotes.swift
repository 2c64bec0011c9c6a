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
  init?(_ line: UnsafeBufferPointer<UInt8>) {
    guard let document = try? JSONDocument(parsing: line), let record = NoteRecord(line),
      record.type == .flashcardDeck, let kept = document.root["extras"]?["markdown"],
      let folder = kept["path"]?.string, folder.hasSuffix("/"), let cards = kept["cards"]?.elements, !cards.isEmpty
    else { return nil }
    var notes: [Note] = []
    var deck = DeckDraft()
    for card in cards {
      guard let path = card["path"]?.string.flatMap(VaultPath.safe),
        path.utf8.starts(with: folder.precomposedStringWithCanonicalMapping.utf8), let body = card["text"]?.string
      else { return nil }
      let text =
        (card["front_matter"]?.string.map { OriginalFrontMatter(Array($0.utf8)).typed } ?? []) + Array(body.utf8)
      notes.append(Note(path: path, bytes: (card["bom"]?.bool ?? false ? [0xEF, 0xBB, 0xBF] : []) + text))
      text.withUnsafeBufferPointer { bytes in
        let note = NoteParser(infer: .auto).parse(bytes, path: path)
        let file = VaultFile(path: path, size: bytes.count, modified: Timestamp(milliseconds: 0))
        deck.cards.append(NoteReader.card(note, file, bytes))
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
}

extension NoteRecord {
  /// Whether the bodies of two records mean the same.
  func saysTheSameBody(as other: NoteRecord) -> Bool {
    guard type == other.type else { return false }
    let mine: [UInt8]? = withBody { Array($0.raw) }
    let theirs: [UInt8]? = other.withBody { Array($0.raw) }
    return Self.same(mine, theirs)
  }
}
