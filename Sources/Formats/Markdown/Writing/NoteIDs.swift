import Content
import JSONText

/// Ids of the sections and steps of one note whose lines say none, by title.
///
/// A title that stands in a note several times is told apart by its number among them. A title that was edited in the
/// note has no id here any more.
struct PartIDs: Equatable, Sendable {
  /// The title of a part, and how many parts of the note have it before this one.
  struct Key: Hashable, Sendable {
    let title: [UInt8]
    let number: Int
  }

  private(set) var sections: [Key: [UInt8]] = [:]
  private(set) var steps: [Key: [UInt8]] = [:]

  var isEmpty: Bool { sections.isEmpty && steps.isEmpty }

  init() {}

  /// The ids that a record has and the reading of its note has not.
  /// - Returns: nil where both do not have the same sections and steps.
  init?(read: ChecklistDraft, wanted: ChecklistDraft) {
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

  /// Gives sections and steps without an id theirs.
  func put(into checklist: inout ChecklistDraft) {
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

  /// Counts equal titles.
  private struct Numbers {
    private var counts: [[UInt8]: Int] = [:]

    mutating func key(_ title: SourcedText) -> Key {
      let number = counts[title.bytes, default: 0]
      counts[title.bytes] = number + 1
      return Key(title: title.bytes, number: number)
    }
  }

  // MARK: As JSON

  /// Reads what `write` wrote; what is something else counts as not there.
  init(_ json: JSONValue) {
    sections = Self.ids(json["sections"])
    steps = Self.ids(json["steps"])
  }

  private static func ids(_ list: JSONValue?) -> [Key: [UInt8]] {
    var ids: [Key: [UInt8]] = [:]
    for entry in list?.elements ?? [] {
      let parts = entry.elements
      guard parts.count == 3, let title = parts[0].string, let number = parts[1].integer, let id = parts[2].string,
        UUIDText.form(of: id) == .canonical
      else { continue }
      ids[Key(title: Array(title.utf8), number: Int(clamping: number))] = Array(id.utf8)
    }
    return ids
  }

  /// Appends the members of an object.
  func write(into out: inout ByteBuffer) {
    write("sections", sections, into: &out)
    write("steps", steps, into: &out)
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
      key.title.withUnsafeBufferPointer { out.appendJSONString($0) }
      out.append(utf8: ",\(key.number),")
      id.withUnsafeBufferPointer { out.appendJSONString($0) }
      out.append("]")
    }
    out.append("]")
  }
}

/// The ids of the sections and steps of a vault's notes, where they follow neither from a note's lines nor from its titles.
///
/// People's own notes say no ids in their lines, and a step keeps its id, and the ticks of charters, when its title is
/// edited. Kept in `.fleetkit/ids`, one line of JSON a note, in the order of paths: the note's path, and for each part
/// its title, its number among equal titles, and its id. It goes with the vault.
/// - Source: formats/markdown.md, "What is written"
struct NoteIDs {
  /// Where it lies in a vault.
  static let path = VaultPath.hiddenFolder + "/ids"
  /// A file that is longer is not ours.
  private static let longest = 1 << 26

  private var notes: [String: PartIDs] = [:]
  /// The bytes of the file that is there.
  private let old: [UInt8]

  /// Reads what a vault knows; nothing where there is no such file.
  /// - Parameter vault: nil for a vault that is not there yet.
  init(vault: String?) {
    old = vault.flatMap { FileBytes.bytes($0 + "/" + Self.path, limit: Self.longest) } ?? []
    for line in old.split(separator: 0x0A) {
      let document = line.withUnsafeBufferPointer { try? JSONDocument(parsing: $0) }
      guard let document, let note = document.root["note"]?.string else { continue }
      notes[note.precomposed] = PartIDs(document.root)
    }
  }

  /// The ids of the parts of a note.
  /// - Parameter path: its path in the vault.
  subscript(_ path: String) -> PartIDs { notes.isEmpty ? PartIDs() : notes[path.precomposed] ?? PartIDs() }

  /// Notes the ids of the parts of a note.
  mutating func add(_ path: String, _ ids: PartIDs) { notes[path.precomposed] = ids.isEmpty ? nil : ids }

  /// The file as it should be; nil where it is as it should be.
  var changed: [UInt8]? {
    var text = ByteBuffer(capacity: 4096)
    for (note, ids) in notes.sorted(by: { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }) {
      text.append("{\"note\":")
      text.appendJSONString(note)
      ids.write(into: &text)
      text.append("}\n")
    }
    let bytes = text.copy(0..<text.count)
    return bytes == old ? nil : bytes
  }
}
