import Content
import Diagnostics
import Foundation

/// Finds folders that are decks with one note per card, and reads the cards.
///
/// A folder is a deck if two conditions hold. First, the folder or its parent has a name like `flashcards` or
/// `карточки`. Second, the folder has at least two notes, none of them declares another type, each body is at most 2 KB
/// long, and no note has headings apart from a title. READMEs, index notes and a note with the folder's name are
/// neither counted nor used as cards.
enum CardFolders {
  /// The properties of a note that are needed to find the deck folders.
  struct Note: Sendable {
    /// The note's path in the vault.
    var path: String
    /// Whether the note's body can be the back of a card.
    var isCardLike: Bool

    /// Examines a note.
    /// - Parameter declaresType: whether the front matter declares a checklist, a guide or a deck.
    init(path: String, declaresType: Bool, text: Span<UInt8>, body: Range<Int>) {
      self.path = path
      isCardLike = !declaresType && body.count <= CardFolders.longestBody && CardFolders.isPlain(text, body)
    }
  }

  /// A folder that is a deck.
  struct Folder: Sendable, Equatable {
    /// The folder's path in the vault; the last path component is the deck's title.
    var path: String
    /// The paths of the cards, sorted bytewise.
    var files: [String]
  }

  /// The maximum length of a card's body, in bytes.
  private static let longestBody = 2048
  /// The maximum length of a card's note, in bytes, including the front matter.
  static let longestNote = 1 << 14

  private static let names: Set<String> = [
    "flashcards", "flashcard", "flash cards", "flash-cards", "cards", "decks", "anki", "карточки", "флешкарты",
    "флеш-карты", "флэшкарты", "флэш-карты", "колоды", "анки",
  ]

  /// Whether a folder with this name is likely to contain cards. The comparison ignores case and Unicode normalization.
  static func isDeckName(_ name: String) -> Bool { names.contains(normal(name)) }

  /// Whether the folder of a note, or the parent of that folder, has a name for card folders.
  static func isInDeckFolder(_ path: String) -> Bool {
    path.split(separator: "/").dropLast().suffix(2).contains { isDeckName(String($0)) }
  }

  /// Whether a note can be a card of its folder, judging by its name.
  fileprivate static func mayBeCard(_ path: String) -> Bool {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    let name = normal(front(ofFile: parts.last.map(String.init) ?? ""))
    return !isAbout(name) && name != normal(parts.dropLast().last.map(String.init) ?? "")
  }

  /// Returns the folders that are decks, sorted bytewise by path.
  static func find(_ notes: [Note]) -> [Folder] {
    var folders: [String: (files: [String], areCards: Bool)] = [:]
    for note in notes where isInDeckFolder(note.path) {
      guard let slash = note.path.lastIndex(of: "/") else { continue }
      let folder = String(note.path[..<slash])
      guard mayBeCard(note.path) else { continue }
      var entry = folders[folder] ?? ([], true)
      entry.files.append(note.path)
      entry.areCards = entry.areCards && note.isCardLike
      folders[folder] = entry
    }
    return folders.filter { $0.value.areCards && $0.value.files.count >= 2 }
      .map { Folder(path: $0.key, files: $0.value.files.sorted(by: precedes)) }
      .sorted { precedes($0.path, $1.path) }
  }

  /// Reads a card from a note in a deck folder. The front is the file name; the back is the body.
  ///
  /// A heading that repeats the name is left out. If the body is a question with its answer, the question and the
  /// answer become the front and the back.
  static func card(fromFile name: String, _ text: Span<UInt8>, body: Range<Int>) -> CardDraft {
    let lines = DeckLines(text, in: body)
    let own = QuestionDeck.read(text, lines)
    if own.cards.count == 1, own.description == nil, let card = own.cards.first, !card.back.bytes.isEmpty {
      return card
    }
    let front = front(ofFile: name)
    var parts = CardParts(start: body.lowerBound, frontPlace: body.lowerBound)
    var isFirst = true
    var lastIsCode = false
    for line in lines.all {
      if isFirst, !line.isBlank {
        isFirst = false
        if let heading = DeckLine.heading(text, line),
          normal(String(decoding: text.extracting(heading.text))) == normal(front)
        {
          continue
        }
      }
      if !line.isBlank { lastIsCode = line.isCode }
      parts.back.add(line.range)
    }
    var card = parts.finish(text, lastIsCode: lastIsCode)
    card.front = SourcedText(bytes: Array(front.utf8), range: body.lowerBound..<body.lowerBound)
    return card
  }

  /// Returns the name without its extension, in NFC, like all text in records.
  static func front(ofFile name: String) -> String {
    var stem = name[...]
    if let dot = name.lastIndex(of: "."), dot > name.startIndex,
      ["md", "markdown"].contains(name[name.index(after: dot)...].lowercased())
    {
      stem = name[..<dot]
    }
    return String(stem).precomposedStringWithCanonicalMapping
  }

  // MARK: Names and bodies

  private static func normal(_ text: String) -> String { text.precomposedStringWithCanonicalMapping.lowercased() }

  private static func isAbout(_ name: String) -> Bool {
    ["readme", "index", "_index", "license", "changelog", "о папке"].contains(name)
  }

  private static func precedes(_ first: String, _ second: String) -> Bool {
    first.utf8.lexicographicallyPrecedes(second.utf8)
  }

  /// Whether a body has no headings except one at its beginning, and does not contain a deck.
  private static func isPlain(_ text: Span<UInt8>, _ body: Range<Int>) -> Bool {
    let lines = DeckLines(text, in: body)
    var isFirst = true
    var hasText = false
    for line in lines.all where !line.isBlank {
      if !isFirst, DeckLine.heading(text, line) != nil { return false }
      hasText = hasText || !isFirst || DeckLine.heading(text, line) == nil
      isFirst = false
    }
    guard hasText else { return false }
    guard let deck = DeckReader.recognise(text, body: body), deck.cards > 1 else { return true }
    return deck.certainty < 40
  }
}

/// Finds the folders of a vault that are decks, and the notes that prevent a deck from being read completely.
///
/// If a note still exists but cannot be read as a card, the card was not deleted. Without this check, the card would
/// appear to have been deleted from the deck.
struct DeckSearch {
  /// A folder that is a deck.
  struct Deck {
    var folder: CardFolders.Folder
    /// The notes of its cards, in the order of the cards.
    var files: [VaultFile]
    /// The notes that may be cards of the deck but cannot be read as cards.
    var unread: [VaultFile]
  }

  /// The content of a folder.
  private struct Content {
    var cards: [VaultFile] = []
    var unread: [VaultFile] = []
    /// Whether FleetKit has written one of `cards` as a card.
    var wasWritten = false
  }

  private let paths: VaultPaths
  private var notes: [CardFolders.Note] = []
  private var contents: [String: Content] = [:]
  private var files: [String: VaultFile] = [:]

  init(_ paths: VaultPaths) { self.paths = paths }

  /// Returns the decks among the notes in card folders.
  /// - Throws: `RunFailure` if a note cannot be read from the disk.
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

  /// Adds a note.
  /// - Parameter isWrittenCard: whether FleetKit wrote the note as a card; nil if unknown.
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
    // These folders are not decks because of an unread note. If no card is left, every card was changed to another type
    // of note.
    for (path, content) in contents where !found.contains(path) && content.wasWritten && !content.unread.isEmpty {
      let folder = CardFolders.Folder(path: path, files: content.cards.map { paths.inVault($0.path) })
      decks.append(Deck(folder: folder, files: content.cards, unread: content.unread))
    }
    return decks.sorted { $0.folder.path.utf8.lexicographicallyPrecedes($1.folder.path.utf8) }
  }
}
