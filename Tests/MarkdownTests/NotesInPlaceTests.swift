import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Edits in a library are written back to people's own notes, in which only the edited lines change.
@Suite struct NotesInPlaceTests {
  enum Edit: CaseIterable {
    case text, delete, insert, append, move, section, rename, details, minutes, required
  }

  typealias Section = [String: Any]

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

  /// Returns the maximum number of lines that an edit may change: the lines of one step in the longest notation, or the
  /// lines of a small section.
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

  static func difference(_ old: String, _ new: String) -> [String] {
    // Swift treats CR LF as one character, so text is split by bytes.
    func lines(_ text: String) -> [String] {
      text.utf8.split(separator: 0x0A, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    }
    let (old, new) = (lines(old), lines(new))
    return new.difference(from: old).map { change in
      switch change {
      case .insert(_, let line, _): "+" + line
      case .remove(_, let line, _): "-" + line
      }
    }
  }

  /// An imported folder of notes in one style.
  private struct Folder {
    let scratch = Scratch()
    var notes: [(name: String, text: String)] = []
    var folder: String { scratch["notes"] }
    var library: String { scratch["anyfleet.sqlite"] }

    init(_ style: String, _ count: Int, _ random: inout SeededRandom) throws {
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      for number in 0..<count {
        let name = style == "cyrillic" ? "список \(number).md" : "\(style) checklist \(number).md"
        let text = PeoplesNotes.note(style, &random)
        let path = try scratch.write("notes/" + name, text)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000 + Double(number))], ofItemAtPath: path)
        notes.append((name, text))
      }
      #expect(try Vaults.add(folder, to: library).tally[.item].created == count)
    }

    /// Edits the checklists of the library as the app does, which gives a checklist and its item different times.
    func edit(_ body: (_ note: Int, _ sections: inout [Section]) throws -> Void) throws {
      // The titles of the steps reveal to which note each checklist belongs.
      let rows = try SQLiteShell.run(library, "SELECT id || ' ' || content FROM checklists").split(separator: "\n")
      #expect(rows.count == notes.count)
      for row in rows {
        let (id, content) = (row.prefix(36), row.dropFirst(37))
        var sections = try #require(JSONSerialization.jsonObject(with: Data(content.utf8)) as? [Section])
        let titles = sections.flatMap { ($0["items"] as? [Section] ?? []).compactMap { $0["title"] as? String } }
          .compactMap { $0.components(separatedBy: " › ").last }
        let note = try #require(
          notes.firstIndex { note in titles.allSatisfy { note.text.contains($0) } })
        try body(note, &sections)
        let json = String(decoding: try JSONSerialization.data(withJSONObject: sections), as: UTF8.self)
        _ = try SQLiteShell.run(
          library,
          """
          UPDATE checklists SET content = '\(json.replacing("'", with: "''"))', updatedAt = '2027-01-01 10:00:00.000'
            WHERE id = '\(id)';
          UPDATE library_content SET updatedAt = '2027-01-01 10:00:00.250' WHERE id = '\(id)';
          """)
      }
    }

    /// Exports, and expects that a second export and an import change nothing, and that both sides have the same
    /// content.
    /// - Returns: for each note, the lines that differ now.
    func export() throws -> [[String]] {
      try Vaults.convert(library, to: folder + "/", overwrites: true)
      let lines = try notes.map { NotesInPlaceTests.difference($0.text, try scratch.text("notes/" + $0.name)) }
      // The checklists are stored only in the notes, complete and with their times.
      #expect(try scratch.text("notes/.fleetkit/library.jsonl").split(separator: "\n").count == 1)
      let first = try Vaults.marks(folder)
      try Vaults.convert(library, to: folder + "/", overwrites: true)
      #expect(try Vaults.marks(folder) == first)
      #expect(try Vaults.add(folder, to: library).tally[.item].unchanged == notes.count)
      #expect(try Vaults.records(folder, scratch) == Vaults.records(library, scratch))
      return lines
    }
  }

  private static func random(_ style: String) -> SeededRandom {
    SeededRandom(seed: UInt64(style.utf8.reduce(0) { $0 * 31 + Int($1) } & 0xFFFF))
  }

  @Test(arguments: PeoplesNotes.styles) func anEditChangesItsOwnLines(_ style: String) throws {
    var random = Self.random(style)
    let folder = try Folder(style, Edit.allCases.count, &random)
    try folder.edit { Self.apply(Edit.allCases[$0], to: &$1, &random) }
    for (edit, lines) in zip(Edit.allCases, try folder.export()) {
      #expect((1...Self.most(edit)).contains(lines.count), "\(style) \(edit): \(lines)")
      #expect(!lines.contains { $0.contains("id") && $0.contains("-4") }, "no id in \(style) \(edit)")
    }
  }

  /// In nested tasks, an edited title changes its own line, and a renamed parent changes the prefix of its children.
  @Test func nestedStepsAreEditedInPlace() throws {
    var random = Self.random("subtasks")
    let folder = try Folder("subtasks", 8, &random)
    func step(_ title: String) -> Section {
      ["id": UUID().uuidString, "title": title, "isOptional": false, "isRequired": false, "tags": [], "sortOrder": 0]
    }
    try folder.edit { note, sections in
      var items = try #require(sections[0]["items"] as? [Section])
      let titles = items.compactMap { $0["title"] as? String }
      #expect(titles[1].hasPrefix(titles[0] + " › ") && titles[3].hasPrefix(titles[2] + " › "))
      switch note {
      case 0: items[1]["title"] = titles[1] + " again"
      case 1: items[0]["title"] = titles[0] + " part"
      case 2: items[1]["itemDescription"] = "Slowly.\n\nWith care."
      case 3: items[3]["estimatedMinutes"] = 5
      case 4: items.remove(at: 3)
      case 5: items.insert(step("Grease the bearing"), at: 2)
      case 6: items.insert(step(titles[0] + " › Grease it"), at: 2)
      default: items.removeFirst(2)
      }
      sections[0]["items"] = items.enumerated().map { $1.merging(["sortOrder": $0]) { $1 } }
    }
    try Vaults.convert(folder.library, to: folder.folder + "/", overwrites: true)
    let lines = try folder.notes.map { Self.difference($0.text, try folder.scratch.text("notes/" + $0.name)) }
    #expect(lines.map(\.count) == [2, 2, 4, 2, 1, 1, 1, 2], "\(lines)")
    #expect(lines[0].contains { $0.hasPrefix("+  - [ ] ") && $0.hasSuffix(" again") })
    #expect(lines[1].contains { $0.hasPrefix("+- [ ] ") && $0.hasSuffix(" part") })
    #expect(lines[2].filter { $0 != "+" } == ["+    Slowly.", "+    With care."])
    #expect(lines[5] == ["+- [ ] Grease the bearing"] && lines[6] == ["+  - [ ] Grease it"])
    let marks = try Vaults.marks(folder.folder)
    try Vaults.convert(folder.library, to: folder.folder + "/", overwrites: true)
    #expect(try Vaults.marks(folder.folder) == marks)
    // The library reads the new name of a parent step from the note.
    let tally = try Vaults.add(folder.folder, to: folder.library).tally[.item]
    #expect(tally.updated == 1 && tally.unchanged == 7)
    #expect(try Vaults.add(folder.folder, to: folder.library).tally[.item].unchanged == 8)
  }

  /// Random edits of four notes in each style, several edits per note.
  @Test(arguments: PeoplesNotes.styles) func editsAddUp(_ style: String) throws {
    var random = Self.random(style)
    let folder = try Folder(style, 4, &random)
    var most = [Int](repeating: 0, count: 4)
    try folder.edit { note, sections in
      for _ in 0...random.below(4) {
        let edit = random.pick(Edit.allCases)
        most[note] += Self.most(edit)
        Self.apply(edit, to: &sections, &random)
      }
    }
    for (note, lines) in try folder.export().enumerated() {
      #expect(lines.count <= most[note], "\(style) \(note): \(lines)")
    }
  }

  /// One step is edited in the note and another step in the library: both edits reach both sides.
  @Test(arguments: PeoplesNotes.styles) func editsOnBothSidesMerge(_ style: String) throws {
    var random = Self.random(style)
    let folder = try Folder(style, 3, &random)
    func title(_ section: Section, _ step: Int) -> String? {
      (section["items"] as? [Section])?[step]["title"] as? String
    }
    var theirs: [(old: String, note: Int)] = []
    try folder.edit { note, sections in
      var items = try #require(sections[0]["items"] as? [Section])
      items[1]["title"] = "\(items[1]["title"] ?? "") with care"
      sections[0]["items"] = items
      theirs.append((try #require(title(sections[1], 2)), note))
    }
    for (old, note) in theirs {
      let name = "notes/" + folder.notes[note].name
      let text = try folder.scratch.text(name)
      _ = try folder.scratch.write(name, text.replacing(old, with: old + " twice"))
    }
    let merged = try Vaults.add(folder.folder, to: folder.library)
    #expect(merged.tally[.item].updated == 3 && merged.tally[.item].rejected == 0)
    for lines in try folder.export() {
      #expect(
        lines.count == 4 && lines.count { $0.contains(" with care") || $0.contains(" twice") } == 2,
        "\(style): \(lines)")
    }
  }
}
