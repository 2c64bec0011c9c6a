import FleetKit
import Foundation
import TestSupport
import Testing

@testable import Markdown

/// An export replaces no note that somebody edited without keeping it.
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

  @Test func anEditedNoteIsKept() throws {
    let scratch = Scratch()
    try vault(scratch)
    let before = try files(scratch)
    let edited = try edit(scratch)
    let dry = try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"], "--dry-run")
    #expect(dry.status == 0 && dry.errors.contains("MKD0116"))
    #expect(try scratch.text("vault/" + Self.note) == edited)
    let answer = try export(scratch)
    let copy = ".fleetkit/set-aside/checklists - mob-man-overboard-v3.md"
    #expect(answer.status == 0 && answer.errors.contains("warning[MKD0116]"))
    #expect(answer.errors.contains(Self.note) && answer.errors.contains("'\(copy)'"))
    var after = try files(scratch)
    #expect(after.removeValue(forKey: copy) == Data(edited.utf8))
    #expect(after == before)
    // Once more, other words: the first copy stays.
    let again = try edit(scratch, "Shout", "Cry")
    #expect(try export(scratch).status == 0)
    #expect(try scratch.text("vault/" + copy) == edited)
    #expect(try scratch.text("vault/.fleetkit/set-aside/2 checklists - mob-man-overboard-v3.md") == again)
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
    // The same in other typing is nothing that could be lost.
    let text = try scratch.text("vault/" + Self.note)
    _ = try scratch.write("vault/" + Self.note, text + "\n\n")
    let typed = try export(scratch)
    #expect(typed.status == 0 && !typed.errors.contains("MKD0116"))
    try FileManager.default.removeItem(atPath: scratch["vault/.fleetkit/written"])
    let edited = try edit(scratch)
    let answer = try export(scratch)
    #expect(answer.status == 0 && answer.errors.contains("MKD0116"))
    #expect(try scratch.text("vault/.fleetkit/set-aside/checklists - mob-man-overboard-v3.md") == edited)
  }

  @Test func brokenMemoryKeepsNotes() throws {
    let scratch = Scratch()
    try vault(scratch)
    let good = try scratch.text("vault/.fleetkit/written")
    _ = try scratch.write("vault/.fleetkit/written", "<<<<<<< ours\nx\n\n" + String(repeating: "é", count: 40) + "\n")
    _ = try edit(scratch)
    #expect(try export(scratch).errors.contains("MKD0116"))
    #expect(try scratch.text("vault/.fleetkit/written") == good)
  }

  /// A vault may come from a stranger: an import does not take whatever lies there into memory.
  @Test func tooLongAMemoryIsNone() throws {
    let scratch = Scratch()
    try vault(scratch)
    let note = scratch["vault/" + Self.note]
    #expect(VaultMemory(vault: scratch["vault"]).last(note, at: Self.note)?.isUntouched == true)
    let file = try #require(FileHandle(forWritingAtPath: scratch["vault/.fleetkit/written"]))
    try file.truncate(atOffset: UInt64(WrittenNotes.longestOfImport) + 1)
    try file.close()
    #expect(VaultMemory(vault: scratch["vault"]).last(note, at: Self.note) == nil)
  }

  @Test func cardsAreKept() throws {
    let scratch = Scratch()
    for name in ["Bowline", "Clove hitch"] { try Notes.put("\(name) text\n", scratch["vault/cards/\(name).md"]) }
    #expect(
      try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create").status == 0)
    _ = try scratch.write("vault/cards/Bowline.md", "Edited\n")
    let answer = try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"], "--overwrite")
    #expect(answer.status == 0 && answer.errors.contains("MKD0116"))
    #expect(try scratch.text("vault/cards/Bowline.md") == "Bowline text\n")
    #expect(try scratch.text("vault/.fleetkit/set-aside/cards - Bowline.md") == "Edited\n")
  }
}
