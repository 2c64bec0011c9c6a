import FleetKit
import Foundation
import TestSupport
import Testing

/// People's own vaults, without ids and with or without dates, imported repeatedly.
@Suite struct VaultImportTests {
  private static let undated = "checklists/Engine start.md"
  private static let dated = "guides/Reefing.md"

  /// The sample vault under its own name, so that it can be moved, and a library.
  private struct Sample {
    let scratch = Scratch()
    let items: Int
    var vault: String { scratch["vault"] }
    var library: String { scratch["anyfleet.sqlite"] }

    init() throws {
      try FileManager.default.copyItem(atPath: Paths.root + "/samples/vault", toPath: scratch["vault"])
      _ = try scratch.write("vault/.fleetkit.yml", "source: my-vault\n")
      let tally = try Vaults.add(scratch["vault"], to: scratch["anyfleet.sqlite"]).tally
      items = tally[.item].created
      #expect(items == 24 && tally[.attachment].created == 4 && tally.total.rejected == 0)
    }

    func edit(_ note: String, _ old: String, _ new: String, in folder: String = "vault") throws {
      let text = try scratch.text("\(folder)/\(note)")
      try #require(text.contains(old))
      _ = try scratch.write("\(folder)/\(note)", text.replacing(old, with: new))
    }

    func move(_ note: String, to name: String) throws {
      try FileManager.default.moveItem(atPath: vault + "/" + note, toPath: vault + "/" + name)
    }

    func titles() throws -> [String] {
      try Vaults.records(library, scratch).compactMap { record in
        record.firstMatch(of: /"content_type":"[a-z_]+","title":"([^"]+)"/).map { String($0.output.1) }
      }.sorted()
    }

    /// Returns the library's content of an item.
    func record(_ title: String) throws -> String? {
      try Vaults.records(library, scratch).first { $0.contains("\"title\":\"\(title)\"") }
    }
  }

  /// Expects that all items except some are unchanged.
  private func expect(
    _ sample: Sample, _ tally: KindTally, created: Int = 0, updated: Int = 0,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(
      tally.created == created && tally.updated == updated
        && tally.unchanged == sample.items - created - updated && tally.rejected == 0, sourceLocation: sourceLocation)
  }

  @Test func recordsOfOtherKindsNeverPassForWhatIsKeptOfNotes() throws {
    let scratch = Scratch()
    func record(_ kind: String) -> String {
      "{\"kind\":\"\(kind)\",\"id\":\"\(Notes.id(1))\",\"extras\":\"x\\\":1,\\\"evil\"}"
    }
    let lines = [Notes.guide(body: "x"), record("extras"), record("fleetkit:extras")]
    let bundle = try scratch.write("a.jsonl", Vaults.bundle(lines))
    let summary = try Vaults.add(bundle, to: scratch["l.sqlite"])
    #expect(summary.tally[RecordKind("fleetkit:extras")].skipped.values.reduce(0, +) == 1)
    try Vaults.convert(scratch["l.sqlite"], to: scratch["b.jsonl"])
    let text = try scratch.text("b.jsonl")
    #expect(text.contains(record("extras")))
    #expect(try Vaults.records(scratch["b.jsonl"], scratch).count == 2)
  }

  @Test func theSecondTimeNothingHappens() throws {
    let sample = try Sample()
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
    // File times change with every checkout.
    for name in try Vaults.files(sample.vault).keys {
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 1_800_000_000)], ofItemAtPath: sample.vault + "/" + name)
    }
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
    // A copy in another location is the same vault, because it contains the vault's id.
    try FileManager.default.createDirectory(atPath: sample.scratch["far/away"], withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: sample.vault, toPath: sample.scratch["far/away/copy"])
    let tally = try Vaults.add(sample.scratch["far/away/copy"], to: sample.library).tally
    expect(sample, tally[.item])
    #expect(tally[.attachment].unchanged == 4)
  }

  @Test(arguments: [undated, dated])
  func anEditedNoteIsUpdated(_ note: String) throws {
    let sample = try Sample()
    let title = note == Self.dated ? "Reefing" : "Engine start"
    try sample.edit(note, note == Self.dated ? "reef" : "oil", note == Self.dated ? "REEF" : "OIL")
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item], updated: 1)
    #expect(try sample.record(title)?.contains(note == Self.dated ? "REEF" : "OIL") == true)
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
  }

  @Test(arguments: [
    (undated, "checklists/Starting.md", "Engine start"), (dated, "log/Reef early.md", "Reefing"),
    ("decks/Sound signals.md", "decks/Sounds.md", "Sound signals"),
  ])
  func aRenamedNoteIsTheSameItem(_ note: String, _ name: String, _ title: String) throws {
    let sample = try Sample()
    let id = try #require(try sample.record(title)?.firstMatch(of: /"id":"([0-9A-F-]+)"/)).output.1
    try sample.move(note, to: name)
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.created == 0 && tally.updated + tally.unchanged == sample.items)
    let records = try Vaults.records(sample.library, sample.scratch).filter { $0.contains("\"kind\":\"item\"") }
    #expect(records.count == sample.items && records.contains { $0.contains(id) })
    // The note is also recognized after another edit, and when only its folder or only the note itself is read.
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
    for part in [name, String(name.prefix { $0 != "/" })] {
      let tally = try Vaults.add(sample.vault + "/" + part, to: sample.library).tally[.item]
      #expect(tally.created == 0 && tally.updated == 0 && tally.unchanged > 0, "\(part)")
    }
  }

  @Test func partsOfAVaultBringTheSameItems() throws {
    let sample = try Sample()
    for part in [Self.dated, Self.undated, "guides", "guides/", "чек-листы", "flashcards", "flashcards/Knots", "decks"]
    {
      let tally = try Vaults.add(sample.vault + "/" + part, to: sample.library).tally.total
      #expect(tally.read > 0 && tally.unchanged == tally.read, "\(part)")
    }
    // In reverse order: first the parts, then the whole vault.
    let library = sample.scratch["other.sqlite"]
    #expect(try Vaults.add(sample.vault + "/" + Self.dated, to: library).tally[.item].created == 1)
    #expect(try Vaults.add(sample.vault + "/guides", to: library).tally[.item].created == 5)
    #expect(try Vaults.add(sample.vault, to: library).tally[.item].created == 18)
    expect(sample, try Vaults.add(sample.vault, to: library).tally[.item])
  }

  // MARK: Both sides

  /// Changes a title in the library only.
  private func editLibrary(_ sample: Sample, _ title: String, _ new: String) throws {
    let record = try #require(try sample.record(title))
    let source = sample.scratch["edit-\(UUID().uuidString).jsonl"]
    let text = record.replacing("\"title\":\"\(title)\"", with: "\"title\":\"\(new)\"").replacing(
      /"(updated_at|updatedAt)":"[^"]+"/, with: { "\"\($0.output.1)\":\"2031-01-01T00:00:00.000Z\"" })
    try Data(Vaults.bundle([text]).utf8).write(to: URL(fileURLWithPath: source))
    #expect(try Vaults.add(source, to: sample.library, .replace).tally[.item].updated == 1)
  }

  @Test(arguments: ["Engine start", "Reefing"])
  func whatWasEditedInTheLibraryOnlyIsKept(_ title: String) throws {
    let sample = try Sample()
    try editLibrary(sample, title, "Mine")
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.skipped.values.reduce(0, +) == 1 && tally.unchanged == sample.items - 1)
    #expect(try sample.titles().contains("Mine") && !sample.titles().contains(title))
  }

  @Test func whatWasEditedOnBothSidesIsMerged() throws {
    let sample = try Sample()
    try editLibrary(sample, "Engine start", "Mine")
    try sample.edit(Self.undated, "oil", "OIL")
    let answer = try Shell.fleetkit("import", sample.vault, "--into", sample.library, "--json")
    #expect(answer.status == 0 && answer.number("/merged") == 1, "\(answer.output)")
    #expect(try sample.record("Mine")?.contains("OIL") == true)
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
    // The next edit in the note does not revert the library's changes.
    try sample.edit(Self.undated, "OIL", "Oil!")
    #expect(try Vaults.add(sample.vault, to: sample.library).tally[.item].updated == 1)
    #expect(try sample.record("Mine")?.contains("Oil!") == true)
  }

  @Test func whatBothSidesEditedDifferentlyIsAConflict() throws {
    let sample = try Sample()
    try editLibrary(sample, "Engine start", "Mine")
    let text = try sample.scratch.text("vault/" + Self.undated)
    try sample.edit(Self.undated, "Engine start", "Theirs")
    try #require(try sample.scratch.text("vault/" + Self.undated) != text)
    let answer = try Shell.fleetkit("import", sample.vault, "--into", sample.library)
    #expect(answer.status == 3 && answer.errors.contains("MRG0101"), "\(answer.errors)")
    #expect(answer.errors.contains(sample.vault + "/" + Self.undated), "the finding names the note")
    #expect(try sample.titles().contains("Mine"))
    let folder = sample.library + ".fleetkit/rejects"
    let names = try FileManager.default.contentsOfDirectory(atPath: folder)
    let name = try #require(names.first { !$0.contains("reasons") && !$0.contains("conflicts") })
    #expect(try String(contentsOfFile: folder + "/" + name, encoding: .utf8).contains("Theirs"))
    // The conflict is settled.
    #expect(try Vaults.add(folder + "/" + name, to: sample.library, .replace).tally[.item].updated == 1)
    #expect(try sample.record("Theirs") != nil)
    expect(sample, try Vaults.add(sample.vault, to: sample.library).tally[.item])
  }
}
