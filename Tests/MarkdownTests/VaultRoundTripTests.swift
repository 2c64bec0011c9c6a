import FleetKit
import Foundation
import TestSupport
import Testing

/// Conversion from library to vault to library: the result equals the source, record by record.
@Suite struct VaultRoundTripTests {
  /// Every intact library of every version, and one library whose newest pages are in its log.
  static let libraries: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: Paths.libraries)) ?? []
    let damaged = ["bitflip", "truncated", "not-a-database", "zero-bytes"]
    return names.filter { $0.hasSuffix(".sqlite") && !damaged.contains(where: $0.contains) }.sorted()
      + ["library-wal/library.sqlite"]
  }()

  @Test func noLibraryIsForgotten() { #expect(Self.libraries.count >= 15) }

  @Test(arguments: libraries)
  func thereAndBack(_ name: String) throws {
    let scratch = Scratch()
    let library = Paths.libraries + "/" + name
    let vault = scratch["vault"]
    let written = try Vaults.convert(library, to: vault + "/")
    #expect(written.context.losses.total == 0)
    let all = try Vaults.records(library, scratch, originals: true)
    #expect(try Vaults.records(vault, scratch, originals: true) == all)
    // A second export changes nothing.
    let marks = try Vaults.marks(vault)
    let again = try Vaults.convert(library, to: vault + "/").tally.total
    #expect(again.unchanged == again.read && again.read > 0)
    #expect(try Vaults.marks(vault) == marks)
    // A new library must be the same, whether it is made through a vault or through a bundle.
    try Vaults.convert(library, to: scratch["all.jsonl"])
    try Vaults.convert(vault, to: scratch["vault.sqlite"])
    try Vaults.convert(scratch["all.jsonl"], to: scratch["bundle.sqlite"])
    let back = try Vaults.records(scratch["vault.sqlite"], scratch, originals: true)
    #expect(try back == Vaults.records(scratch["bundle.sqlite"], scratch, originals: true))
    // The app would not delete a charter's checklist, and orphaned records cannot be restored.
    if !name.contains("orphans") { #expect(back == all) }
  }

  @Test(arguments: libraries)
  func throughAnImport(_ name: String) throws {
    let scratch = Scratch()
    let library = Paths.libraries + "/" + name
    try Vaults.convert(library, to: scratch["vault/"])
    try Vaults.convert(library, to: scratch["all.jsonl"])
    let one = try Vaults.add(scratch["vault"], to: scratch["vault.sqlite"])
    let two = try Vaults.add(scratch["all.jsonl"], to: scratch["bundle.sqlite"])
    #expect(one.tally.total == two.tally.total && one.tally.total.created > 0)
    #expect(
      try Vaults.records(scratch["vault.sqlite"], scratch, originals: true)
        == Vaults.records(scratch["bundle.sqlite"], scratch, originals: true))
    // A second import changes nothing, whichever source is read.
    for source in [scratch["vault"], scratch["all.jsonl"]] {
      let again = try Vaults.add(source, to: scratch["vault.sqlite"]).tally.total
      #expect(again.created == 0 && again.updated == 0 && again.unchanged == one.tally.total.created)
    }
  }

  @Test func decksBesideALibraryComeBack() throws {
    let scratch = Scratch()
    let samples = Paths.root + "/samples"
    try Vaults.add(samples + "/ci", samples + "/crew-handbook.json", to: scratch["a.sqlite"])
    try Vaults.convert(scratch["a.sqlite"], to: scratch["vault/"])
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch["vault/decks"]).count == 2)
    try Vaults.add(scratch["vault"], to: scratch["b.sqlite"])
    let records = try Vaults.records(scratch["a.sqlite"], scratch)
    #expect(records.count > 8 && records.contains { $0.contains("flashcard_deck") })
    #expect(try Vaults.records(scratch["b.sqlite"], scratch) == records)
  }

  /// The vault contains everything that the app's library contains: no item is only in the vault's bundle.
  @Test(arguments: ["library-v2.2.0.sqlite", "library-v1.9.0.sqlite"])
  func itemsAreNotes(_ name: String) throws {
    let scratch = Scratch()
    let summary = try Vaults.convert(Paths.libraries + "/" + name, to: scratch["vault/"])
    #expect(try !scratch.text("vault/.fleetkit/library.jsonl").contains("\"kind\":\"item\""))
    #expect(summary.notes == summary.tally[.item].created)
  }
}
