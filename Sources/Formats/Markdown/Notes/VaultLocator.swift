import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import MarkdownText
import SourceFolders
import Synchronization
import YAMLText

/// Locates record values in their notes by reading the notes again. The positions are exact, and locating costs nothing
/// until a position is needed.
final class VaultLocator: RecordLocator, RecordOrigin {
  /// The note in which a value was located last, so that several findings read the note only once.
  fileprivate struct Last {
    let index: Int
    let text: [UInt8]
    let isOtherEncoding: Bool
    var note: ParsedNote
    var counter = PlaceCounter()
  }

  fileprivate struct State {
    /// The paths of the batch's notes.
    var paths: [String] = []
    /// The indices of the files that are sources of attachments.
    var media: Set<Int> = []
    /// The card notes of the folders that are decks, by the folder's index.
    var decks: [Int: [String]] = [:]
    var last: Last?
  }

  let file: String
  private let vault: VaultPaths
  private let parser: NoteParser
  /// Provides the lines of notes that are not files on the disk.
  private let lines: MemberLines?
  private let state = Mutex(State())

  init(_ vault: VaultPaths, parser: NoteParser) {
    file = vault.source
    self.vault = vault
    var exact = parser
    exact.isExact = true
    self.parser = exact
    lines = vault.members.flatMap { $0.isMade ? nil : MemberLines($0) }
  }

  /// Adds a file that is the source of an attachment.
  func addMedia(_ path: String) -> Int32 {
    state.withLock {
      $0.media.insert($0.paths.count)
      $0.paths.append(path)
      return Int32(truncatingIfNeeded: $0.paths.count - 1)
    }
  }

  /// The properties of the vault as a source. People who edit a step do not update `updated:`, but programs that make
  /// packs do. The reader of a whole vault checks its links.
  var traits: SourceTraits {
    SourceTraits(
      isWrittenByHand: vault.members?.isWrittenByHand ?? true, hasManyFiles: !vault.isNote, checksLinks: vault.isWhole)
  }

  var files: [String] {
    let made = vault.members?.isMade ?? false
    return state.withLock { state in
      state.paths.indices.filter { VaultFile.isNote(state.paths[$0]) || vault.isNote || made }
        .map { vault.shown(state.paths[$0]) }
    }
  }

  func file(of record: Record) -> String { state.withLock { vault.shown(path(record, $0)) } }

  func lastWritten(of record: Record) -> LastWritten? {
    guard record.kind == .item, let memory = vault.memory else { return nil }
    let cards = state.withLock { $0.decks[Int(record.slot.sourceFile)] }
    let note = state.withLock { path(record, $0) }
    guard let cards else { return memory.last(vault.real(note), at: vault.inVault(note)) }
    let notes = cards.map { (file: vault.real($0), path: vault.inVault($0)) }
    return memory.last(notes, in: vault.inVault(note) + "/")
  }

  func mediaPath(of record: Record) -> String? {
    guard record.kind == .attachment else { return nil }
    return state.withLock { state in
      let index = Int(record.slot.sourceFile)
      return state.media.contains(index) ? vault.real(state.paths[index]) : nil
    }
  }

  /// Adds a note.
  /// - Returns: the note's number, for `RecordSlot.sourceFile`.
  func add(_ path: String) -> Int32 {
    state.withLock {
      $0.paths.append(path)
      return Int32(truncatingIfNeeded: $0.paths.count - 1)
    }
  }

  /// Adds a folder that is a deck.
  /// - Parameter cards: the folder's notes, in the order of the cards.
  func add(deck cards: [String]) -> Int32 {
    state.withLock { state in
      let number = state.paths.count
      state.paths.append(cards.first.map { ($0 as NSString).deletingLastPathComponent } ?? "")
      state.decks[number] = cards
      // The notes of the cards are also files that were read.
      state.paths += cards
      return Int32(truncatingIfNeeded: number)
    }
  }

  /// The number of notes.
  var count: Int { state.withLock { $0.paths.count } }

  func refine(_ place: Place) -> LocatedPlace { lines?.located(place) ?? LocatedPlace(place) }

  /// Converts a position in a note to the position in the source from which the note was made. For other notes, adds
  /// the line to the position if the note is not a file on the disk.
  private func written(_ found: LocatedPlace) -> LocatedPlace {
    if let made = vault.members?.madeOf(found.place) { return made }
    return found.excerpt == nil ? refine(found.place) : found
  }

  func place(of record: Record, at pointer: JSONPointer) -> Place {
    if record.kind == .attachment { return Place(file: file(of: record)) }
    guard pointer.steps.isEmpty else { return locate(.value, of: record, at: pointer).place }
    let shown = state.withLock { vault.shown(path(record, $0)) }
    let whole = Place(file: shown, line: 1, column: 1)
    return vault.members?.madeOf(whole)?.place ?? whole
  }

  func locate(_ part: ValuePart, of record: Record, at pointer: JSONPointer) -> LocatedPlace {
    // An attachment has no lines.
    if record.kind == .attachment { return LocatedPlace(place(of: record, at: pointer)) }
    let found = state.withLock { located(part, record, pointer, &$0) }
    return written(found)
  }

  private func located(
    _ part: ValuePart, _ record: Record, _ pointer: JSONPointer, _ state: inout State
  ) -> LocatedPlace {
    let path = path(record, state)
    let index = Int(record.slot.sourceFile)
    if let cards = state.decks[index] { return card(cards, pointer, part, path) }
    if state.last?.index != index { state.last = read(path, index) }
    let whole = Place(file: vault.shown(path), line: 1, column: 1, pointer: pointer.description)
    guard state.last != nil else { return LocatedPlace(whole) }
    return state.last?.located(pointer, part, whole) ?? LocatedPlace(whole)
  }

  /// Returns a position in a deck whose cards are notes.
  private func card(_ cards: [String], _ pointer: JSONPointer, _ part: ValuePart, _ folder: String) -> LocatedPlace {
    let whole = Place(file: vault.shown(folder), pointer: pointer.description)
    guard pointer.steps.count > 2, case .element(let number) = pointer.steps[2], cards.indices.contains(number),
      var last = read(cards[number], -1)
    else { return LocatedPlace(whole) }
    let file = VaultFile(path: cards[number], size: 0, modified: Timestamp(milliseconds: 0))
    let card = NoteReader.card(last.note, file, last.text.span)
    last.note.content = .deck(DeckDraft(cards: [card]))
    let steps = Array(pointer.steps.prefix(2)) + [.element(0)] + pointer.steps.dropFirst(3)
    var found = last.located(
      JSONPointer(steps), part, Place(file: vault.shown(cards[number]), line: 1, column: 1))
    found.place.pointer = pointer.description
    return found
  }

  private func path(_ record: Record, _ state: State) -> String {
    let index = Int(record.slot.sourceFile)
    return state.paths.indices.contains(index) ? state.paths[index] : ""
  }

  private func read(_ path: String, _ index: Int) -> Last? {
    if let members = vault.members {
      return members.index(of: path).flatMap { read(members.bytes(of: $0), path, index) }
    }
    var bytes = ByteBuffer(capacity: 1 << 14)
    guard (try? NoteBytes.read(vault.real(path), size: 1 << 14, into: &bytes)) != nil else { return nil }
    return read(bytes.bytes, path, index)
  }

  private func read(_ bytes: UnsafeBufferPointer<UInt8>, _ path: String, _ index: Int) -> Last? {
    guard let decoded = DecodedText.decode(bytes.span) else { return nil }
    return decoded.withText(of: bytes) { (text) -> Last? in
      Last(
        index: index, text: Array(text), isOtherEncoding: decoded.encoding != .utf8,
        note: parser.parse(text.span, path: vault.inVault(path)))
    }
  }
}

extension VaultLocator.Last {
  /// Returns the position of a value, and its line if the line cannot be read from the file.
  fileprivate mutating func located(_ pointer: JSONPointer, _ part: ValuePart, _ whole: Place) -> LocatedPlace {
    var place = whole
    let spot = NotePlaces(note: note).spot(of: pointer, part: part)
    switch spot {
    case .note: return LocatedPlace(whole)
    case .yaml(let position):
      place.line = position.line
      place.column = position.column
      place.endColumn = position.endColumn
    case .text(let range):
      var counter = counter
      let start = counter.position(of: range.lowerBound, in: text.span)
      let end = counter.position(of: range.upperBound, in: text.span)
      self.counter = counter
      place.line = start.line
      place.column = start.column
      place.endColumn = end.line == start.line && range.count > 0 ? end.column : nil
    }
    return LocatedPlace(place, excerpt: isOtherEncoding ? line(place.line ?? 1) : nil)
  }

  private func line(_ number: Int) -> String? {
    let lines = text.split(separator: 0x0A, maxSplits: number, omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return nil }
    let line = lines[number - 1].last == 0x0D ? lines[number - 1].dropLast() : lines[number - 1]
    return String(decoding: line, as: UTF8.self)
  }
}

/// Finds a record's values in the note from which the record was read.
private struct NotePlaces {
  /// The location of a value: bytes of the note, or a position in its front matter.
  enum Spot {
    case text(Range<Int>)
    case yaml(YAMLDocument.Position)
    /// The whole note, for a value that the note does not contain.
    case note
  }

  let note: ParsedNote

  /// Returns the location of the value at `pointer`, or of the enclosing value.
  func spot(of pointer: JSONPointer, part: ValuePart) -> Spot {
    guard case .member(let name)? = pointer.steps.first else { return .note }
    let rest = Array(pointer.steps.dropFirst())
    if name == "content_data" { return body(rest, part) }
    return envelope(name, rest, part)
  }

  // MARK: Front matter

  private func envelope(_ name: String, _ rest: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    if let member = note.metadata.member(name) { return yaml(member, [], rest, part) }
    switch name {
    case "title":
      if let heading = note.heading { return .text(part.range(within: heading)) }
    case "description":
      if let text = note.bodyDescription { return .text(text.range(of: part)) }
    case "content_type": return type
    case "extras":
      guard case .member("markdown")? = rest.first else { return yaml("extras", rest, part) }
    default: break
    }
    return .note
  }

  private var type: Spot {
    for key in MetadataKeys.type.read {
      if let position = note.yaml?.position(of: JSONPointer([.member(key)])) { return .yaml(position) }
      if let range = note.keyRanges[key] { return .text(range) }
    }
    return .note
  }

  private func yaml(
    _ member: NoteMetadata.Member, _ above: [JSONPointer.Step], _ rest: [JSONPointer.Step], _ part: ValuePart
  ) -> Spot {
    yaml(member.key, above + rest, part)
  }

  /// Returns the location of the value below a key, or of its nearest existing ancestor. For example, tags may be a
  /// single string.
  private func yaml(_ key: String, _ rest: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard let document = note.yaml else { return note.keyRanges[key].map(Spot.text) ?? .note }
    var steps = rest
    while true {
      let pointer = JSONPointer([.member(key)] + steps)
      if let position = document.position(of: pointer, name: part == .name) ?? document.position(of: pointer) {
        return .yaml(position)
      }
      if steps.isEmpty { return .note }
      steps.removeLast()
    }
  }

  // MARK: The body

  private func body(_ steps: [JSONPointer.Step], _ part: ValuePart) -> Spot {
    guard case .member(let name)? = steps.first else { return .text(note.body) }
    if let range = note.content.range(of: steps[...], part, in: note.body) { return .text(range) }
    let rest = Array(steps.dropFirst())
    if let member = note.metadata.document.first(where: { $0.name == name }) {
      return member.name == "checklistType"
        ? yaml(member.key, [], part) : yaml(member, [.member(name)], rest, part)
    }
    // The document repeats some members of the envelope.
    return Shapes.repeats[name].map { envelope($0, rest, part) } ?? .note
  }
}

/// The vault's data about its notes: their location, their ids, and the values that they do not contain.
struct VaultPlace {
  private let vault: SourceFolder
  /// The ids of the folders that are decks, for folders whose id is not derived from their path.
  private let decks: FolderDecks
  /// The values that the vault's notes do not contain.
  let notes: NoteSupplements

  /// Creates the data of a root that is not a folder.
  init(root: String, sourceID: String) {
    vault = SourceFolder(root, sourceID: sourceID)
    decks = FolderDecks(vault: nil)
    notes = NoteSupplements(vault: nil)
  }

  /// Reads the data of the vault around a folder.
  init(folder: String) {
    vault = SourceFolder(around: folder)
    decks = FolderDecks(vault: vault.path)
    notes = NoteSupplements(vault: vault.path)
  }

  /// The absolute path of the vault's root, without a trailing slash.
  var root: String { vault.path }

  /// The path of the named folder from the root, with a trailing slash; empty for the root itself.
  var prefix: String { vault.prefix }

  /// The text from which ids are derived: `source:` in `.fleetkit.yml`, or else the root's path.
  var sourceID: String { vault.sourceID }

  /// The name of the root folder.
  var name: String { String(root.split(separator: "/").last ?? "") }

  /// Returns the id that is derived from the path of a note.
  /// - Parameter path: the note's path from the root.
  func derivedID(at path: String) -> String { CanonicalUUID.derived(ofNote: path.precomposed, in: sourceID) }

  /// Returns the id of a deck that is a card folder.
  /// - Parameter folder: the folder's path from the root, with a trailing slash.
  func deckID(of folder: String) -> String { decks.id(of: folder) ?? derivedDeckID(of: folder) }

  /// Returns the id that is derived from the path of a card folder.
  /// - Parameter folder: the folder's path from the root, with a trailing slash.
  func derivedDeckID(of folder: String) -> String { CanonicalUUID.derived(ofNote: folder.precomposed, in: sourceID) }
}

/// The paths of a source's notes: for people, for the file system, and within the vault.
struct VaultPaths: Sendable {
  /// The source as the user named it.
  let source: String
  /// Whether the source is one note and not a folder.
  let isNote: Bool
  /// The vault that contains the source.
  let place: VaultPlace
  /// The members of a source whose notes are not files on the disk, such as a pack; nil for vaults.
  let members: (any MemberSource)?

  /// The notes that FleetKit last wrote into the vault.
  let memory: VaultMemory?

  /// Creates the paths of a source.
  init(_ source: Source) {
    self.source = source.path
    isNote = SourceFolder.isFile(source)
    place = VaultPlace(folder: isNote ? SourceFolder.parent(of: source.path) : source.path)
    members = nil
    memory = VaultMemory(vault: place.root)
  }

  /// Creates the paths of notes that are members of a container.
  init(_ members: any MemberSource) {
    source = members.name
    isNote = false
    place = VaultPlace(root: members.name, sourceID: members.idScope)
    memory = nil
    self.members = members
  }

  /// Whether the source is the whole vault, so that a file that is not in the source does not exist.
  var isWhole: Bool { !isNote && place.prefix.isEmpty && members == nil }

  private var folder: String { source.hasSuffix("/") ? source : source + "/" }

  /// Returns a note's path as the user would write it.
  func shown(_ path: String) -> String {
    if let members, let index = members.index(of: path) { return members.shown(index) }
    return path.hasPrefix("/") ? path : isNote ? source : folder + path
  }

  /// Returns a note's path in the file system.
  func real(_ path: String) -> String { path.hasPrefix("/") ? path : isNote ? source : folder + path }

  /// The folder to which attachment paths are relative: the source if it is the whole vault, otherwise the root of the
  /// vault that contains the source.
  var mediaFolder: String { isWhole ? source : place.root }

  /// Converts a path relative to the vault's root to a path relative to the source. The result is absolute if the
  /// source is only a part of the vault.
  func fromSource(_ path: String) -> String { isWhole ? path : place.root + "/" + path }

  /// Converts a path relative to the vault's root to a path relative to the named folder.
  func fromFolder(_ path: String) -> String {
    String(decoding: path.utf8.dropFirst(place.prefix.utf8.count), as: UTF8.self)
  }

  /// Returns a note's path relative to the vault's root.
  func inVault(_ path: String) -> String {
    guard let members else { return place.prefix + path }
    guard path.utf8.starts(with: members.folder.utf8) else { return path }
    return String(decoding: path.utf8.dropFirst(members.folder.utf8.count), as: UTF8.self)
  }
}
