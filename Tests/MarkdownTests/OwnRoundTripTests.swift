import FleetKit
import Foundation
import TestSupport
import Testing

/// A library is unchanged when it is exported and immediately imported. An edit in between is the only change.
@Suite struct OwnRoundTripTests {
  /// Libraries of all versions that can be migrated without a repair.
  private static let fixtures: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Paths.libraries)) ?? []
    let broken = ["bitflip", "truncated", "orphans", "not-a-database", "zero-bytes"]
    return names.filter { name in name.hasSuffix(".sqlite") && !broken.contains { name.contains($0) } }.sorted()
  }()

  /// Returns a migrated copy of a library.
  private static func library(_ name: String, _ scratch: Scratch) throws -> String {
    let path = scratch["own.sqlite"]
    try FileManager.default.copyItem(atPath: Paths.libraries + "/" + name, toPath: path)
    try migrate(path)
    return path
  }

  private static func migrate(_ path: String) throws {
    let answer = try Shell.fleetkit("migrate", path, "--yes", "-q")
    try #require(answer.status == 0, "\(answer.errors)")
  }

  /// Expects that importing a library's own export changes nothing.
  private static func expectNothing(_ tally: Tally, _ sourceLocation: SourceLocation = #_sourceLocation) {
    let all = tally.total
    let skipped = all.skipped.values.reduce(0, +)
    #expect(all.created == 0 && all.updated == 0 && all.rejected == 0, sourceLocation: sourceLocation)
    #expect(all.unchanged == all.read - skipped, sourceLocation: sourceLocation)
    #expect(skipped == tally[.syncOperation].read, sourceLocation: sourceLocation)
  }

  @Test func thereAreFixtures() { #expect(Self.fixtures.count >= 13) }

  @Test(arguments: fixtures)
  func aLibraryComesBack(_ name: String) throws {
    let scratch = Scratch()
    let library = try Self.library(name, scratch)
    let before = try Vaults.records(library, scratch)
    for target in ["vault/", "bundle.jsonl", "bundle.json", "pack.fleetpack"] {
      try Vaults.convert(library, to: scratch[target])
      let source = target.hasSuffix("/") ? scratch["vault"] : scratch[target]
      Self.expectNothing(try Vaults.add(source, to: library).tally)
      #expect(try Vaults.records(library, scratch) == before, "\(target)")
    }
  }

  /// Tables cannot hold everything. Importing a table deletes nothing that the table cannot hold.
  @Test(arguments: fixtures)
  func aTableChangesNothing(_ name: String) throws {
    let scratch = Scratch()
    let library = try Self.library(name, scratch)
    let before = try Vaults.records(library, scratch)
    try Vaults.convert(library, to: scratch["table.xlsx"])
    // Some content is not valid in a table, such as negative minutes.
    let tally = try Vaults.add(scratch["table.xlsx"], to: library).tally[.item]
    #expect(tally.created == 0 && tally.updated == 0 && tally.rejected == 0)
    #expect(try Vaults.records(library, scratch) == before)
  }

  @Test(arguments: fixtures)
  func anEditIsThatEdit(_ name: String) throws {
    let scratch = Scratch()
    let library = try Self.library(name, scratch)
    try Vaults.convert(library, to: scratch["vault/"])
    let notes = try Vaults.files(scratch["vault"]).keys.filter { $0.hasSuffix(".md") }.sorted()
    guard let note = notes.first else { return }
    _ = try scratch.write("vault/" + note, scratch.text("vault/" + note) + "\n\nA line more.\n")
    let tally = try Vaults.add(scratch["vault"], to: library).tally[.item]
    #expect(tally.created == 0 && tally.updated == 1 && tally.rejected == 0 && tally.unchanged == tally.read - 1)
  }

  // MARK: Notes that people wrote

  /// A library with the notes of the sample vault, exported into its own vault.
  private struct Sample {
    let scratch = Scratch()
    var library: String { scratch["own.sqlite"] }
    var vault: String { scratch["vault"] }

    init() throws {
      try Vaults.add(Paths.root + "/samples/vault", to: scratch["own.sqlite"])
      try export()
    }

    func export() throws { try Vaults.convert(library, to: scratch["vault/"]) }

    func append(_ text: String, to note: String) throws {
      _ = try scratch.write("vault/" + note, scratch.text("vault/" + note) + text)
    }

    /// Changes an item as the app would.
    func change(_ title: String, to other: String) throws {
      for table in ["library_content", "practice_guides"] {
        try SQLiteShell.run(
          library,
          "UPDATE \(table) SET title = '\(other)', updatedAt = '2027-01-01 10:00:00.000' WHERE title = '\(title)';")
      }
    }
  }

  /// The notes of cards do not contain their deck's id, and most notes contain no time.
  @Test func notesOfPeopleComeBack() throws {
    let sample = try Sample()
    Self.expectNothing(try Vaults.add(sample.vault, to: sample.library).tally)
    try sample.export()
    Self.expectNothing(try Vaults.add(sample.vault, to: sample.library).tally)
    // After the vault has been moved, its deck is still the same deck.
    try FileManager.default.moveItem(atPath: sample.vault, toPath: sample.scratch["elsewhere"])
    Self.expectNothing(try Vaults.add(sample.scratch["elsewhere"], to: sample.library).tally)
  }

  @Test(arguments: [
    "guides/Heaving to.md", "checklists/Anchoring.md", "checklists/Leaving the berth.md", "decks/Sound signals.md",
    "flashcards/Knots/Bowline.md", "руководства/Радиосвязь.md",
  ])
  func theFirstEditIsNoConflict(_ note: String) throws {
    let sample = try Sample()
    try sample.append("\nA line more.\n", to: note)
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.created == 0 && tally.updated == 1 && tally.rejected == 0 && tally.unchanged == tally.read - 1)
    Self.expectNothing(try Vaults.add(sample.vault, to: sample.library).tally)
  }

  /// A change in the app is newer than an untouched note.
  @Test func anUntouchedNoteGivesWay() throws {
    let sample = try Sample()
    try sample.change("Heaving to", to: "Lying hove to")
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.updated == 0 && tally.rejected == 0 && tally.skipped.values.reduce(0, +) == 1)
    #expect(try Vaults.records(sample.library, sample.scratch).contains { $0.contains("\"title\":\"Lying hove to\"") })
  }

  /// If both sides changed an item, the import does not guess.
  @Test func editsOnBothSidesAreAConflict() throws {
    let sample = try Sample()
    try sample.change("Heaving to", to: "Lying hove to")
    try sample.append("\nA line more.\n", to: "guides/Heaving to.md")
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.updated == 0 && tally.rejected == 1 && tally.unchanged == tally.read - 1)
  }

  /// If the vault lacks FleetKit's own file, the import is as careful as with any other vault.
  @Test func withoutMemoryAnEditWithoutATimeIsAConflict() throws {
    let sample = try Sample()
    try FileManager.default.removeItem(atPath: sample.vault + "/.fleetkit/written")
    try sample.append("\nA line more.\n", to: "guides/Heaving to.md")
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.updated == 0 && tally.rejected == 1)
  }

  // MARK: Whose vault it is

  /// Changes a note's item in a library as the app would, and returns the result of importing the sample's vault into
  /// it.
  private func bringInto(_ library: String, _ sample: Sample) throws -> KindTally {
    for table in ["library_content", "practice_guides"] {
      try SQLiteShell.run(
        library,
        "UPDATE \(table) SET title = 'Lying hove to', updatedAt = '2027-01-01 10:00:00.000' WHERE title = 'Heaving to';"
      )
    }
    return try Vaults.add(sample.vault, to: library).tally[.item]
  }

  /// Content from another library is never an older version of this library's content, whatever its age.
  @Test func anUntouchedNoteOfAnotherLibraryIsAConflict() throws {
    let sample = try Sample()
    let other = sample.scratch["other.sqlite"]
    try FileManager.default.copyItem(atPath: sample.library, toPath: other)
    let tally = try bringInto(other, sample)
    #expect(tally.updated == 0 && tally.rejected == 1 && tally.skipped.isEmpty)
  }

  /// A library that is moved with its sidecar remains the same library.
  @Test func aLibraryThatMovesKnowsItsVault() throws {
    let sample = try Sample()
    let moved = sample.scratch["moved.sqlite"]
    for ending in ["", ".fleetkit"] {
      try FileManager.default.copyItem(atPath: sample.library + ending, toPath: moved + ending)
    }
    let tally = try bringInto(moved, sample)
    #expect(tally.updated == 0 && tally.rejected == 0 && tally.skipped.values.reduce(0, +) == 1)
  }

  /// Exporting creates no sidecar, but the vault still belongs to the library.
  @Test func aLibraryWithoutAFolderKnowsItsVault() throws {
    let sample = try Sample()
    try FileManager.default.removeItem(atPath: sample.library + ".fleetkit")
    try FileManager.default.removeItem(atPath: sample.vault)
    try sample.export()
    #expect(!FileManager.default.fileExists(atPath: sample.library + ".fleetkit"))
    let title = "UPDATE library_content SET title = 'Lying hove to', updatedAt = '2027-01-01 10:00:00.000'"
    try SQLiteShell.run(sample.library, "\(title) WHERE title = 'Heaving to';")
    try SQLiteShell.run(
      sample.library, "UPDATE practice_guides SET title = 'Lying hove to' WHERE title = 'Heaving to';")
    let tally = try Vaults.add(sample.vault, to: sample.library).tally[.item]
    #expect(tally.updated == 0 && tally.rejected == 0 && tally.skipped.values.reduce(0, +) == 1)
  }

  /// A vault that an earlier FleetKit wrote names no library, so only its content counts.
  @Test func aVaultThatSaysNoLibraryIsNobodys() throws {
    let sample = try Sample()
    let written = try sample.scratch.text("vault/.fleetkit/written")
    let old = written.split(separator: "\n").map { line in
      let space = line.firstIndex(of: " ") ?? line.endIndex
      return line[..<space].split(separator: "+", omittingEmptySubsequences: false).prefix(3).joined(separator: "+")
        + line[space...]
    }
    #expect(old.joined(separator: "\n") + "\n" != written)
    _ = try sample.scratch.write("vault/.fleetkit/written", old.joined(separator: "\n") + "\n")
    try sample.append("\nA line more.\n", to: "checklists/Anchoring.md")
    let tally = try bringInto(sample.library, sample)
    #expect(tally.updated == 1 && tally.rejected == 1 && tally.skipped.isEmpty)
  }
}
