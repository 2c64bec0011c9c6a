import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Edits of a library come back into people's own notes: the lines of what was edited, and no others.
@Suite struct NotesInPlaceTests {
  enum Edit: CaseIterable {
    case text, delete, insert, append, move, section, rename, details, minutes, required
  }

  private typealias Section = [String: Any]

  /// Edits a checklist as the app would.
  private static func apply(_ edit: Edit, to sections: inout [Section], _ random: inout SeededRandom) {
    func items(_ section: Int) -> [Section] { sections[section]["items"] as? [Section] ?? [] }
    func step(_ title: String) -> Section {
      ["id": UUID().uuidString, "title": title, "isOptional": false, "isRequired": false, "tags": [], "sortOrder": 0]
    }
    let section = random.below(sections.count)
    var own = items(section)
    let index = random.below(own.count)
    switch edit {
    case .text: own[index]["title"] = "\(own[index]["title"] ?? "") again"
    case .delete: own.remove(at: index)
    case .insert: own.insert(step("Grease the bearing"), at: index)
    case .append: own.append(step("Grease the bearing"))
    case .details: own[index]["itemDescription"] = "Slowly and with care."
    case .minutes: own[index]["estimatedMinutes"] = 5
    case .required: own[index]["isRequired"] = true
    case .rename: sections[section]["title"] = "\(sections[section]["title"] ?? "") part"
    case .section:
      sections.insert(
        ["id": UUID().uuidString, "title": "Afterwards", "sortOrder": 0, "items": [step("Write the log")]],
        at: 1 + random.below(sections.count))
    case .move:
      let moved = own.remove(at: index)
      sections[section]["items"] = own
      let target = (section + 1) % sections.count
      var other = items(target)
      other.insert(moved, at: random.below(other.count + 1))
      sections[target]["items"] = other
    }
    if edit != .move, edit != .section, edit != .rename { sections[section]["items"] = own }
    for section in sections.indices {
      sections[section]["sortOrder"] = section
      sections[section]["items"] = items(section).enumerated().map { $1.merging(["sortOrder": $0]) { $1 } }
    }
  }

  /// How many lines may differ at most: those of one step of the longest notation, or of a small section.
  private static func most(_ edit: Edit) -> Int {
    switch edit {
    case .text, .minutes, .required: 2
    case .rename: 2
    case .details: 10
    case .delete, .insert, .append: 8
    case .move: 14
    case .section: 6
    }
  }

  private static func difference(_ old: String, _ new: String) -> [String] {
    let (old, new) = (old.components(separatedBy: "\n"), new.components(separatedBy: "\n"))
    return new.difference(from: old).map { change in
      switch change {
      case .insert(_, let line, _): "+" + line
      case .remove(_, let line, _): "-" + line
      }
    }
  }

  /// What the checklists of a source say, ids included. Their times are those of files.
  private static func sections(_ source: String, _ scratch: Scratch) throws -> Set<String> {
    Set(
      try Vaults.records(source, scratch).map { line in
        let root = try JSONDocument(parsing: line).root
        return "\(root["id"]?.string ?? "") \(root["content_data"]?["sections"]?.text ?? "")"
      })
  }

  @Test(arguments: PeoplesNotes.styles) func anEditChangesItsOwnLines(_ style: String) throws {
    var random = SeededRandom(seed: UInt64(style.utf8.reduce(0) { $0 * 31 + Int($1) } & 0xFFFF))
    let scratch = Scratch()
    let (folder, library) = (scratch["notes"], scratch["anyfleet.sqlite"])
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    var notes: [Edit: (name: String, text: String)] = [:]
    for (number, edit) in Edit.allCases.enumerated() {
      let name = style == "cyrillic" ? "список \(number).md" : "\(style) checklist \(number).md"
      let text = PeoplesNotes.note(style, &random)
      _ = try scratch.write("notes/" + name, text)
      notes[edit] = (name, text)
    }
    #expect(try Vaults.add(folder, to: library).tally[.item].created == Edit.allCases.count)
    // Which note is which checklist: the text of one of its steps says it.
    let rows = try SQLiteShell.run(library, "SELECT id || ' ' || content FROM checklists").split(separator: "\n")
    #expect(rows.count == Edit.allCases.count)
    for row in rows {
      let (id, content) = (row.prefix(36), row.dropFirst(37))
      var sections = try #require(JSONSerialization.jsonObject(with: Data(content.utf8)) as? [Section])
      let titles = sections.flatMap { ($0["items"] as? [Section] ?? []).compactMap { $0["title"] as? String } }
      let edit = try #require(
        Edit.allCases.first { edit in titles.allSatisfy { notes[edit]?.text.contains($0) ?? false } })
      Self.apply(edit, to: &sections, &random)
      let json = String(decoding: try JSONSerialization.data(withJSONObject: sections), as: UTF8.self)
      _ = try SQLiteShell.run(
        library,
        """
        UPDATE checklists SET content = '\(json.replacing("'", with: "''"))', updatedAt = '2027-01-01 10:00:00.000'
          WHERE id = '\(id)';
        UPDATE library_content SET updatedAt = '2027-01-01 10:00:00.000' WHERE id = '\(id)';
        """)
    }
    try Vaults.convert(library, to: folder + "/", overwrites: true)
    for (edit, note) in notes {
      let now = try scratch.text("notes/" + note.name)
      let lines = Self.difference(note.text, now)
      #expect((1...Self.most(edit)).contains(lines.count), "\(style) \(edit): \(lines)")
      #expect(!lines.contains { $0.contains("id") && $0.contains("-4") }, "no id in \(style) \(edit)")
    }
    // Nothing of them is anywhere else, and all of it is in the notes.
    #expect(try scratch.text("notes/.fleetkit/library.jsonl").split(separator: "\n").count == 1)
    let first = try Vaults.marks(folder)
    try Vaults.convert(library, to: folder + "/", overwrites: true)
    #expect(try Vaults.marks(folder) == first)
    #expect(try Vaults.add(folder, to: library).tally[.item].unchanged == Edit.allCases.count)
    #expect(try Self.sections(folder, scratch) == Self.sections(library, scratch))
  }
}
