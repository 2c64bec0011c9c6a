import Content
import Foundation
import Interchange
import JSONText

/// Decks that were read from folders of cards: a note for each card.
extension VaultWriter {
  /// Stages the notes of a deck that was read from a folder of cards; nil for all other items.
  func stageCards(
    _ record: NoteRecord, _ line: UnsafeBufferPointer<UInt8>, _ library: String?
  ) throws -> Destination? {
    let id = record.id
    guard staging.place != .nowhere, !ids.contains(id), names.existing(id) == nil else { return nil }
    guard let deck = CardNotes(record) else { return leaveCards(record) }
    guard mayPlace(deck, id: id) else { return nil }
    ids.insert(id)
    let changed = deck.notes.filter { note in
      staging.place != .existingFolder || !FileBytes.holds(staging.target + "/" + note.path, note.bytes)
    }
    // All of a deck's notes are written, or none.
    if staging.place == .existingFolder {
      for note in changed {
        if let reason = reasonToLeave(note) {
          for other in deck.notes { leave(other.path) }
          return .nowhere(path: note.path, reason)
        }
      }
    }
    decks.add(deck.folder, id: id, derived: place.map { $0.derivedDeckID(of: $0.prefix + deck.folder) })
    var supplement = NoteSupplement(timesOf: record)
    supplement.text = NoteSupplement.hash(deck.notes.flatMap { NoteText.decoded($0.bytes) })
    supplements.add(deck.folder, supplement)
    for note in deck.notes {
      names.give(note.path)
      cardCount += 1
      cardBytes += note.bytes.count
      written.add(note.path, WrittenNotes.entry(note.bytes, of: line, library: library))
    }
    var outcome = \KindTally.unchanged
    for note in changed {
      let isNew = VaultPath.entry(at: staging.target + "/" + note.path) == .nothing
      outcome = isNew && outcome != \.updated ? \.created : \.updated
      let name = "card-\(cards.count)"
      try FileBytes.write(note.bytes, to: staging.path + "/" + name)
      if !isNew { FileBytes.takeMode(of: staging.target + "/" + note.path, for: staging.path + "/" + name) }
      cards.append((name, note.path))
    }
    return .cards(outcome)
  }

  /// Leaves the notes of a deck that they do not say any more; nil where they are not in this vault.
  private func leaveCards(_ record: NoteRecord) -> Destination? {
    guard let place, let (folder, notes) = CardNotes.kept(record), place.deckID(of: place.prefix + folder) == record.id,
      let path = notes.lazy.map(\.path).first(where: names.isThere)
    else { return nil }
    ids.insert(record.id)
    for note in notes where names.isThere(note.path) { leave(note.path) }
    return .nowhere(path: path, .cannotExpress)
  }

  /// Why the note of a card must not be replaced; nil when it may, or is not there.
  private func reasonToLeave(_ note: CardNotes.Note) -> LeftNote? {
    let path = staging.target + "/" + note.path
    guard VaultPath.entry(at: path) != .nothing else { return nil }
    // The deck has its notes as they were read last, so one that is something else was edited.
    guard let there = FileBytes.bytes(path, limit: Self.longest),
      there == note.original || written.answer(there, at: note.path) == .same
    else { return .edited }
    return LeftNote.isWritable(path) ? nil : .readOnly
  }

  /// Whether the notes of a deck may stand where they stood: nobody else has their paths, and what is there already is
  /// the same or was read as this deck.
  private func mayPlace(_ deck: CardNotes, id: String) -> Bool {
    guard Set(deck.notes.map { VaultPath.folded($0.path) }).count == deck.notes.count else { return false }
    let isOurs = place.map { $0.deckID(of: $0.prefix + deck.folder) == id } ?? false
    return deck.notes.allSatisfy { note in
      let folders = VaultPath.folders(of: note.path).map { VaultPath.entry(at: staging.target + "/" + $0) }
      guard names.hasFreeFolders(note.path), folders.allSatisfy({ $0 == .nothing || $0 == .folder }) else {
        return false
      }
      if names.isFree(note.path) { return true }
      let path = staging.target + "/" + note.path
      return names.isThere(note.path) && VaultPath.entry(at: path) == .file
        && (isOurs || FileBytes.holds(path, note.bytes))
    }
  }
}
