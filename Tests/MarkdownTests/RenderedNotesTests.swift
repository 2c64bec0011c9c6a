import Content
import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

@testable import Markdown

/// A record keeps the original of every note, except for notes that FleetKit itself is known to have rendered.
@Suite struct RenderedNotesTests {
  private static let library = Paths.libraries + "/library-v2.2.0.sqlite"
  private static let written = "vault/.fleetkit/written"

  /// Returns the paths of the notes whose originals a source's records keep.
  private func originals(_ source: String, _ scratch: Scratch) throws -> Set<String> {
    let records = try Vaults.records(source, scratch, originals: true)
    return Set(try records.compactMap { try JSONDocument(parsing: $0).root["extras"]?["markdown"]?["path"]?.string })
  }

  private func notes(_ scratch: Scratch, _ folder: String = "vault") throws -> [String: Data] {
    try Vaults.files(scratch[folder]).filter { $0.key.hasSuffix(".md") }
  }

  private func forget(_ scratch: Scratch) throws {
    try FileManager.default.removeItem(atPath: scratch[Self.written])
  }

  // MARK: Notes of known and unknown origin

  @Test func renderedNotesAreNotKept() throws {
    let scratch = Scratch()
    try Vaults.convert(Self.library, to: scratch["vault/"])
    try Vaults.convert(Self.library, to: scratch["copy.fleetpack"])
    let notes = try Set(notes(scratch).keys)
    #expect(notes.count > 20)
    #expect(try originals(scratch["vault"], scratch).isEmpty)
    #expect(try originals(scratch["vault/guides"], scratch).isEmpty)
    #expect(try originals(scratch["copy.fleetpack"], scratch).isEmpty)
    let records = try Vaults.records(scratch["vault"], scratch)
    try forget(scratch)
    #expect(try originals(scratch["vault"], scratch) == notes)
    #expect(try Vaults.records(scratch["vault"], scratch) == records)
  }

  /// In a git clone, for example, the hashes are missing.
  @Test func notesOfUnknownOriginComeBackByteForByte() throws {
    let scratch = Scratch()
    try Vaults.convert(Self.library, to: scratch["vault/"])
    try forget(scratch)
    try Vaults.convert(scratch["vault"], to: scratch["all.jsonl"])
    try Vaults.convert(scratch["all.jsonl"], to: scratch["other/"])
    #expect(try notes(scratch, "other") == notes(scratch))
    // The notes still count as written by people.
    #expect(try originals(scratch["other"], scratch) == Set(notes(scratch).keys))
  }

  @Test func aCloneOfAVaultChangesNothingInItsLibrary() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try Vaults.convert(library, to: scratch["vault/"])
    let before = try Vaults.records(library, scratch)
    try forget(scratch)
    for _ in 0..<2 {
      let tally = try Vaults.add(scratch["vault"], to: library).tally[.item]
      #expect(tally.unchanged == tally.read && tally.read > 20)
    }
    #expect(try Vaults.records(library, scratch) == before)
    let marks = try Vaults.marks(scratch["vault"]).filter { $0.key.hasSuffix(".md") }
    try Vaults.convert(library, to: scratch["vault/"])
    #expect(try Vaults.marks(scratch["vault"]).filter { $0.key.hasSuffix(".md") } == marks)
    let proof = try Shell.fleetkit("convert", scratch["vault"], "--to", scratch["new.sqlite"], "--prove", "-q")
    #expect(proof.status == 0, "\(proof.errors)")
  }

  @Test func linesWithoutTheMarkSayNothing() throws {
    let scratch = Scratch()
    try Vaults.convert(Self.library, to: scratch["vault/"])
    let lines = try scratch.text(Self.written)
    _ = try scratch.write(Self.written, lines.replacing("+rendered ", with: " "))
    #expect(try originals(scratch["vault"], scratch) == Set(notes(scratch).keys))
    // The next export writes the mark again, but no note.
    let marks = try Vaults.marks(scratch["vault"]).filter { $0.key.hasSuffix(".md") }
    try Vaults.convert(Self.library, to: scratch["vault/"])
    #expect(try scratch.text(Self.written) == lines)
    #expect(try Vaults.marks(scratch["vault"]).filter { $0.key.hasSuffix(".md") } == marks)
  }

  // MARK: People's notes

  @Test func notesThatWereEditedInPlaceAreKept() throws {
    let scratch = Scratch()
    try Vaults.add(Paths.root + "/samples/vault", to: scratch["own.sqlite"])
    try Vaults.convert(scratch["own.sqlite"], to: scratch["vault/"])
    #expect(try !scratch.text(Self.written).contains("+rendered "))
    #expect(try originals(scratch["vault"], scratch) == originals(Paths.root + "/samples/vault", scratch))
  }

  @Test func anEditAndAMoveAreKept() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try Vaults.convert(library, to: scratch["vault/"])
    let names = try notes(scratch).keys.filter { $0.hasPrefix("guides/") }.sorted()
    _ = try scratch.write("vault/" + names[0], scratch.text("vault/" + names[0]) + "\nA line more.\n")
    try Notes.put(scratch.text("vault/" + names[1]), scratch["vault/my own/place.md"])
    try FileManager.default.removeItem(atPath: scratch["vault/" + names[1]])
    #expect(try originals(scratch["vault"], scratch) == [names[0], "my own/place.md"])
    // The notes are still kept after a round trip through the library.
    try Vaults.add(scratch["vault"], to: library)
    try Vaults.convert(library, to: scratch["vault/"])
    #expect(try originals(scratch["vault"], scratch) == [names[0], "my own/place.md"])
  }

  /// A note that was moved but not imported has a path that its library does not contain.
  @Test func aMoveThatWasOnlyExportedIsKept() throws {
    let scratch = Scratch()
    try Vaults.convert(Self.library, to: scratch["vault/"])
    let name = try #require(try notes(scratch).keys.first { $0.hasPrefix("guides/") })
    try Notes.put(scratch.text("vault/" + name), scratch["vault/my own/place.md"])
    try FileManager.default.removeItem(atPath: scratch["vault/" + name])
    try Vaults.convert(Self.library, to: scratch["vault/"])
    #expect(try originals(scratch["vault"], scratch) == ["my own/place.md"])
  }

  // MARK: Forged hashes

  private static let head = "id: 0A000000-0000-4000-8000-000000000001\ntitle: Splicing\n"

  /// Writes a note into a vault with a mark that claims that FleetKit rendered it.
  private func forge(_ note: String, _ scratch: Scratch) throws {
    try Notes.put(note, scratch["vault/guides/splicing.md"])
    try Notes.put(
      "{\"kind\":\"bundle\",\"format\":\"fleetkit.bundle\",\"version\":1}\n", scratch["vault/" + VaultPath.records])
    let line = Array(Notes.guide(body: "x").utf8)
    let entry = ExportedNotes.entry(Array(note.utf8), of: line.span, library: nil, isRendered: true)
    try Notes.put(String(decoding: entry, as: UTF8.self) + " guides/splicing.md\n", scratch[Self.written])
  }

  @Test(arguments: [
    "---\n# mine\n\(head)type: guide\n---\nx\n",
    "---\n\(head)type: guide # mine\n---\nx\n",
    "---\n\(head)type: guide\ntags: [a, '#b', c] # mine\n---\nx\n",
    "---\n\(head)type: guide\nmood: calm\n---\nx\n",
    "---\n\(head)type: guide\ncreated: some day\n---\nx\n",
    "---\n\(head)type: guide\nis_pinned: perhaps\n---\nx\n",
    "---\n\(head)type: guide\ntitle: Again\n---\nx\n",
    "---\n\(head)type: guide\ndescription: >\n  a\n  # mine\n---\nx\n",
    "+++\nid = \"0A000000-0000-4000-8000-000000000001\"\ntype = \"guide\"\nmood = 1\n+++\nx\n",
    "---\ntitle: Splicing\ntype: guide\n---\nx\n",
    "# Splicing\n\nx\n",
    "---\n\(head)type: checklist\n---\n## A\n\n- [ ] one\n\n---\n\n- [ ] two\n",
    "---\ndescription: What it is for\n\(head)type: checklist\n---\nMore of it.\n\n## A\n\n- [ ] one\n\n## B\n\n- [ ] two\n",
    "---\n\(head)type: checklist\n---\n## A\n\n- [ ] one <!-- id=\(Notes.id(7)) -->\n- [ ] two <!-- id=\(Notes.id(7)) -->\n",
    "---\ndescription: What it is for\n\(head)type: deck\n---\nMore of it.\n\nQ: a\nA: b\n\nQ: c\nA: d\n",
  ])
  func whatARecordDoesNotSayIsKeptWhateverTheHashSays(_ note: String) throws {
    let scratch = Scratch()
    try forge(note, scratch)
    #expect(try originals(scratch["vault"], scratch) == ["guides/splicing.md"], "\(note)")
  }

  /// Notes that lose only their spelling when a forged hash is trusted.
  @Test(arguments: [
    "---\ntype: guide\n\(head)---\nx\n",
    "---\n\(head)description: 'At #2'\ntags: [ \"a\",b]\ntype:   'guide'\n---\nx\n",
    "---\n\(head)type: checklist\n---\n## A\n\n* [ ] one\n",
    "---\n\(head)type: deck\n---\nQ: a\nA: b\n\nQ: c\nA: d\n",
  ])
  func aForgedHashCostsTheSpelling(_ note: String) throws {
    let scratch = Scratch()
    try forge(note, scratch)
    #expect(try originals(scratch["vault"], scratch).isEmpty, "\(note)")
    let records = try Vaults.records(scratch["vault"], scratch, originals: true)
    try forget(scratch)
    #expect(try Vaults.records(scratch["vault"], scratch) == records)
  }
}
