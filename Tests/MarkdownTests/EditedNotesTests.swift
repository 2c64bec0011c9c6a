import FleetKit
import Foundation
import TestSupport
import Testing

@testable import Markdown

/// An export never replaces a note that was edited but not imported, or a note that cannot express a change.
@Suite struct EditedNotesTests {
  private static let note = "checklists/mob-man-overboard-v3.md"

  private func files(_ scratch: Scratch) throws -> [String: Data] { try Vaults.files(scratch["vault"]) }

  private func vault(_ scratch: Scratch) throws {
    _ = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try Vaults.convert(scratch["a.sqlite"], to: scratch["vault/"])
  }

  private func export(_ scratch: Scratch) throws -> Answer {
    try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"])
  }

  private func edit(_ scratch: Scratch, _ old: String = "Shout", _ new: String = "Bellow") throws -> String {
    let text = try scratch.text("vault/" + Self.note)
    try #require(text.contains(old))
    let edited = text.replacing(old, with: new)
    _ = try scratch.write("vault/" + Self.note, edited)
    return edited
  }

  /// Exports, and expects that the notes are unchanged, with one finding and one rejected item.
  private func expectLeft(
    _ scratch: Scratch, _ code: String, at position: String = "", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    func notes() throws -> [String: Data] { try files(scratch).filter { !$0.key.hasPrefix(".fleetkit/") } }
    let before = try notes()
    for options in [["--dry-run"], []] {
      let answer = try Shell.run(
        Paths.command, ["export", scratch["a.sqlite"], "--to", scratch["vault/"], "--overwrite"] + options)
      #expect(answer.status == 3, "\(answer.errors)", sourceLocation: sourceLocation)
      #expect(
        answer.errors.components(separatedBy: ".md\(position): warning[\(code)]").count == 2, "\(answer.errors)",
        sourceLocation: sourceLocation)
      #expect(try notes() == before, sourceLocation: sourceLocation)
    }
    let rejects = try scratch.text("vault.rejects.jsonl")
    let reasons = try scratch.text("vault.rejects.reasons.jsonl")
    #expect(
      rejects.split(separator: "\n").count { $0.contains("\"kind\":\"item\"") } == 1 && reasons.contains(code),
      sourceLocation: sourceLocation)
  }

  @Test func anEditedNoteStays() throws {
    let scratch = Scratch()
    try vault(scratch)
    let edited = try edit(scratch)
    try expectLeft(scratch, "MKD0116")
    #expect(try scratch.text("vault/" + Self.note) == edited)
    // The note still counts as edited, and the import reads the edit.
    try expectLeft(scratch, "MKD0116")
    #expect(try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"]).status == 0)
    #expect(try export(scratch).status == 0)
    #expect(try scratch.text("vault/" + Self.note) == edited)
  }

  @Test func whatFleetKitWroteIsReplacedInSilence() throws {
    let scratch = Scratch()
    try vault(scratch)
    let marks = try Vaults.marks(scratch["vault"])
    #expect(try export(scratch).status == 0)
    #expect(try Vaults.marks(scratch["vault"]) == marks)
    for title in ["One", "Two"] {
      _ = try Shell.run("sqlite3", [scratch["a.sqlite"], "UPDATE library_content SET title = '\(title)'"])
      let answer = try export(scratch)
      #expect(answer.status == 0 && !answer.errors.contains("MKD0116") && !answer.errors.contains("Nothing"))
    }
    #expect(try files(scratch).keys.allSatisfy { !$0.contains("set-aside") })
  }

  @Test func importedEditsAreTheLibrarys() throws {
    let scratch = Scratch()
    try vault(scratch)
    let edited = try edit(scratch)
    #expect(try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"]).status == 0)
    let answer = try export(scratch)
    #expect(answer.status == 0 && !answer.errors.contains("MKD0116"))
    #expect(try scratch.text("vault/" + Self.note).contains("Bellow") && edited.contains("Bellow"))
  }

  @Test func withoutMemoryTheContentDecides() throws {
    let scratch = Scratch()
    try vault(scratch)
    try FileManager.default.removeItem(atPath: scratch["vault/.fleetkit/written"])
    // Replacing the same content in a different notation would lose nothing.
    let text = try scratch.text("vault/" + Self.note)
    _ = try scratch.write("vault/" + Self.note, text + "\n\n")
    let typed = try export(scratch)
    #expect(typed.status == 0 && !typed.errors.contains("MKD0116"))
    try FileManager.default.removeItem(atPath: scratch["vault/.fleetkit/written"])
    let edited = try edit(scratch)
    let answer = try export(scratch)
    #expect(answer.status == 3 && answer.errors.contains("MKD0116"))
    #expect(try scratch.text("vault/" + Self.note) == edited)
  }

  @Test func brokenMemoryKeepsNotes() throws {
    let scratch = Scratch()
    try vault(scratch)
    let good = try scratch.text("vault/.fleetkit/written")
    _ = try scratch.write("vault/.fleetkit/written", "<<<<<<< ours\nx\n\n" + String(repeating: "é", count: 40) + "\n")
    _ = try edit(scratch)
    let edited = try scratch.text("vault/" + Self.note)
    #expect(try export(scratch).errors.contains("MKD0116"))
    #expect(try scratch.text("vault/" + Self.note) == edited)
    // The entries of the other notes are restored.
    let lines = Set(try scratch.text("vault/.fleetkit/written").split(separator: "\n"))
    #expect(lines == Set(good.split(separator: "\n").filter { !$0.hasSuffix(Self.note) }))
  }

  /// A vault may come from a stranger, so an import does not read every file in `.fleetkit` into memory.
  @Test func tooLongAMemoryIsNone() throws {
    let scratch = Scratch()
    try vault(scratch)
    let note = scratch["vault/" + Self.note]
    #expect(VaultMemory(vault: scratch["vault"]).last(note, at: Self.note)?.isUntouched == true)
    let file = try #require(FileHandle(forWritingAtPath: scratch["vault/.fleetkit/written"]))
    try file.truncate(atOffset: UInt64(ExportedNotes.longestOfImport) + 1)
    try file.close()
    #expect(VaultMemory(vault: scratch["vault"]).last(note, at: Self.note) == nil)
  }

  @Test func cardsStay() throws {
    let scratch = Scratch()
    for name in ["Bowline", "Clove hitch"] { try Notes.put("\(name) text\n", scratch["vault/cards/\(name).md"]) }
    #expect(
      try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create").status == 0)
    _ = try scratch.write("vault/cards/Bowline.md", "Edited\n")
    try expectLeft(scratch, "MKD0116")
    #expect(try scratch.text("vault/cards/Bowline.md") == "Edited\n")
  }

  // MARK: Notes that cannot be changed

  private static let list = "# Fuel\n\n## Before\n\n- [ ] Close the valve\n- [ ] Air the cabin\n"

  /// Imports a note that a person wrote, and changes its item in the library.
  private func listed(_ scratch: Scratch, _ sql: String, front: String = "") throws {
    try Notes.put(front + Self.list, scratch["vault/Fuel.md"])
    #expect(
      try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create").status == 0)
    try SQLiteShell.run(scratch["a.sqlite"], sql)
  }

  private static let edit =
    "UPDATE checklists SET content = replace(content, 'Air the cabin', 'Air the cabin well')"
  /// Lines of a list cannot hold an icon.
  private static let icon = "UPDATE checklists SET content = json_set(content, '$[0].icon', 'fuelpump')"

  @Test func aChangeThatANoteCannotExpress() throws {
    let scratch = Scratch()
    try listed(scratch, Self.icon)
    try expectLeft(scratch, "MKD0119", at: ":3:4")
    #expect(try scratch.text("vault/Fuel.md") == Self.list)
    let answer = try Shell.fleetkit(
      "export", scratch["a.sqlite"], "--to", scratch["vault/"], "--overwrite", "--rewrite-notes")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try scratch.text("vault/Fuel.md").contains("fuelpump"))
  }

  /// An icon and an edited step: the step is not written either, so that the note contains one version as a whole.
  @Test func halfAChangeIsNotWritten() throws {
    let scratch = Scratch()
    try listed(scratch, Self.icon + ";" + Self.edit)
    try expectLeft(scratch, "MKD0119", at: ":3:4")
    #expect(try scratch.text("vault/Fuel.md") == Self.list)
  }

  @Test func aReadOnlyNoteStays() throws {
    let scratch = Scratch()
    try listed(scratch, Self.edit)
    #expect(chmod(scratch["vault/Fuel.md"], 0o444) == 0)
    try expectLeft(scratch, "MKD0119")
    #expect(chmod(scratch["vault/Fuel.md"], 0o644) == 0)
    #expect(
      try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"], "--overwrite").status == 0)
    #expect(try scratch.text("vault/Fuel.md") == Self.list.replacing("cabin", with: "cabin well"))
  }

  @Test func aLinkStays() throws {
    let scratch = Scratch()
    try listed(scratch, Self.edit)
    try FileManager.default.moveItem(atPath: scratch["vault/Fuel.md"], toPath: scratch["outside.md"])
    try FileManager.default.createSymbolicLink(
      atPath: scratch["vault/Fuel.md"], withDestinationPath: scratch["outside.md"])
    try expectLeft(scratch, "MKD0119")
    #expect(try scratch.text("outside.md") == Self.list)
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: scratch["vault/Fuel.md"])
    #expect(target == scratch["outside.md"])
  }

  @Test func textThatIsNotUTF8Stays() throws {
    let scratch = Scratch()
    try listed(scratch, Self.edit)
    var bytes = Array(Self.list.utf8)
    bytes += [0xC3, 0x28, 0x00, 0xFF, 0xFE, 0x0A]
    try Data(bytes).write(to: URL(fileURLWithPath: scratch["vault/Fuel.md"]))
    try expectLeft(scratch, "MKD0116")
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["vault/Fuel.md"])) == Data(bytes))
  }

  @Test func twoNotesWithOneIDStay() throws {
    let scratch = Scratch()
    let front = "---\nid: \(Notes.id(7))\n---\n"
    try listed(scratch, Self.edit, front: front)
    try Notes.put(front + Self.list, scratch["vault/Fuel (copy).md"])
    try expectLeft(scratch, "MKD0119")
  }
}
