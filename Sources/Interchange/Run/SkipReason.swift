import Content

/// Why a record was left out on purpose. `text` is the only place where a reason becomes a sentence.
public enum SkipReason: Hashable, Sendable {
  // MARK: Reading

  /// The selection does not include it.
  case notSelected

  // MARK: Importing

  /// FleetKit's own records in a bundle, such as `fleetkit:extras`.
  case internalRecord
  /// An operation of another library's queue.
  case queueOperation
  /// The library's version stays because `--on-conflict keep` asks for it.
  case libraryKept
  /// The library's version stays because it won the conflict.
  case libraryWon
  /// The library's version stays because it is newer.
  case libraryNewer
  /// The library's version stays because the source did not change since its last import.
  case onlyLibraryChanged
  /// A record that has its place beside the library has no id to be found by.
  case noID(RecordKind)

  // MARK: Writing

  /// The app has no table for records of this kind.
  case noTable(RecordKind)
  /// The app has no table for flashcard decks.
  case noTableForDecks
  /// An older schema has no table for this.
  case notInSchema(version: String, what: String)
  /// A table has no rows for this.
  case notInTable(of: String? = nil, String)
  /// A note holds one item.
  case notAnItem
  /// Todoist holds lists of tasks.
  case notAList
  /// A content pack holds content.
  case notContent
  /// No item of the pack uses the attachment.
  case unusedAttachment
  /// The source has the attachment's name and not its bytes.
  case missingBytes
  /// The target was closed, or the record still waited for another one, when the run ended: a fault of FleetKit.
  case unwritten

  /// The reason in words.
  public var text: String {
    switch self {
    case .notSelected: "not selected"
    case .internalRecord: "records of this kind are internal and are not imported"
    case .queueOperation: "the queue is not imported: publishing is for you to say"
    case .libraryKept: "the library's version is kept (--on-conflict keep)"
    case .libraryWon: "the library's version is kept (it won the conflict)"
    case .libraryNewer: "the library's version is newer"
    case .onlyLibraryChanged: "only the library's version changed since the last import"
    case .noID(let kind): "a library has no place for \(kind.plural) without an id"
    case .noTable(let kind):
      "the app's library has no place for \(kind.isKnown ? kind.plural : "records of kind '\(kind)'")"
    case .noTableForDecks: "the app's library has no place for flashcard decks"
    case .notInSchema(let version, let what): "schema \(version) has no place for \(what)"
    case .notInTable(let shape, let what):
      "a table\(shape.map { " of \($0)" } ?? "") has no place for \(what)"
    case .notAnItem: "a note holds one item"
    case .notAList: "Todoist has lists of tasks"
    case .notContent: "a content pack holds content"
    case .unusedAttachment: "no item of the pack uses it"
    case .missingBytes: "the source has its name, not its bytes"
    case .unwritten: "internal"
    }
  }
}
