import FleetKit
import Foundation
import TestSupport
import Testing

/// Notes without ids that were renamed, edited, moved with their folder, or read in another location.
@Suite struct RecognizedNotesTests {
  private static let ids = "SELECT group_concat(id || title, ';') FROM (SELECT * FROM library_content ORDER BY id)"

  /// Creates and imports a folder of four notes and a folder of cards.
  private static func folder() throws -> Scratch {
    let scratch = Scratch()
    for folder in ["notes", "notes/cards"] {
      try FileManager.default.createDirectory(atPath: scratch[folder], withIntermediateDirectories: true)
    }
    let notes = [
      "Fuel.md": "# Fuel\n\n- [ ] Close the valve\n- [ ] Open the vent\n- [ ] Fill\n- [ ] Wipe\n",
      "Gas.md": "# Gas\n\n- [ ] Close the bottle\n- [ ] Air the cabin\n- [ ] Smell\n",
      "Anchor.md": "# Anchoring\n\nDrop the hook slowly.\n\nThen back down.\n\nTake a bearing.\n",
      "Dock.md": "# Docking\r\n\r\n____ Fenders\r\n____ Lines\r\n____ Boathook\r\n",
    ]
    for (name, text) in notes { _ = try scratch.write("notes/" + name, text) }
    for card in 1...4 { _ = try scratch.write("notes/cards/c\(card).md", "Light \(card)?\n?\nAnswer \(card)\n") }
    for (number, name) in try FileManager.default.subpathsOfDirectory(atPath: scratch["notes"]).sorted().enumerated() {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_500_000_000 + Double(number))],
        ofItemAtPath: scratch["notes/" + name])
    }
    #expect(try Shell.fleetkit("import", scratch["notes"], "--into", scratch["a.sqlite"], "--create").status == 0)
    return scratch
  }

  private static func sql(_ scratch: Scratch, _ statement: String) throws -> String {
    try SQLiteShell.run(scratch["a.sqlite"], statement).trimmingCharacters(in: .whitespacesAndNewlines)
  }

  private static func add(_ scratch: Scratch, _ folder: String, _ options: String...) throws -> Answer {
    try Shell.run(Paths.command, ["import", scratch[folder], "--into", scratch["a.sqlite"]] + options)
  }

  private static func export(_ scratch: Scratch, _ folder: String) throws -> Answer {
    try Shell.run(
      Paths.command, ["export", scratch["a.sqlite"], "--to", scratch[folder + "/"], "--overwrite", "--prove"])
  }

  private static func rename(_ scratch: Scratch) throws {
    try FileManager.default.removeItem(atPath: scratch["notes/Fuel.md"])
    _ = try scratch.write(
      "notes/At the pump.md",
      "# Refuelling\n\n- [ ] Close the valve\n- [ ] Open the vent\n- [ ] Fill slowly\n- [ ] Wipe\n")
  }

  @Test func aRenamedAndEditedNoteIsTheSameItem() throws {
    let scratch = try Self.folder()
    let id = try Self.sql(scratch, "SELECT id FROM library_content WHERE title = 'Fuel'")
    try Self.rename(scratch)
    let plan = try Self.add(scratch, "notes", "--plan", scratch["plan.json"])
    #expect(plan.status == 0)
    #expect(try scratch.text("plan.json").components(separatedBy: "\"action\":\"rename\"").count == 2)
    #expect(try Shell.fleetkit("apply", scratch["plan.json"]).status == 0)
    #expect(try Self.sql(scratch, "SELECT title FROM library_content WHERE id = '\(id)'") == "Refuelling")
    #expect(try Self.sql(scratch, "SELECT count(*) FROM library_content") == "4")
    // A change in the app is written only to the renamed note, and no id is added to the note.
    _ = try Self.sql(scratch, "UPDATE checklists SET content = replace(content, 'Open the vent', 'Open both vents')")
    let answer = try Self.export(scratch, "notes")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(
      try scratch.text("notes/At the pump.md")
        == "# Refuelling\n\n- [ ] Close the valve\n- [ ] Open both vents\n- [ ] Fill slowly\n- [ ] Wipe\n")
    #expect(!FileManager.default.fileExists(atPath: scratch["notes/Fuel.md"]))
    #expect(!FileManager.default.fileExists(atPath: scratch["notes/checklists"]))
    let again = try Self.add(scratch, "notes", "--json")
    #expect(again.status == 0 && again.number("/total/unchanged") == again.number("/total/read"))
  }

  @Test func withoutAnAnswerItIsANewItem() throws {
    let scratch = try Self.folder()
    try Self.rename(scratch)
    let declined = try Self.add(scratch, "notes")
    #expect(declined.status == 0 && declined.errors.contains("At the pump.md:1:1: warning[IMP0110]"))
    #expect(try Self.sql(scratch, "SELECT count(*) FROM library_content") == "5")
    #expect(try Shell.run(Paths.command, ["undo", "2", scratch["a.sqlite"], "--yes"]).status == 0)
    let accepted = try Self.add(scratch, "notes", "--yes", "-v")
    #expect(accepted.status == 0 && accepted.errors.contains("note[IMP0109]"), "\(accepted.errors)")
    #expect(try Self.sql(scratch, "SELECT count(*) FROM library_content") == "4")
  }

  @Test func aNoteThatSharesLittleIsANewItem() throws {
    let scratch = try Self.folder()
    try FileManager.default.removeItem(atPath: scratch["notes/Fuel.md"])
    _ = try scratch.write("notes/Water.md", "# Water\n\n- [ ] Open the deck cap\n- [ ] Fill\n- [ ] Wipe\n- [ ] Taste\n")
    let answer = try Self.add(scratch, "notes", "--yes", "-v")
    #expect(answer.status == 0 && !answer.errors.contains("IMP0109"))
    #expect(try Self.sql(scratch, "SELECT count(*) FROM library_content") == "5")
  }

  @Test func aMovedFolderHasTheSameItems() throws {
    let scratch = try Self.folder()
    let ids = try Self.sql(scratch, Self.ids)
    try FileManager.default.moveItem(atPath: scratch["notes"], toPath: scratch["moved"])
    _ = try scratch.write("moved/Gas.md", "# Gas\n\n- [ ] Close the bottle\n- [ ] Air the cabin\n- [ ] Sniff\n")
    let plan = try Self.add(scratch, "moved", "--plan", scratch["plan.json"])
    #expect(plan.status == 0)
    #expect(try scratch.text("plan.json").components(separatedBy: "\"action\":\"rename\"").count == 6)
    let answer = try Self.add(scratch, "moved", "--yes", "-v")
    #expect(answer.status == 0 && answer.errors.contains("moved: note[IMP0109]"), "\(answer.errors)")
    #expect(try Self.sql(scratch, Self.ids) == ids)
    #expect(try Self.sql(scratch, "SELECT content FROM checklists WHERE title = 'Gas'").contains("Sniff"))
    // Edits are written to the moved notes and only there.
    _ = try Self.sql(scratch, "UPDATE checklists SET content = replace(content, 'Lines', 'Four lines')")
    #expect(try Self.export(scratch, "moved").status == 0)
    #expect(
      try scratch.text("moved/Dock.md") == "# Docking\r\n\r\n____ Fenders\r\n____ Four lines\r\n____ Boathook\r\n")
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["moved"]).count == 6)
    let again = try Self.add(scratch, "moved", "--json")
    #expect(again.number("/total/unchanged") == again.number("/total/read"), "\(again.output)")
  }

  @Test func aFolderThatIsStillThereWasNotMoved() throws {
    let scratch = try Self.folder()
    try FileManager.default.copyItem(atPath: scratch["notes"], toPath: scratch["copy"])
    try FileManager.default.removeItem(atPath: scratch["copy/cards"])
    let answer = try Self.add(scratch, "copy", "--yes", "-v")
    #expect(answer.status == 0 && !answer.errors.contains("IMP0109") && answer.errors.contains("IMP0107"))
    #expect(try Self.sql(scratch, "SELECT count(*) FROM library_content") == "8")
  }

  @Test func timesAreTheSameElsewhere() throws {
    let scratch = try Self.folder()
    _ = try Self.sql(
      scratch,
      """
      UPDATE checklists SET updatedAt = '2026-02-03 04:05:06.789' WHERE title = 'Fuel';
      UPDATE library_content SET updatedAt = '2026-02-03 04:05:06.999' WHERE title = 'Fuel';
      """)
    for folder in ["notes", "other"] { #expect(try Self.export(scratch, folder).status == 0) }
    #expect(try scratch.text("notes/Fuel.md").hasPrefix("# Fuel\n"), "no front matter")
    for folder in ["notes", "other"] {
      let copy = "copy of \(folder)"
      try FileManager.default.copyItem(atPath: scratch[folder], toPath: scratch[copy])
      // New modification times, as in a git checkout.
      for name in try FileManager.default.subpathsOfDirectory(atPath: scratch[copy]) {
        try FileManager.default.setAttributes([.modificationDate: Date()], ofItemAtPath: scratch[copy + "/" + name])
      }
      let there = try Vaults.records(scratch[copy], scratch)
      let mine = try Vaults.records(scratch["a.sqlite"], scratch)
      #expect(Self.times(there) == Self.times(mine))
      // An edited note has a new modification time and its old creation time.
      let note = try scratch.text(copy + "/Fuel.md")
      _ = try scratch.write(copy + "/Fuel.md", note.replacing("Wipe", with: "Dry"))
      let edited = try Vaults.records(scratch[copy], scratch).first { $0.contains("\"Fuel\"") } ?? ""
      #expect(!edited.contains("2026-02-03T04:05:06") && edited.contains("\"created_at\":\"2017-07-14T"))
    }
  }

  private static func times(_ records: Set<String>) -> [String] {
    records.map { line in
      line.matches(of: /"(title|created_at|updated_at|createdAt|updatedAt)":("[^"]*")/).map { String($0.output.0) }
        .filter { !$0.hasPrefix("\"title") || !line.contains("\"items\"") }.joined(separator: " ")
    }.sorted()
  }

  /// A paragraph of a guide, which is stored only in the guide.
  @Test func aGuideChangesItsParagraph() throws {
    let scratch = try Self.folder()
    _ = try Self.sql(scratch, "UPDATE practice_guides SET markdown = replace(markdown, 'slowly', 'very slowly')")
    #expect(try Self.export(scratch, "notes").status == 0)
    #expect(
      try scratch.text("notes/Anchor.md")
        == "# Anchoring\n\nDrop the hook very slowly.\n\nThen back down.\n\nTake a bearing.\n")
    // A guide that was edited on both sides stays unchanged.
    let edited = try scratch.text("notes/Anchor.md") + "\nAnd wait.\n"
    _ = try scratch.write("notes/Anchor.md", edited)
    _ = try Self.sql(scratch, "UPDATE practice_guides SET markdown = replace(markdown, 'back down', 'go astern')")
    let answer = try Self.export(scratch, "notes")
    #expect(answer.status == 3 && answer.errors.contains("MKD0116"))
    #expect(try scratch.text("notes/Anchor.md") == edited)
  }

  /// Notes in old code pages and in UTF-16 keep their encoding. A character that the encoding lacks cannot be
  /// expressed.
  @Test(arguments: ["cp1251", "utf-16"]) func anEncodingStays(_ encoding: String) throws {
    let scratch = Scratch()
    try FileManager.default.createDirectory(atPath: scratch["notes"], withIntermediateDirectories: true)
    func text(_ step: String) -> String {
      "# Проверка\r\n\r\n- [ ] Закрыть кран\r\n- [ ] \(step)\r\n- [ ] Проверить масло\r\n"
    }
    func encoded(_ text: String) throws -> Data {
      let cyrillic: String.Encoding = .windowsCP1251
      return encoding == "cp1251" ? try #require(text.data(using: cyrillic)) : try #require(text.data(using: .utf16))
    }
    let path = scratch["notes/Список.md"]
    try encoded(text("Открыть клапан")).write(to: URL(fileURLWithPath: path))
    #expect(try Shell.fleetkit("import", scratch["notes"], "--into", scratch["a.sqlite"], "--create").status == 0)
    #expect(try Self.export(scratch, "notes").status == 0)
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == encoded(text("Открыть клапан")))
    _ = try Self.sql(scratch, "UPDATE checklists SET content = replace(content, 'Открыть', 'Закрыть')")
    let answer = try Self.export(scratch, "notes")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == encoded(text("Закрыть клапан")))
    _ = try Self.sql(scratch, "UPDATE checklists SET content = replace(content, 'Закрыть клапан', 'Закрыть ⚓')")
    let last = try Self.export(scratch, "notes")
    #expect(last.status == (encoding == "cp1251" ? 3 : 0), "\(last.errors)")
    let wanted = try encoded(text(encoding == "cp1251" ? "Закрыть клапан" : "Закрыть ⚓"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == wanted)
  }

  @Test func onAFullDiskNothingChanges() throws {
    let scratch = try Self.folder()
    let disk = scratch["disk"]
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
    let mounted = try Shell.run("mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", disk])
    guard mounted.status == 0 else {
      if Judges.areRequired { Issue.record("\(mounted.errors)") }
      return
    }
    defer { _ = try? Shell.run("umount", ["-l", disk]) }
    try FileManager.default.moveItem(atPath: scratch["notes"], toPath: disk + "/notes")
    #expect(try Self.add(scratch, "disk/notes", "--yes").status == 0)
    _ = try Self.sql(
      scratch,
      """
      UPDATE checklists SET content = replace(content, 'Fill', 'Fill up');
      UPDATE practice_guides SET markdown = replace(markdown, 'slowly', 'very slowly');
      """)
    // The first round has no free space, and each further round has one more page.
    _ = try? Shell.run("dd", ["if=/dev/zero", "of=\(disk)/filler", "bs=4096"])
    var size = FileManager.default.contents(atPath: disk + "/filler")?.count ?? 0
    let before = try Vaults.files(disk + "/notes")
    var failed = 0
    while size > 0 {
      let answer = try Self.export(scratch, "disk/notes")
      let after = try Vaults.files(disk + "/notes")
      if answer.status == 0 {
        #expect(after["Fuel.md"] != before["Fuel.md"] && after["Anchor.md"] != before["Anchor.md"])
        break
      }
      failed += 1
      #expect(answer.status == 2 && after == before, "\(answer.errors)")
      size -= 4096
      #expect(truncate(disk + "/filler", off_t(size)) == 0)
    }
    #expect(failed > 0 && size > 0)
  }
}
