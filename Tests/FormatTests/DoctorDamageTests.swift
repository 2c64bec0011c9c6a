import Doctor
import FleetKit
import Foundation
import Migration
import TestSupport
import Testing

/// Damage of every kind, created during the test in an old and in a new library.
@Suite(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there")) struct DoctorDamageTests {
  private static let crew = "43A324AA-5A48-4FBB-941F-F39D2D051ED6"
  private static let ionian = "5AE023B1-A971-421B-81BE-5C5DD5D6D07E"

  /// [SQL, code] for both v1.4.0 and v2.2.0.
  static let both: [(String, String)] = [
    ("UPDATE charters SET startDate = '' WHERE id = '\(ionian)'", "LIB0301"),
    ("UPDATE charters SET endDate = '2026-1-5', createdAt = 'gestern' WHERE id = '\(ionian)'", "LIB0301"),
    ("UPDATE charters SET startDate = 'x', endDate = 'x', createdAt = 'x', updatedAt = 'x'", "LIB0301"),
    ("UPDATE charters SET createdAt = 1767607872, updatedAt = 1767607872.5 WHERE id = '\(ionian)'", "LIB0302"),
    ("UPDATE charters SET updatedAt = '2026-13-05 00:00:00.000' WHERE id = '\(ionian)'", "LIB0303"),
    ("UPDATE charters SET name = CAST(x'41ff42' AS TEXT) WHERE id = '\(ionian)'", "LIB0905"),
    ("UPDATE charters SET name = x'0102' WHERE id = '\(ionian)'", "LIB0904"),
    ("UPDATE library_content SET createdAt = '', updatedAt = ''; UPDATE checklists SET createdAt = 'no'", "LIB0301"),
    ("UPDATE checklists SET content = json_quote(content) WHERE id = '\(crew)'", "LIB0102"),
    ("UPDATE checklists SET content = replace(content, '}]', '},]') WHERE id = '\(crew)'", "LIB0101"),
    ("UPDATE checklists SET content = CAST(content AS BLOB) WHERE id = '\(crew)'", "LIB0904"),
    ("UPDATE checklists SET content = substr(content, 1, 900) WHERE id = '\(crew)'", "LIB0101"),
    ("UPDATE checklists SET content = '[\"Check oil\"]' WHERE id = '\(crew)'", "LIB0104"),
    ("UPDATE checklists SET content = replace(content, '\"isOptional\":false,', '')", "LIB0103"),
    ("UPDATE library_content SET tags = 'anchor; chain'; UPDATE practice_guides SET tags = '[1,null]'", "LIB0201"),
    ("UPDATE library_content SET type = 'video', visibility = 'friends', syncStatus = 'lost'", "LIB0401"),
    ("UPDATE checklists SET checklistType = 'regatta', syncStatus = 'x' WHERE id = '\(crew)'", "LIB0401"),
    ("UPDATE library_content SET type = 'practice_guide' WHERE id = '\(crew)'", "LIB0603"),
    ("DELETE FROM checklists WHERE id = '\(crew)'", "LIB0601"),
    ("DELETE FROM checklists; DELETE FROM practice_guides", "LIB0601"),
    ("DELETE FROM library_content", "LIB0602"),
    ("DELETE FROM charters", "LIB0706"),
    ("DELETE FROM charters WHERE id = '\(ionian)'", "LIB0706"),
    (
      "INSERT INTO practice_guides SELECT id,title,description,'# Two',tags,creatorID,createdAt,updatedAt,syncStatus FROM checklists",
      "LIB0604"
    ),
    (
      "UPDATE library_content SET id = lower(id); UPDATE checklists SET id = lower(id); UPDATE practice_guides SET id = lower(id)",
      "LIB0501"
    ),
    (
      "UPDATE charters SET id = lower(id), checkInChecklistID = lower(checkInChecklistID); UPDATE checklistExecutionStates SET id = lower(id), charterID = lower(charterID), checklistID = lower(checklistID)",
      "LIB0501"
    ),
    (
      "UPDATE library_content SET id = 'list-1' WHERE id = '\(crew)'; UPDATE checklists SET id = 'list-1' WHERE id = '\(crew)'; UPDATE checklistExecutionStates SET checklistID = 'list-1' WHERE checklistID = '\(crew)'; UPDATE charters SET checkInChecklistID = 'list-1'",
      "LIB0502"
    ),
    (
      "UPDATE charters SET id = x'0A0B' WHERE id = '\(ionian)'; UPDATE checklistExecutionStates SET charterID = x'0A0B' WHERE charterID = '\(ionian)'",
      "LIB0502"
    ),
    ("UPDATE checklistExecutionStates SET itemStates = '{\"broken\":'", "LIB0701"),
    ("UPDATE checklistExecutionStates SET itemStates = '{\"oil\":true}'", "LIB0702"),
    (
      "UPDATE checklistExecutionStates SET itemStates = replace(itemStates, 'Z\"', '.123Z\"'), syncStatus = 'odd'",
      "LIB0401"
    ),
    ("UPDATE checklistExecutionStates SET checklistID = id", "LIB0705"),
    ("DELETE FROM grdb_migrations WHERE identifier LIKE 'v1.1%' OR identifier LIKE 'v1.4%'", "LIB0908"),
    ("UPDATE checklistExecutionStates SET charterID = CAST(charterID AS BLOB)", "LIB0904"),
    ("DELETE FROM grdb_migrations", "LIB0908"),
    ("DROP TABLE grdb_migrations", "LIB0908"),
    (
      "UPDATE library_content SET title = title || char(0) || 'x', forkCount = 'many', ratingAverage = 'good'",
      "LIB0904"
    ),
  ]

  /// Damage that needs the queue and the publishing columns, which only newer libraries have.
  static let newOnly: [(String, String)] = [
    ("UPDATE charters SET latitude = 'north', needsSync = 7, visibility = 'crew' WHERE id = '\(ionian)'", "LIB0904"),
    (
      "UPDATE library_content SET publicMetadata = '{\"published_at\":\"2026-01-05T10:11:12Z\",\"public_id\":\"x\"}' WHERE id = '\(crew)'",
      "LIB0906"
    ),
    ("UPDATE library_content SET publicMetadata = 'nonsense'", "LIB0906"),
    ("UPDATE library_content SET publicMetadata = '[1]', publicID = NULL WHERE id = '\(crew)'", "LIB0906"),
    ("UPDATE library_content SET creatorID = '00000000-0000-0000-0000-000000000000'", "LIB0503"),
    ("UPDATE library_content SET isPinned = 'yes', pinnedOrder = 'first' WHERE id = '\(crew)'", "LIB0904"),
    ("UPDATE sync_queue SET payload = '{' WHERE id = 6", "LIB0801"),
    ("UPDATE sync_queue SET payload = '[]' WHERE id = 11", "LIB0801"),
    ("UPDATE sync_queue SET payload = CAST(payload AS BLOB)", "LIB0904"),
    ("UPDATE sync_queue SET payload = NULL", "LIB0802"),
    ("UPDATE sync_queue SET syncedAt = 'yesterday', createdAt = 1775383920", "LIB0301"),
    ("UPDATE sync_queue SET syncedAt = NULL, retryCount = 0, lastError = NULL", "LIB0808"),
    ("UPDATE sync_queue SET retryCount = 'often', lastError = 5", "LIB0904"),
    ("DELETE FROM library_content WHERE id = '\(crew)'", "LIB0805"),
    (
      "UPDATE sync_queue SET contentID = lower(contentID); UPDATE library_content SET id = lower(id); UPDATE checklists SET id = lower(id); UPDATE practice_guides SET id = lower(id)",
      "LIB0501"
    ),
    ("UPDATE sync_queue SET contentID = lower(contentID)", "LIB0805"),
    ("UPDATE library_content SET syncStatus = 'syncing'", "LIB0809"),
    ("UPDATE library_content SET syncStatus = 'pending' WHERE id IN (SELECT contentID FROM sync_queue)", "LIB0810"),
    ("UPDATE sync_queue SET retryCount = 1 WHERE id = 6", "LIB0806"),
    (
      "CREATE TABLE plans (id INTEGER PRIMARY KEY, charter TEXT REFERENCES charters(id)); INSERT INTO plans VALUES (7, 'nowhere')",
      "LIB0910"
    ),
    ("DELETE FROM grdb_migrations WHERE identifier LIKE 'v1.9%' OR identifier LIKE 'v2.1%'", "LIB0908"),
  ]

  @Test(arguments: both.map { ("library-v1.4.0.sqlite", $0.0, $0.1) })
  func anOldLibrary(_ library: String, _ sql: String, _ code: String) throws { try check(library, sql, code) }

  @Test(arguments: (both + newOnly).map { ("library-v2.2.0.sqlite", $0.0, $0.1) })
  func aNewLibrary(_ library: String, _ sql: String, _ code: String) throws { try check(library, sql, code) }

  private func check(_ library: String, _ sql: String, _ code: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy(library, as: "x.sqlite")
    try SQLiteShell.run(path, "PRAGMA foreign_keys = OFF; " + sql + ";")
    let checkup = try Clinic.examine(path)
    #expect(checkup.findings.kept.contains { $0.code.id == code }, "\(checkup.findings.counts.map(\.key.id))")
    #expect(scratch.names == ["x.sqlite"])
    let before = try Run.records(path)
    let repair = try Clinic.repair(path)
    #expect(repair.backup != nil)
    if code == "LIB0910" {
      // An unknown table remains a warning.
      let left = try Clinic.examine(path).findings
      #expect(left.kept.filter { $0.severity > .note }.map(\.code) == [.unknownTable])
      #expect(repair.quarantined.map(\.kind) == [.foreign])
      return
    }
    try Clinic.expectSound(path, repair, before: before)
    // Every readable body is kept under its title.
    let titles = Set(
      try Run.records(path).filter { $0["content_data"]?.isNull == false }.compactMap { $0["title"]?.string })
    for record in before where record["content_data"]?.kind == .object {
      guard let id = record["id"]?.string, !repair.quarantined.contains(where: { $0.id == id }) else { continue }
      #expect(titles.contains(record["title"]?.string ?? ""), "\(id)")
    }
    _ = try LibraryMigration(path).run()
    #expect((try Clinic.examine(path).findings.worst ?? .note) == .note)
  }

  /// Misspelled values are restored exactly.
  @Test(arguments: [
    "UPDATE library_content SET id = lower(id)",
    "UPDATE checklists SET id = lower(id); UPDATE practice_guides SET id = lower(id)",
    """
    UPDATE library_content SET id = lower(id); UPDATE checklists SET id = lower(id);
    UPDATE practice_guides SET id = lower(id); UPDATE checklistExecutionStates SET checklistID = lower(checklistID);
    UPDATE charters SET checkInChecklistID = lower(checkInChecklistID)
    """,
    "UPDATE charters SET id = lower(id); UPDATE checklistExecutionStates SET charterID = lower(charterID), id = lower(id)",
    "UPDATE charters SET checkInChecklistID = lower(checkInChecklistID); UPDATE checklistExecutionStates SET charterID = lower(charterID), checklistID = lower(checklistID)",
    "UPDATE charters SET createdAt = replace(createdAt, ' ', 'T') || 'Z', endDate = endDate || '+00:00'",
    "UPDATE library_content SET updatedAt = ' ' || updatedAt; UPDATE checklists SET content = CAST(content AS BLOB)",
    "UPDATE checklists SET content = json_quote(content); UPDATE checklistExecutionStates SET itemStates = itemStates || '}'",
    "DELETE FROM grdb_migrations WHERE identifier NOT LIKE 'v1.1%'",
    "UPDATE library_content SET type = CASE type WHEN 'checklist' THEN 'practice_guide' ELSE 'checklist' END",
  ])
  func whatIsOnlyMisspelledComesBackAsItWas(_ sql: String) throws {
    for name in ["library-v1.4.0.sqlite", "library-v2.2.0.sqlite"] {
      let scratch = Scratch()
      let path = try scratch.copy(name, as: "x.sqlite")
      let expected = try Run.records(path).map(\.text)
      try SQLiteShell.run(path, "PRAGMA foreign_keys = OFF; " + sql + ";")
      #expect(try Clinic.examine(path).repairable > 0)
      let repair = try Clinic.repair(path)
      #expect(try Run.records(path).map(\.text) == expected && repair.quarantined.isEmpty)
      let migrations = "SELECT identifier FROM grdb_migrations ORDER BY rowid;"
      #expect(try SQLiteShell.run(path, migrations) == SQLiteShell.run(Libraries.path(name), migrations))
      let schema = "SELECT rowid, name, sql FROM sqlite_schema ORDER BY rowid;"
      #expect(try SQLiteShell.run(path, schema) == SQLiteShell.run(Libraries.path(name), schema))
    }
  }

  /// Pinning an item whose id is in lower case creates a second listing of the item without a body.
  @Test func aSecondListingGoesAndItsPinStays() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    let expected = try Run.records(path).count
    try SQLiteShell.run(
      path,
      """
      PRAGMA foreign_keys = OFF; UPDATE checklists SET id = lower(id) WHERE id = '\(Self.crew)';
      CREATE TEMP TABLE second AS SELECT * FROM library_content WHERE id = '\(Self.crew)';
      UPDATE library_content SET id = lower(id), isPinned = 0, pinnedOrder = NULL WHERE id = '\(Self.crew)';
      UPDATE second SET isPinned = 1, pinnedOrder = 4; INSERT INTO library_content SELECT * FROM second;
      """)
    let repair = try Clinic.repair(path)
    #expect(repair.quarantined.map(\.id) == [Self.crew] && repair.quarantined[0].reason?.isEmpty == false)
    #expect(try Run.records(path).count == expected)
    let pin = try SQLiteShell.run(
      path, "SELECT isPinned, pinnedOrder FROM library_content WHERE id = '\(Self.crew)';")
    #expect(pin == "1|4\n")
    #expect(try Clinic.examine(path).repairable == 0)
  }

  /// The table allows one execution per checklist and charter. Two spellings of one id hide a second execution.
  @Test func whatAConstraintForbidsGoesToQuarantine() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    try SQLiteShell.run(
      path,
      """
      INSERT INTO checklistExecutionStates
      SELECT '0B35DB17-228E-4F18-B368-4B62DAAB5ED1', lower(checklistID), charterID, itemStates, NULL, createdAt,
        lastUpdated, NULL, syncStatus FROM checklistExecutionStates LIMIT 1;
      """)
    let before = try Run.records(path)
    let repair = try Clinic.repair(path)
    #expect(repair.quarantined.map(\.id) == ["0B35DB17-228E-4F18-B368-4B62DAAB5ED1"])
    #expect(repair.quarantined.first?.reason?.isEmpty == false)
    try Clinic.expectSound(path, repair, before: before)
  }

  /// An early table may allow rows that the current table does not.
  @Test func valuesThatMayNotBeNullAreFilled() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    for table in ["charters", "library_content", "checklists"] {
      try SQLiteShell.run(
        path,
        """
        PRAGMA foreign_keys = OFF; PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, ' NOT NULL', '') WHERE name = '\(table)';
        """)
    }
    try SQLiteShell.run(
      path,
      """
      PRAGMA foreign_keys = OFF;
      UPDATE charters SET name = NULL, startDate = NULL, createdAt = NULL, needsSync = NULL, visibility = NULL;
      UPDATE library_content SET title = NULL, tags = NULL, type = NULL, updatedAt = NULL, isPinned = NULL, language = NULL;
      UPDATE checklists SET content = NULL, tags = NULL, createdAt = NULL, updatedAt = NULL WHERE id <> '\(Self.crew)';
      """)
    let before = try Run.records(path)
    let repair = try Clinic.repair(path)
    try Clinic.expectSound(path, repair, before: before)
    let nulls = try SQLiteShell.run(
      path, "SELECT count(*) FROM charters WHERE name IS NULL OR startDate IS NULL OR createdAt IS NULL;")
    #expect(nulls == "0\n")
  }

  /// When a section and a step have the same id, the tick stays with the step.
  @Test func aTickStaysWithItsStep() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0.sqlite", as: "x.sqlite")
    let ticks = "SELECT itemStates FROM checklistExecutionStates ORDER BY id;"
    try SQLiteShell.run(
      path, "UPDATE checklists SET content = json_set(content, '$[0].id', json_extract(content, '$[0].items[0].id'));")
    let before = try SQLiteShell.run(path, ticks)
    #expect(try Clinic.examine(path).findings.counts[.duplicateItemID] ?? 0 > 0)
    #expect(try Clinic.repair(path).quarantined.isEmpty)
    #expect(try SQLiteShell.run(path, ticks) == before)
  }

  @Test func aBodyThatIsOnlyInTheQueueComesBack() throws {
    for name in ["library-v2.2.0.sqlite", "library-v1.6.0-buggy-queue.sqlite"] {
      let scratch = Scratch()
      let path = try scratch.copy(name, as: "x.sqlite")
      let sections = "SELECT json_array_length(content) FROM checklists WHERE id = '\(Self.crew)';"
      let before = try SQLiteShell.run(path, sections)
      try SQLiteShell.run(path, "DELETE FROM checklists WHERE id = '\(Self.crew)';")
      try Clinic.repair(path)
      #expect(try SQLiteShell.run(path, sections) == before)
      #expect(try Clinic.examine(path).repairable == 0)
    }
  }

  @Test func theSecondBodyOfAnIDIsAnItemOfItsOwn() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0.sqlite", as: "x.sqlite")
    try SQLiteShell.run(
      path,
      """
      INSERT INTO practice_guides SELECT id, 'Other body', description, '# Two', tags, creatorID, createdAt, updatedAt, syncStatus
      FROM checklists WHERE id = '\(Self.crew)';
      """)
    let repair = try Clinic.repair(path)
    #expect(repair.quarantined.isEmpty)
    let items = try Run.records(path).filter { $0["kind"]?.string == "item" }
    let other = items.first { $0["title"]?.string == "Other body" }
    #expect(
      other?["content_type"]?.string == "practice_guide" && other?["content_data"]?["markdown"]?.string == "# Two")
    #expect(other?["id"]?.string != Self.crew && items.contains { $0["id"]?.string == Self.crew })
  }

  @Test func publicMetadataIsMadeAnew() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    let old = try SQLiteShell.run(
      path, "SELECT publicMetadata FROM library_content WHERE id = '\(Self.crew)';")
    try SQLiteShell.run(path, "UPDATE library_content SET publicMetadata = '{\"publicID\":' WHERE id = '\(Self.crew)';")
    try Clinic.repair(path)
    let new = try SQLiteShell.run(
      path, "SELECT publicMetadata FROM library_content WHERE id = '\(Self.crew)';")
    let before = try JSONDocument(parsing: old.trimmingCharacters(in: .newlines)).root
    let after = try JSONDocument(parsing: new.trimmingCharacters(in: .newlines)).root
    for name in ["publicID", "canFork", "authorUsername"] { #expect(after[name]?.text == before[name]?.text) }
    let seconds = try #require(after["publishedAt"]?.double)
    #expect(abs(seconds - (before["publishedAt"]?.double ?? 0)) < 0.001 && after["publishedAt"]?.kind == .number)
  }
}
