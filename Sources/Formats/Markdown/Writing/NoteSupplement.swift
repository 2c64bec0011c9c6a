import Content
import JSONText
import MarkdownText

/// What a vault knows of a note that the note does not say: its id, its times, and the ids of its sections and steps.
struct NoteSupplement: Equatable, Sendable {
  /// Times as JSON strings; nil for each that the note says itself.
  struct Times: Equatable, Sendable {
    var created: [UInt8]?
    var updated: [UInt8]?
    /// Those of `content_data`, where they are not those of the item.
    var documentCreated: [UInt8]?
    var documentUpdated: [UInt8]?

    var isEmpty: Bool { created == nil && updated == nil && documentCreated == nil && documentUpdated == nil }
  }

  /// The id of a note that stood in the vault without one.
  var id: String?
  var times = Times()
  /// A hash of the text that `times` belong to: an edited text has the time of its file. Nil for any text.
  var text: [UInt8]?
  /// For checklists.
  var parts = PartIDs()

  var isEmpty: Bool { id == nil && times.isEmpty && parts.isEmpty }

  init() {}

  /// The times of a record, for any text.
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

  /// Leaves out the times that a note says itself, and ties the others to its text.
  /// - Parameters:
  ///   - read: the note as it was read with these times.
  ///   - reading: reads it with others.
  mutating func tie(
    to text: some Collection<UInt8>, read: NoteRecord, reading: (NoteSupplement) -> NoteRecord?
  ) {
    let (created, updated) = read.timesOfFile
    if !created { times.created = nil }
    if !updated { times.updated = nil }
    if times.documentCreated != nil || times.documentUpdated != nil {
      // Its front matter may have a document of its own.
      var without = self
      (without.times.documentCreated, without.times.documentUpdated) = (nil, nil)
      if let other = reading(without), NoteSupplement(timesOf: other).times == NoteSupplement(timesOf: read).times {
        self = without
      }
    }
    self.text = times.isEmpty ? nil : Self.hash(text)
  }

  /// What tells a text from others.
  static func hash(_ text: some Collection<UInt8>) -> [UInt8] {
    text.withContiguousStorageIfAvailable { FastHash.digits(of: $0) }
      ?? Array(text).withUnsafeBufferPointer { FastHash.digits(of: $0) }
  }

  /// The times that hold for a text.
  func times(of text: @autoclosure () -> [UInt8]) -> Times {
    guard let own = self.text, !times.isEmpty, own != Self.hash(text()) else { return times }
    var times = Times()
    times.created = self.times.created
    times.documentCreated = self.times.documentCreated
    return times
  }

  // MARK: As JSON

  /// Reads the output of `write` and ignores anything else.
  init(_ json: JSONValue) {
    id = json["id"]?.string.flatMap { UUIDText.form(of: $0) == .canonical ? $0 : nil }
    func time(_ name: String) -> [UInt8]? {
      json[name]?.string.flatMap { Timestamp.parse($0) == nil ? nil : NoteMetadata.json($0) }
    }
    times = Times(
      created: time("created_at"), updated: time("updated_at"), documentCreated: time("createdAt"),
      documentUpdated: time("updatedAt"))
    text = Array((json["text"]?.string ?? "").utf8)
    parts = PartIDs(json)
  }

  /// Appends the members of an object.
  func write(into out: inout ByteBuffer) {
    func member(_ name: StaticString, _ json: [UInt8]?) {
      guard let json else { return }
      out.append(",\"")
      out.append(name)
      out.append("\":")
      json.withUnsafeBufferPointer { out.append($0) }
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

/// What the notes of a vault do not say, stored in `.fleetkit/notes`.
///
/// People's own notes contain no ids and often no dates. With this file an item keeps its times, and a step its id and
/// the ticks of charters, wherever the vault is read. The file has one line of JSON per note, sorted by path. It is part
/// of the vault.
/// - Source: formats/markdown.md, "What is written"
struct NoteSupplements {
  /// Where it lies in a vault.
  static let path = VaultPath.hiddenFolder + "/notes"
  /// Longer files are ignored.
  private static let longest = 1 << 26

  /// The lines of the existing file, by the paths of notes. A vault may be a stranger's, so they are parsed when asked for.
  private var lines: [String: Range<Int>] = [:]
  /// What has changed; nil for a note that says everything itself.
  private var changes: [String: NoteSupplement?] = [:]
  /// The bytes of the existing file.
  private let old: [UInt8]

  /// Reads the file of a vault, if it has one.
  /// - Parameter vault: nil for a new vault.
  init(vault: String?) {
    old = vault.flatMap { FileBytes.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    for line in old.split(separator: 0x0A) {
      guard let note = Self.parsed(line)?["note"]?.string else { continue }
      lines[note.precomposed] = line.indices
    }
  }

  private static func parsed(_ line: ArraySlice<UInt8>) -> JSONValue? {
    line.withUnsafeBufferPointer { try? JSONDocument(parsing: $0) }?.root
  }

  /// What is known of a note.
  /// - Parameter path: its path in the vault; of a deck that is a folder of cards, the folder's with a slash at its end.
  subscript(_ path: String) -> NoteSupplement {
    if lines.isEmpty { return NoteSupplement() }
    return lines[path.precomposed].flatMap { Self.parsed(old[$0]) }.map { NoteSupplement($0) } ?? NoteSupplement()
  }

  /// Stores what a note does not say.
  mutating func add(_ path: String, _ supplement: NoteSupplement) {
    changes[path.precomposed] = .some(supplement.isEmpty ? nil : supplement)
  }

  /// The new content of the file; nil if it is unchanged.
  var changed: [UInt8]? {
    var text = ByteBuffer(capacity: 4096)
    for note in Set(lines.keys).union(changes.keys).sorted(by: { $0.utf8.lexicographicallyPrecedes($1.utf8) }) {
      guard let change = changes[note] else {
        if let line = lines[note] { old[line].withUnsafeBufferPointer { text.append($0) } }
        text.append("\n")
        continue
      }
      guard let supplement = change else { continue }
      text.append("{\"note\":")
      text.appendJSONString(note)
      supplement.write(into: &text)
      text.append("}\n")
    }
    let bytes = text.copy(0..<text.count)
    return bytes == old ? nil : bytes
  }
}
