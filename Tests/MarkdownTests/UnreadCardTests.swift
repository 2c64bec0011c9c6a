import Foundation
import TestSupport
import Testing

/// A deck in a folder of notes loses no card whose note still exists.
@Suite struct UnreadCardTests {
  private static let names = ["Anchor", "Bowline", "Clove hitch", "Reef knot"]

  private func add(_ scratch: Scratch) throws -> Answer {
    try Shell.fleetkit("import", scratch["vault"], "--into", scratch["a.sqlite"], "--create")
  }

  /// Creates a library with a deck, and the vault from which the deck was read.
  private func library() throws -> Scratch {
    let scratch = Scratch()
    for name in Self.names { try Notes.put("What \(name) is for\n", scratch["vault/cards/\(name).md"]) }
    #expect(try add(scratch).status == 0)
    return scratch
  }

  private static let broken: [String] = [
    "What it is for\n" + String(repeating: "more\n", count: 4096),
    "What \0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0 for\n",
    "---\ntype: practice_guide\n---\nWhat it is for\n",
  ]

  @Test(arguments: broken) func anExportedDeckKeepsItsCards(_ text: String) throws {
    let scratch = try library()
    let before = try Vaults.records(scratch["a.sqlite"], scratch)
    #expect(before.count == 1)
    try FileManager.default.removeItem(atPath: scratch["vault"])
    #expect(try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"]).status == 0)
    try Notes.put(text, scratch["vault/cards/Bowline.md"])
    let answer = try add(scratch)
    #expect(answer.status == 3 && answer.errors.contains("cards/Bowline.md"))
    #expect(answer.errors.contains("error[MKD0117]"))
    #expect(try Vaults.records(scratch["a.sqlite"], scratch) == before)
    // The note is kept complete, and the deck is read again once the note is a card again.
    try Notes.put("What Bowline is for\n", scratch["vault/cards/Bowline.md"])
    #expect(try add(scratch).status == 0)
    #expect(try Vaults.records(scratch["a.sqlite"], scratch) == before)
  }

  @Test(arguments: broken.dropLast()) func aDeckThatWasImportedKeepsItsCards(_ text: String) throws {
    let scratch = try library()
    let before = try Vaults.records(scratch["a.sqlite"], scratch)
    try Notes.put(text, scratch["vault/cards/Bowline.md"])
    let answer = try add(scratch)
    #expect(answer.status == 3 && answer.errors.contains("cards/Bowline.md"))
    #expect(answer.errors.contains("error[MKD0117]"))
    #expect(try Vaults.records(scratch["a.sqlite"], scratch) == before)
  }

  @Test func aNoteThatWasDeletedTakesItsCardAlong() throws {
    let scratch = try library()
    #expect(try Shell.fleetkit("export", scratch["a.sqlite"], "--to", scratch["vault/"], "--overwrite").status == 0)
    try FileManager.default.removeItem(atPath: scratch["vault/cards/Bowline.md"])
    #expect(try add(scratch).status == 0)
    let after = try Vaults.records(scratch["a.sqlite"], scratch)
    #expect(after.count == 1)
    #expect(after.first?.contains("Bowline") == false && after.first?.contains("Reef knot") ?? false)
  }
}
