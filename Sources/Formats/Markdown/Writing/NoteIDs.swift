import Content
import JSONText

/// Ids of the sections and steps of one note that its lines do not contain, by title.
///
/// Equal titles are numbered in order. When a title is edited in the note, its entry no longer applies.
struct PartIDs: Equatable, Sendable {
  /// A title, and the number of earlier parts with the same title.
  struct Key: Hashable, Sendable {
    let title: [UInt8]
    let number: Int
  }

  private(set) var sections: [Key: [UInt8]] = [:]
  private(set) var steps: [Key: [UInt8]] = [:]

  var isEmpty: Bool { sections.isEmpty && steps.isEmpty }

  init() {}

  /// Collects the ids of a record that reading its note does not yield.
  /// - Returns: nil if the two do not have the same sections and steps.
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

  /// Sets the ids of sections and steps that have none.
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

  /// Reads the output of `write` and ignores anything else.
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

/// Ids of sections and steps that cannot be derived from the notes of a vault, stored in `.fleetkit/ids`.
///
/// A step keeps its id, and the ticks of charters, when its title is edited, although people's own notes contain no ids.
/// The file has one line of JSON per note, sorted by path: the path of the note, and for each part its title, its number
/// among equal titles, and its id. It is part of the vault.
/// - Source: formats/markdown.md, "What is written"
struct NoteIDs {
  /// Where it lies in a vault.
  static let path = VaultPath.hiddenFolder + "/ids"
  /// Longer files are ignored.
  private static let longest = 1 << 26

  private var notes: [String: PartIDs] = [:]
  /// The bytes of the existing file.
  private let old: [UInt8]

  /// Reads the file of a vault, if it has one.
  /// - Parameter vault: nil for a new vault.
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

  /// Stores the ids of the parts of a note.
  mutating func add(_ path: String, _ ids: PartIDs) { notes[path.precomposed] = ids.isEmpty ? nil : ids }

  /// The new content of the file; nil if it is unchanged.
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
