import Content
import Foundation
import JSONText
import MarkdownText
import Synchronization

/// The values that a vault stores for a note because the note does not contain them: its id, its times, and the ids of
/// its sections and steps.
struct NoteSupplement: Equatable, Sendable {
  /// Times as JSON strings; a time that the note contains is nil.
  struct Times: Equatable, Sendable {
    var created: [UInt8]?
    var updated: [UInt8]?
    /// The times of `content_data`, if they differ from the item's times.
    var documentCreated: [UInt8]?
    var documentUpdated: [UInt8]?

    var isEmpty: Bool { created == nil && updated == nil && documentCreated == nil && documentUpdated == nil }
  }

  /// The id of a note that was in the vault without an id.
  var id: String?
  var times = Times()
  /// A hash of the text to which `times` belong, because an edited note gets its file's time; nil if the times apply to
  /// any text.
  var text: [UInt8]?
  /// The ids of a checklist's sections and steps, or of a deck's cards.
  var parts = PartIDs()

  var isEmpty: Bool { id == nil && times.isEmpty && parts.isEmpty }

  init() {}

  /// Creates a supplement with a record's times, which apply to any text.
  init(timesOf record: NoteRecord) {
    func time(_ name: StaticString, of node: JSONNode?) -> [UInt8]? {
      node?.member(name).flatMap { $0.string.flatMap(Timestamp.parse) == nil ? nil : Array($0.raw) }
    }
    record.withRoot { root in
      times.created = time("created_at", of: root)
      times.updated = time("updated_at", of: root)
      let document = root.member("content_data")
      times.documentCreated = time("createdAt", of: document)
      times.documentUpdated = time("updatedAt", of: document)
    }
    if times.documentCreated == times.created { times.documentCreated = nil }
    if times.documentUpdated == times.updated { times.documentUpdated = nil }
  }

  /// Removes the times that a note contains, and ties the other times to the note's text.
  /// - Parameters:
  ///   - read: the note as it was read with these times.
  ///   - reading: reads the note with another supplement.
  mutating func tie(
    to text: some Collection<UInt8>, read: NoteRecord, reading: (NoteSupplement) -> NoteRecord?
  ) {
    let (created, updated) = read.timesOfFile
    if !created { times.created = nil }
    if !updated { times.updated = nil }
    if times.documentCreated != nil || times.documentUpdated != nil {
      // The note's front matter may contain a document with times.
      var without = self
      (without.times.documentCreated, without.times.documentUpdated) = (nil, nil)
      if let other = reading(without), NoteSupplement(timesOf: other).times == NoteSupplement(timesOf: read).times {
        self = without
      }
    }
    self.text = times.isEmpty ? nil : Self.hash(text)
  }

  /// Returns a hash that identifies the given text.
  static func hash(_ text: some Collection<UInt8>) -> [UInt8] {
    text.withContiguousStorageIfAvailable { FastHash.digits(of: $0.span) } ?? FastHash.digits(of: Array(text).span)
  }

  /// Returns the times that apply to the given text.
  func times(of text: @autoclosure () -> [UInt8]) -> Times {
    guard let own = self.text, !times.isEmpty, own != Self.hash(text()) else { return times }
    var times = Times()
    times.created = self.times.created
    times.documentCreated = self.times.documentCreated
    return times
  }

  // MARK: As JSON

  /// Reads the output of `write`; anything else is ignored.
  init(_ json: JSONValue) {
    id = json["id"]?.string.flatMap { CanonicalUUID.form(of: $0) == .canonical ? $0 : nil }
    func time(_ name: String) -> [UInt8]? {
      json[name]?.string.flatMap { Timestamp.parse($0) == nil ? nil : NoteMetadata.json($0) }
    }
    times = Times(
      created: time("created_at"), updated: time("updated_at"), documentCreated: time("createdAt"),
      documentUpdated: time("updatedAt"))
    // Times without a hash apply to no text.
    text = json["text"]?.string.map { Array($0.utf8) } ?? (times.isEmpty ? nil : [])
    parts = PartIDs(json)
  }

  /// Appends the values as members of an object.
  func write(into out: inout ByteBuffer) {
    func member(_ name: StaticString, _ json: [UInt8]?) {
      guard let json else { return }
      out.append(",\"")
      out.append(name)
      out.append("\":")
      out.append(json.span)
    }
    member("id", id.map { NoteMetadata.json($0) })
    member("created_at", times.created)
    member("updated_at", times.updated)
    member("createdAt", times.documentCreated)
    member("updatedAt", times.documentUpdated)
    member("text", text.map { NoteMetadata.json(String(decoding: $0, as: UTF8.self)) })
    parts.write(into: &out)
  }
}

/// Stores the values that the notes of a vault do not contain, in `.fleetkit/notes`.
///
/// People's own notes contain no ids and often no dates. With this file, an item keeps its times, and a step keeps its
/// id and the ticks of charters, wherever the vault is read. The file has one JSON line per note, sorted by path. The
/// file is part of the vault.
/// - Source: formats/markdown.md, "What is written"
struct NoteSupplements {
  /// The path of the file in a vault.
  static let path = VaultPath.hiddenFolder + "/notes"
  /// The maximum size of the file, in bytes. A longer file is ignored.
  private static let longest = 1 << 26
  /// The maximum length of a line, in bytes. Longer lines are ignored, because a note of the maximum size has no more
  /// ids than fit in one line.
  private static let longestLine = 8 << 20

  /// The position of a line in the file.
  private struct Line {
    let start: UInt32
    let end: UInt32
  }

  /// The lines of the existing file, by the hash of the note's path. A vault may come from a stranger, so lines are
  /// parsed only when they are needed.
  private var lines: [UInt64: Line] = [:]
  /// The added supplements, by path; nil for a note that contains all its values.
  private var added: [String: NoteSupplement?] = [:]
  /// The bytes of the existing file.
  private let old: [UInt8]

  /// Reads the file of a vault, if the file exists.
  /// - Parameter vault: the vault's path; nil for a new vault.
  init(vault: String?) {
    old = vault.flatMap { SmallFile.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    var lines: [UInt64: Line] = [:]
    forEachLine { lines[Self.key($0)] = Line(start: UInt32($1.lowerBound), end: UInt32($1.upperBound)) }
    self.lines = lines
  }

  private static func key(_ path: String) -> UInt64 {
    var hash = FastHash()
    hash.add(path.utf8.span)
    return hash.value
  }

  private func forEachLine(_ body: (_ note: String, _ line: Range<Int>) -> Void) {
    var start = 0
    while start < old.count {
      let end = old[start...].firstIndex(of: 0x0A) ?? old.count
      if let note = parsed(start..<end)?["note"]?.string { body(note.precomposed, start..<end) }
      start = end + 1
    }
  }

  private func parsed(_ line: Range<Int>) -> JSONValue? {
    line.count > Self.longestLine ? nil : (try? JSONDocument(parsing: old[line].span))?.root
  }

  /// Returns the stored values for a note.
  /// - Parameter path: the note's path in the vault; for a deck that is a card folder, the folder's path with a
  ///   trailing slash.
  subscript(_ path: String) -> NoteSupplement {
    if lines.isEmpty { return NoteSupplement() }
    let path = path.precomposed
    guard let line = lines[Self.key(path)], let json = parsed(Int(line.start)..<Int(line.end)),
      json["note"]?.string?.precomposed == path
    else { return NoteSupplement() }
    return NoteSupplement(json)
  }

  /// Stores the values that a note does not contain.
  mutating func add(_ path: String, _ supplement: NoteSupplement) {
    added[path.precomposed] = .some(supplement.isEmpty ? nil : supplement)
  }

  /// The new content of the file; nil if it is unchanged.
  var changed: [UInt8]? {
    if added.allSatisfy({ self[$0] == $1 ?? NoteSupplement() }) { return nil }
    var lines: [(note: String, old: Range<Int>?)] = added.compactMap { $1 == nil ? nil : ($0, nil) }
    forEachLine { note, line in if added[note] == nil { lines.append((note, line)) } }
    lines.sort { $0.note.utf8.lexicographicallyPrecedes($1.note.utf8) }
    var text = ByteBuffer(capacity: 4096)
    for (note, line) in lines {
      if let line {
        text.append(old.span.extracting(line))
      } else if let supplement = added[note] ?? nil {
        text.append("{\"note\":")
        text.appendJSONString(note)
        supplement.write(into: &text)
        text.append("}")
      }
      text.append("\n")
    }
    let bytes = text.copy(0..<text.count)
    return bytes == old ? nil : bytes
  }
}

/// The ids of a note's sections and steps, or of its cards, that the note's lines do not contain, by title or front.
///
/// Equal titles are numbered in order. If a title is edited in the note, its entry no longer applies.
struct PartIDs: Equatable, Sendable {
  /// A title, and the number of earlier parts with the same title.
  struct Key: Hashable, Sendable {
    let title: [UInt8]
    let number: Int
  }

  private(set) var sections: [Key: [UInt8]] = [:]
  private(set) var steps: [Key: [UInt8]] = [:]
  private(set) var cards: [Key: [UInt8]] = [:]

  var isEmpty: Bool { sections.isEmpty && steps.isEmpty && cards.isEmpty }

  init() {}

  /// Collects the record's ids that cannot be read from its note.
  /// - Returns: nil if the two records do not have the same sections and steps, or cards.
  init?(read: NoteRecord, wanted: NoteRecord) {
    if let read = read.withBody(DraftsFromRecord.deck), let wanted = wanted.withBody(DraftsFromRecord.deck) {
      guard read.cards.count == wanted.cards.count else { return nil }
      cards = Self.ids(read.cards.map { ($0.front, $0.id) }, wanted.cards.map(\.id))
      return
    }
    guard let read = read.withBody(DraftsFromRecord.checklist), let wanted = wanted.withBody(DraftsFromRecord.checklist)
    else { return nil }
    guard read.sections.map(\.steps.count) == wanted.sections.map(\.steps.count) else { return nil }
    sections = Self.ids(read.sections.map { ($0.title, $0.id) }, wanted.sections.map(\.id))
    steps = Self.ids(
      read.sections.flatMap { $0.steps.map { ($0.title, $0.id) } }, wanted.sections.flatMap { $0.steps.map(\.id) })
  }

  private static func ids(
    _ read: [(title: SourcedText, id: SourcedText?)], _ wanted: [SourcedText?]
  ) -> [Key: [UInt8]] {
    var ids: [Key: [UInt8]] = [:]
    var numbers = Numbers()
    for (one, id) in zip(read, wanted) {
      let key = numbers.key(one.title)
      if let id, id.bytes != one.id?.bytes { ids[key] = id.bytes }
    }
    return ids
  }

  /// Sets the ids of sections and steps without an id.
  func fillIDs(in checklist: inout ChecklistDraft) {
    if isEmpty { return }
    var numbers = (sections: Numbers(), steps: Numbers())
    for section in checklist.sections.indices {
      let title = checklist.sections[section].title
      let id = sections[numbers.sections.key(title)]
      if checklist.sections[section].id == nil, let id {
        checklist.sections[section].id = SourcedText(bytes: id, range: title.range)
      }
      for step in checklist.sections[section].steps.indices {
        let title = checklist.sections[section].steps[step].title
        let id = steps[numbers.steps.key(title)]
        if checklist.sections[section].steps[step].id == nil, let id {
          checklist.sections[section].steps[step].id = SourcedText(bytes: id, range: title.range)
        }
      }
    }
  }

  /// Sets the ids of cards without an id.
  func fillIDs(in deck: inout DeckDraft) {
    if cards.isEmpty { return }
    var numbers = Numbers()
    for card in deck.cards.indices {
      let front = deck.cards[card].front
      let id = cards[numbers.key(front)]
      if deck.cards[card].id == nil, let id { deck.cards[card].id = SourcedText(bytes: id, range: front.range) }
    }
  }

  /// Counts equal titles and numbers their occurrences.
  private struct Numbers {
    private var counts: [[UInt8]: Int] = [:]

    mutating func key(_ title: SourcedText) -> Key {
      let number = counts[title.bytes, default: 0]
      counts[title.bytes] = number + 1
      return Key(title: title.bytes, number: number)
    }
  }

  // MARK: As JSON

  /// Reads the output of `write`; anything else is ignored.
  init(_ json: JSONValue) {
    sections = Self.ids(json["sections"])
    steps = Self.ids(json["steps"])
    cards = Self.ids(json["cards"])
  }

  private static func ids(_ list: JSONValue?) -> [Key: [UInt8]] {
    var ids: [Key: [UInt8]] = [:]
    for entry in list?.elements ?? [] {
      let parts = entry.elements
      guard parts.count == 3, let title = parts[0].string, let number = parts[1].integer, let id = parts[2].string,
        CanonicalUUID.form(of: id) == .canonical
      else { continue }
      ids[Key(title: Array(title.utf8), number: Int(clamping: number))] = Array(id.utf8)
    }
    return ids
  }

  /// Appends the values as members of an object.
  func write(into out: inout ByteBuffer) {
    write("sections", sections, into: &out)
    write("steps", steps, into: &out)
    write("cards", cards, into: &out)
  }

  private func write(_ name: StaticString, _ ids: [Key: [UInt8]], into out: inout ByteBuffer) {
    if ids.isEmpty { return }
    out.append(",\"")
    out.append(name)
    out.append("\":[")
    let sorted = ids.sorted {
      $0.key.title == $1.key.title
        ? $0.key.number < $1.key.number : $0.key.title.lexicographicallyPrecedes($1.key.title)
    }
    for (position, (key, id)) in sorted.enumerated() {
      if position > 0 { out.append(",") }
      out.append("[")
      out.appendJSONString(key.title.span)
      out.append(utf8: ",\(key.number),")
      out.appendJSONString(id.span)
      out.append("]")
    }
    out.append("]")
  }
}

/// The ids of decks that are card folders, except for ids that are derived from the folder's path. The ids are stored
/// here because the cards' notes do not contain the deck's id.
///
/// The file `.fleetkit/decks` has one line per folder, sorted by path: the id, a space, and the folder's path with a
/// trailing slash. Other lines are ignored. The file is part of the vault, so that the notes are the same decks on
/// another computer.
/// - Source: formats/markdown.md, "What is written"
struct FolderDecks {
  /// The path of the file in a vault.
  static let path = VaultPath.hiddenFolder + "/decks"
  /// The maximum size of the file, in bytes. FleetKit does not write a longer file.
  private static let longest = 1 << 26

  private var ids: [String: String] = [:]
  /// The bytes of the existing file.
  private let old: [UInt8]

  /// Reads the file of a vault, if the file exists.
  /// - Parameter vault: the vault's path; nil for a new vault.
  init(vault: String?) {
    old = vault.flatMap { SmallFile.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    for line in old.split(separator: 0x0A) where line.count > 38 && line[line.startIndex + 36] == 0x20 {
      let id = String(decoding: line.prefix(36), as: UTF8.self)
      guard CanonicalUUID.form(of: id) == .canonical, line.last == UInt8(ascii: "/") else { continue }
      ids[String(decoding: line.dropFirst(37), as: UTF8.self).precomposed] = id
    }
  }

  /// Returns the id of a folder; nil if it is derived from the folder's path.
  /// - Parameter folder: the folder's path, with a trailing slash.
  func id(of folder: String) -> String? { ids.isEmpty ? nil : ids[folder.precomposed] }

  /// Stores the id of a folder.
  /// - Parameter derived: the id that is derived from the folder's path; nil if the path is not known yet.
  mutating func add(_ folder: String, id: String, derived: String?) {
    ids[folder.precomposed] = id == derived ? nil : id
  }

  /// The new content of the file; nil if it is unchanged.
  var changed: [UInt8]? {
    var text: [UInt8] = []
    for (folder, id) in ids.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) })
    where !folder.utf8.contains(0x0A) {
      text += Array("\(id) \(folder)\n".utf8)
    }
    return text == old ? nil : text
  }
}

/// The notes that FleetKit last wrote into a vault. Each entry has a hash of the note's bytes, which distinguishes
/// edits from old versions, and a hash of the item's content at that time, so that an import has the base of an edited
/// note.
///
/// The file `.fleetkit/written` has one line per note, sorted by path: a 32-digit hash, `+`, the item's 64-digit
/// content hash, `+`, the item's time in milliseconds or nothing, `+`, the library's 16-digit id or nothing,
/// `+rendered` if the note was rendered from the record alone, a space, and the path. Older lines end after the id, the
/// time or the first hash. Other lines are ignored, so their notes count as edited. Git ignores the file, because the
/// notes that another computer wrote came from another library. A vault may also be shared without git; in this case,
/// the id identifies the library. The memory per note is its path and about 120 bytes.
///
/// A reader keeps no original of a note whose hash is in the entry of a rendered note. A forged line can lose only the
/// spelling of a note, because the reader checks that the record contains all the note's content.
/// - Source: formats/markdown.md, "What is written" and "What a record keeps of a note"
struct ExportedNotes {
  /// The first 16 bytes of a SHA-256, as 32 hexadecimal digits.
  typealias Hash = [UInt8]

  /// The path of the file in a vault.
  static let path = VaultPath.hiddenFolder + "/written"
  /// The path of the file that makes git ignore `written`.
  static let ignorePath = VaultPath.hiddenFolder + "/.gitignore"
  static let ignored = Array("written\nstaging-*\n".utf8)
  /// The maximum size of the file, in bytes. FleetKit does not write a longer file.
  static let longest = 1 << 30
  /// The maximum size of the file for imports, in bytes. Imports may read vaults from strangers, so a longer file, with
  /// about half a million notes, is not read.
  static let longestOfImport = 64 << 20

  /// The part of a line before the path.
  typealias Entry = [UInt8]

  private var before: [[UInt8]: Entry] = [:]
  private var now: [[UInt8]: Entry] = [:]
  /// The bytes of the existing file.
  private let old: [UInt8]

  /// Reads the file of a vault, if the file exists.
  /// - Parameters:
  ///   - vault: the vault's path; nil for a new vault.
  ///   - limit: the maximum size of the file in bytes; a longer file is ignored.
  init(vault: String?, limit: Int = longest) {
    old = vault.flatMap { SmallFile.bytes($0 + "/" + Self.path, limit: limit) } ?? []
    for line in old.split(separator: 0x0A) {
      guard let space = line.firstIndex(of: 0x20), space + 1 < line.endIndex, Self.isEntry(line[..<space]) else {
        continue
      }
      before[Array(line[(space + 1)...])] = Array(line[..<space])
    }
  }

  /// Whether bytes have the form of an entry that FleetKit writes.
  private static func isEntry(_ entry: ArraySlice<UInt8>) -> Bool {
    let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    return parts[0].count == 32
      && (parts.count == 1
        || 3...5 ~= parts.count && parts[1].count == 64
          && (parts.count < 5 || parts[4].elementsEqual(rendered)))
  }

  /// The word at the end of a rendered note's entry.
  private static let rendered = Array("rendered".utf8)

  /// Returns the entry of a note.
  /// - Parameters:
  ///   - line: the record that the note expresses.
  ///   - library: the id of the library from which the record comes; nil if it does not come from a library.
  ///   - isRendered: whether the note was rendered from the record alone, so that it contains no text that a person
  ///     typed.
  static func entry(
    _ bytes: [UInt8], of line: Span<UInt8>, library: String?, isRendered: Bool = false
  ) -> Entry {
    let hash = hash(bytes.span)
    guard let content = try? ContentHash.of(line: line) else { return hash }
    let document = try? JSONDocument(parsing: line)
    let updated = document?.root["updated_at"]?.string.flatMap { Timestamp.parse($0)?.0 }
    let library = library.map { "+" + $0 } ?? (isRendered ? "+" : "")
    return hash + Array("+\(content)+\(updated.map { String($0.milliseconds) } ?? "")\(library)".utf8)
      + (isRendered ? [UInt8(ascii: "+")] + rendered : [])
  }

  /// Returns the hash of the note that was rendered to a path; nil if the path has no entry, or if its note was not
  /// rendered.
  func renderedHash(at path: String) -> Hash? {
    guard let entry = before[Array(path.utf8)], entry.count > 32,
      entry.suffix(Self.rendered.count).elementsEqual(Self.rendered)
    else { return nil }
    return Array(entry.prefix(32))
  }

  /// Returns the last state of the record from which the note at a path was made; nil if unknown.
  func last(_ bytes: [UInt8], at path: String) -> LastWritten? {
    guard let entry = before[Array(path.utf8)] else { return nil }
    let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
    guard parts.count > 2 else { return nil }
    let content = String(decoding: parts[1], as: UTF8.self)
    let updated = Int64(String(decoding: parts[2], as: UTF8.self)).map { Timestamp(milliseconds: $0) }
    return LastWritten(
      isUntouched: parts[0].elementsEqual(Self.hash(bytes.span)), content: content, updated: updated,
      library: parts.count > 3 && !parts[3].isEmpty ? String(decoding: parts[3], as: UTF8.self) : nil)
  }

  /// Returns the number of notes that were written into a folder, not counting subfolders.
  /// - Parameter folder: the folder's path, with a trailing slash.
  func count(in folder: String) -> Int {
    let name = Array(folder.utf8)
    return before.keys.count { $0.starts(with: name) && !$0.dropFirst(name.count).contains(UInt8(ascii: "/")) }
  }

  /// For each note with an entry, by path, whether the note is one of several notes in a folder that form one record.
  var cards: [String: Bool] {
    var folders: [[UInt8]: [[UInt8]]] = [:]
    for (path, entry) in before {
      let parts = entry.split(separator: UInt8(ascii: "+"), omittingEmptySubsequences: false)
      guard parts.count > 2, let slash = path.lastIndex(of: UInt8(ascii: "/")) else { continue }
      folders[Array(path[...slash] + Array(parts[1])), default: []].append(path)
    }
    var cards: [String: Bool] = [:]
    for paths in folders.values {
      for path in paths { cards[String(decoding: path, as: UTF8.self)] = paths.count > 1 }
    }
    return cards
  }

  /// Returns a hash that identifies the bytes of a note.
  static func hash(_ bytes: Span<UInt8>) -> Hash {
    Array(Digest.hex(Array(Digest.sha256(bytes).prefix(16))).utf8)
  }

  /// The result of comparing a note with the bytes that FleetKit last wrote: the same bytes, other bytes, or unknown.
  enum Answer { case same, other, unknown }

  /// Compares the note at a path with its entry.
  func answer(_ bytes: [UInt8], at path: String) -> Answer {
    guard let entry = before[Array(path.utf8)] else { return .unknown }
    return entry.starts(with: Self.hash(bytes.span)) ? .same : .other
  }

  /// Stores the entry of a path until the end of the run.
  mutating func add(_ path: String, _ entry: Entry) { now[Array(path.utf8)] = entry }

  /// Returns the new content of the file; nil if it is unchanged.
  /// - Parameter isThere: returns whether a note that is not part of the run is still in the vault.
  func changed(where isThere: (String) -> Bool) -> [UInt8]? {
    var all = before.filter { now[$0.key] == nil && isThere(String(decoding: $0.key, as: UTF8.self)) }
    all.merge(now) { $1 }
    var text: [UInt8] = []
    text.reserveCapacity(old.count + 64)
    for (path, entry) in all.sorted(by: { $0.key.lexicographicallyPrecedes($1.key) })
    where !path.contains(0x0A) {
      text += entry
      text.append(0x20)
      text += path
      text.append(0x0A)
    }
    return text == old ? nil : text
  }
}

/// The notes that FleetKit last wrote into a vault, for the vault's readers. The file is read on first use.
final class VaultMemory: Sendable {
  /// The maximum size of a note that is read again, in bytes.
  private static let longest = 64 << 20

  private let vault: String
  private let written = Mutex<ExportedNotes?>(nil)

  /// - Parameter vault: the path of the vault's root.
  init(vault: String) { self.vault = vault }

  /// Returns the content that was written to the path of a note.
  /// - Parameters:
  ///   - file: the note's path in the file system.
  ///   - path: the note's path in the vault.
  func last(_ file: String, at path: String) -> LastWritten? {
    guard let bytes = SmallFile.bytes(file, limit: Self.longest) else { return nil }
    return known { $0.last(bytes, at: path.precomposed) }
  }

  /// Returns the content that was written to the notes of a deck. It counts as unchanged only if every note is
  /// unchanged, and no note was added or removed.
  /// - Parameter folder: the folder's path in the vault, with a trailing slash.
  func last(_ cards: [(file: String, path: String)], in folder: String) -> LastWritten? {
    let all = cards.map { last($0.file, at: $0.path) }
    guard let first = all.lazy.compactMap({ $0 }).first else { return nil }
    let isUntouched =
      all.allSatisfy { $0?.isUntouched ?? false } && known { $0.count(in: folder.precomposed) } == all.count
    return LastWritten(
      isUntouched: isUntouched, content: first.content, updated: first.updated, library: first.library)
  }

  /// Whether a note is unchanged since FleetKit rendered it from a record, so that it contains no text that a person
  /// typed.
  /// - Parameters:
  ///   - bytes: the bytes of the file.
  ///   - path: the note's path in the vault.
  func isRendered(_ bytes: Span<UInt8>, at path: String) -> Bool {
    guard let hash = known({ $0.renderedHash(at: path.precomposed) }) else { return false }
    return hash == ExportedNotes.hash(bytes)
  }

  /// For each note with an entry, by path in the vault, whether the note was written as a card of a deck.
  var cards: [String: Bool] { known { $0.cards } }

  private func known<Answer>(_ ask: (ExportedNotes) -> Answer) -> Answer {
    written.withLock { written in
      if let written { return ask(written) }
      let read = ExportedNotes(vault: vault, limit: ExportedNotes.longestOfImport)
      written = read
      return ask(read)
    }
  }
}
