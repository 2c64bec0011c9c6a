import Diagnostics

/// Finds the folders of a vault that are decks, and the notes that keep a deck from being read whole.
///
/// A card whose note is still there and cannot be read as a card has not been deleted: without it the deck would be
/// one that has lost the card.
struct DeckSearch {
  /// A folder that is a deck.
  struct Deck {
    var folder: CardFolders.Folder
    /// The notes of its cards, in the order of the cards.
    var files: [VaultFile]
    /// Notes that may be cards of it, and cannot be read as such.
    var unread: [VaultFile]
  }

  /// What a folder has.
  private struct Content {
    var cards: [VaultFile] = []
    var unread: [VaultFile] = []
    /// Whether one of `cards` has been written as a card.
    var wasWritten = false
  }

  private let paths: VaultPaths
  private var notes: [CardFolders.Note] = []
  private var contents: [String: Content] = [:]
  private var files: [String: VaultFile] = [:]

  init(_ paths: VaultPaths) { self.paths = paths }

  /// The decks among notes that lie in folders for cards.
  /// - Throws: `RunFailure` when a note cannot be read from the disk.
  static func find(_ candidates: [VaultFile], _ paths: VaultPaths, _ reader: NoteReader) throws -> [Deck] {
    if candidates.isEmpty { return [] }
    var search = DeckSearch(paths)
    let written = paths.memory?.cards ?? [:]
    for file in candidates {
      let note = file.size <= CardFolders.longestNote ? try reader.glance(file) : nil
      search.add(file, note, isWrittenCard: written[paths.inVault(file.path).precomposed])
    }
    return search.decks
  }

  /// Looks at a note.
  /// - Parameter isWrittenCard: whether it was written as a card; nil where nobody knows.
  private mutating func add(_ file: VaultFile, _ note: CardFolders.Note?, isWrittenCard: Bool?) {
    let path = paths.inVault(file.path)
    if let note {
      notes.append(note)
      files[path] = file
    }
    guard CardFolders.mayBeCard(path), let slash = path.lastIndex(of: "/") else { return }
    let folder = String(path[..<slash])
    if note?.isCardLike ?? false {
      contents[folder, default: Content()].cards.append(file)
      if isWrittenCard ?? false { contents[folder]?.wasWritten = true }
    } else if isWrittenCard ?? (note == nil) {
      contents[folder, default: Content()].unread.append(file)
    }
  }

  private var decks: [Deck] {
    var decks = CardFolders.find(notes).map { folder in
      Deck(folder: folder, files: folder.files.compactMap { files[$0] }, unread: contents[folder.path]?.unread ?? [])
    }
    let found = Set(decks.map(\.folder.path))
    // Folders that are no decks because of such a note. Where no card is left, all of them were made something else.
    for (path, content) in contents where !found.contains(path) && content.wasWritten && !content.unread.isEmpty {
      let folder = CardFolders.Folder(path: path, files: content.cards.map { paths.inVault($0.path) })
      decks.append(Deck(folder: folder, files: content.cards, unread: content.unread))
    }
    return decks.sorted { $0.folder.path.utf8.lexicographicallyPrecedes($1.folder.path.utf8) }
  }
}
