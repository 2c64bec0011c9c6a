import FleetKit
import Foundation
import TestSupport
import Testing

/// `import --prove` and `backup --prove`, which must be able to fail for every kind of field.
@Suite struct ImportProofTests {
  private let scratch = Scratch()
  private var library: String { scratch["boat.sqlite"] }

  /// Creates a library with some checklists and the proof of importing the crew's handbook into it.
  private func proof(_ source: String = "crew-handbook.json") throws -> ImportProof {
    var first = LibraryImport(
      sources: try SourceList([Paths.root + "/samples/curated-checklists.jsonl"]), library: library)
    first.createsLibrary = true
    if !FileManager.default.fileExists(atPath: library) { _ = try first.run(context: Run.context()) }
    return try ImportProof(
      LibraryImport(sources: SourceList([Paths.root + "/samples/\(source)"]), library: library),
      context: Run.context())
  }

  @Test func importsAreProved() throws {
    for source in ["crew-handbook.json", "vault", "tables/spring-service.csv", "phase1-library.sqlite", "vault"] {
      let report = try proof(source).run()
      let proof = try #require(report.summary.proof)
      #expect(proof.holds, "\(source)")
      #expect(proof.records == report.summary.tally.total.created + report.summary.tally.total.updated, "\(source)")
    }
  }

  /// Changes between writing and reading, some to records that were written and some to other records.
  static let changes: [(sql: String, words: String)] = [
    ("UPDATE library_content SET title = title || '.' WHERE id = $new", "/title"),
    ("UPDATE library_content SET description = 'x' WHERE id = $new", "/description"),
    ("UPDATE library_content SET tags = '[\"x\"]' WHERE id = $new", "/tags/0"),
    (
      "UPDATE checklists SET content = json_set(content, '$[0].items[0].title', 'x') WHERE id = $new",
      "/content_data/sections/0/items/0/title"
    ),
    (
      "UPDATE checklists SET content = json_remove(content, '$[0].items[0]') WHERE id = $new",
      "/content_data/sections/0"
    ),
    ("DELETE FROM library_content WHERE id = $new; DELETE FROM checklists WHERE id = $new", "is not in"),
    ("UPDATE library_content SET title = title || '.' WHERE id = $old", "did not change"),
    ("UPDATE checklists SET content = json_set(content, '$[0].title', 'x') WHERE id = $old", "did not change"),
    ("DELETE FROM library_content WHERE id = $old; DELETE FROM checklists WHERE id = $old", "is not in"),
    (
      "INSERT INTO library_content SELECT '11111111-2222-4333-8444-555555555555', title, description, type, visibility, "
        + "creatorID, forkedFromID, forkCount, ratingAverage, ratingCount, tags, language, isPinned, pinnedOrder, createdAt, "
        + "updatedAt, syncStatus, publishedAt, publicID, publicMetadata, originalAuthorUsername, originalContentPublicID, "
        + "originalAuthorUserId FROM library_content WHERE id = $old",
      "which the source does not have"
    ),
  ]

  @Test(arguments: changes.indices)
  func aLibraryThatIsNotWhatTheRunSaysIsFound(_ index: Int) throws {
    let proof = try proof()
    try proof.readBefore()
    let old = try SQLiteShell.run(library, "SELECT min(id) FROM checklists;").trimmingCharacters(in: .newlines)
    let ids = try SQLiteShell.run(library, "SELECT group_concat('''' || id || '''') FROM checklists;")
    let report = try proof.importAll()
    let new = "(SELECT min(id) FROM library_content WHERE type = 'checklist' AND id NOT IN (\(ids)))"
    let change = Self.changes[index]
    // Deleting takes two statements, and the second one must not depend on rows that the first one deleted.
    let id = try SQLiteShell.run(library, "SELECT \(new);").trimmingCharacters(in: .newlines)
    try SQLiteShell.run(
      library, change.sql.replacing("$new", with: "'\(id)'").replacing("$old", with: "'\(old)'") + ";")
    let failure = #expect(throws: ProofFailure.self) { try proof.prove(report) }
    #expect(failure?.failure.status == .mismatch)
    #expect(failure?.failure.advice?.contains("fleetkit undo \(library) \(report.run)") == true)
    #expect(
      failure?.differences.contains { $0.message.contains(change.words) } == true,
      "\(failure?.differences.map(\.message) ?? [])")
  }

  @Test func anImportIntoALibraryThatOthersWriteToIsNotDone() throws {
    let proof = try proof()
    try proof.readBefore()
    try SQLiteShell.run(library, "UPDATE library_content SET title = 'x';")
    let failure = #expect(throws: RunFailure.self) { try proof.importAll() }
    #expect(failure?.status == .locked)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content;") == "10\n")
  }

  // MARK: Backups

  @Test func aBackupIsProvedAndOneThatIsNotTheLibraryIsFound() throws {
    _ = try proof().run()
    let result = try BackupProof(LibraryBackup(library, to: scratch["a.fleetpack"])).run(context: Run.context())
    #expect(result.proof.holds && result.proof.records == 16 && result.proof.fields > 1000 && !result.isOfIndexOnly)
    for change in Self.changes where change.sql.hasPrefix("UPDATE") {
      let copy = try scratch.copyOfLibrary(library)
      let id = try SQLiteShell.run(copy, "SELECT min(id) FROM checklists;").trimmingCharacters(in: .newlines)
      try SQLiteShell.run(
        copy, change.sql.replacing("$new", with: "'\(id)'").replacing("$old", with: "'\(id)'") + ";")
      let failure = #expect(throws: ProofFailure.self, "\(change.sql)") {
        try BackupProof.prove(
          scratch["a.fleetpack"], library: copy, stamps: BackupProof.stamps(copy), context: Run.context())
      }
      #expect(failure?.failure.status == .mismatch)
      #expect(failure?.differences.first?.place.row != nil)
    }
  }

  @Test func aBackupThatIsDamagedIsPutAside() throws {
    _ = try proof().run()
    let path = scratch["a.fleetpack"]
    var backup = LibraryBackup(library, to: path)
    backup.keep = nil
    _ = try backup.run(context: Run.context())
    var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
    bytes[bytes.count / 2] ^= 0xFF
    try bytes.write(to: URL(fileURLWithPath: path))
    #expect(throws: (any Error).self) {
      try BackupProof.prove(path, library: library, stamps: BackupProof.stamps(library), context: Run.context())
    }
  }
}

extension Scratch {
  /// Copies a library and its sidecar.
  fileprivate func copyOfLibrary(_ library: String) throws -> String {
    let folder = self["copy-\(UUID().uuidString)"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let copy = folder + "/boat.sqlite"
    for ending in ["", ".fleetkit"] where FileManager.default.fileExists(atPath: library + ending) {
      try FileManager.default.copyItem(atPath: library + ending, toPath: copy + ending)
    }
    return copy
  }
}
