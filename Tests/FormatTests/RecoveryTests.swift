import FleetKit
import Foundation
import TestSupport
import Testing

/// Data that the app would silently lose is recovered where possible and reported with its place.
@Suite struct RecoveryTests {
  private static let orphans = Libraries.path("library-v1.4.0-orphans.sqlite")

  @Test func everyFlagOfTheAppHasAFinding() throws {
    let findings = try Run.findings(Self.orphans)
    var places: [String: [Diagnostic]] = [:]
    for finding in findings {
      if let row = finding.place.row { places["\(row.table)/\(row.id)", default: []].append(finding) }
    }
    let flags = try #require(try Libraries.dump("library-v1.4.0-orphans.sqlite")["flags"] as? [[String: Any]])
    #expect(flags.count == 83)
    for flag in flags {
      let place = "\(flag["table"] ?? "")/\(flag["id"] ?? "")"
      let kind = flag["kind"] as? String ?? ""
      let mine = places[place] ?? []
      #expect(!mine.isEmpty, "\(place): \(kind)")
      if let codes = Self.codes[kind] {
        #expect(mine.contains { codes.contains($0.code) }, "\(place): \(kind), found \(mine.map(\.code.id))")
      }
    }
  }

  private static let codes: [String: Set<DiagnosticCode>] = [
    "CHECKLIST_CONTENT_LOST": [.contentNotJSON, .contentNotSections, .missingMember, .wrongType, .itemIDNotUUID],
    "TAGS_LOST": [.tagsNotStrings], "DUPLICATE_ITEM_IDS": [.duplicateItemID], "ENUM_FALLBACK": [.unknownValue],
    "DATE_NOT_CANONICAL": [.dateNotCanonical], "UNKNOWN_JSON_KEY": [.unknownMember],
    "UUID_REPLACED_BY_RANDOM": [.idNotUUID],
    "UUID_NOT_UPPERCASE": [.idCase], "META_WITHOUT_BODY": [.metadataWithoutBody, .bodyOfOtherType],
    "BODY_WITHOUT_META": [.bodyWithoutMetadata], "ITEM_STATE_KEY_NOT_UPPERCASE": [.itemStateKeyCase],
    "ITEM_STATE_WITHOUT_ITEM": [.itemStateWithoutItem], "ITEM_STATES_LOST": [.itemStateKeyNotUUID],
    "EXEC_UNDECODABLE": [.itemStatesUndecodable], "EXEC_CHECKLIST_MISSING": [.executionWithoutChecklist],
    "ITEM_STATE_DATE_NOT_STRICT": [.itemStateDateNotStrict],
  ]

  @Test func whatAPersonCouldReadIsThere() throws {
    let records = try Run.records(Self.orphans)
    func titles(_ title: String) -> [String] {
      let item = records.first { $0["title"]?.string == title }
      let sections = item?["content_data"]?["sections"]?.elements ?? []
      return sections.flatMap { $0["items"]?.elements ?? [] }.compactMap { $0["title"]?.string }
    }
    #expect(titles("Invalid JSON (cut off)") == ["item c1a", "item c1b"])
    #expect(titles("Item lacks \"tags\"") == ["item c2a", "item c2b", "item c2c"])
    #expect(titles("Section lacks \"isExpandedByDefault\"") == ["item c3a", "item c3c"])
    #expect(titles("Item id is not a UUID") == ["item c4a", "item c4b"])
    #expect(titles("Content is an object") == ["item c7a"])
    #expect(titles("isRequired as 0/1 numbers") == ["item c8a"])
    #expect(titles("estimatedMinutes is 7.5") == ["item c10a"])
    #expect(titles("Checklist body without metadata") == ["item b1a", "item b1b"])
    #expect(titles("Body is a checklist, metadata says guide") == ["item e4a"])
    #expect(titles("Non-UUID id") == ["item n1"] && titles("Lowercase UUID id") == ["item lo1"])
    let tags = records.first { $0["title"]?.string == "tags column anchor, chain" }?["tags"]?.elements.compactMap(
      \.string)
    #expect(tags == ["anchor", "chain"])
    let lost = records.first { $0["title"]?.string == "Guide body without metadata" }
    #expect(lost?["content_data"]?["markdown"]?.string == "# Lost guide\n\nStill readable.")
    // A value that could not be used is kept unchanged and complete in `extras`.
    let cut = records.first { $0["title"]?.string == "Invalid JSON (cut off)" }
    #expect(cut?["extras"]?["raw"]?["content"]?.string?.hasSuffix("\"isExpandedByDefault") == true)
    let broken = records.first { $0["extras"]?["raw"]?["itemStates"]?.string == "{\"broken\":" }
    #expect(broken?["kind"]?.string == "execution")
  }

  @Test func theRecoveredLibraryIsSound() throws {
    let scratch = Scratch()
    let summary = try Run.convert(Self.orphans, to: scratch["new.sqlite"])
    #expect(summary.tally.balances && summary.tally.total.rejected == 0)
    #expect(summary.tally[.item].skipped == [.noTableForDecks: 1])
    let left = Set(try Run.findings(scratch["new.sqlite"]).map(\.code))
    #expect(
      left.isSubset(of: [
        .metadataWithoutBody, .unknownValue, .duplicateItemID, .unknownMember, .itemStateWithoutItem,
        .executionWithoutChecklist,
      ]), "\(left.map(\.id))")
  }

  /// Damage that no sample has, created during the test: [SQL, table/id/column:pointer, code].
  @Test(
    .enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"),
    arguments: [
      (
        "UPDATE charters SET startDate = '' WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/startDate", "LIB0301"
      ),
      (
        "UPDATE charters SET endDate = '2026-1-5' WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/endDate", "LIB0301"
      ),
      (
        "UPDATE charters SET createdAt = 1767607872 WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/createdAt", "LIB0302"
      ),
      (
        "UPDATE charters SET updatedAt = '2026-13-05 00:00:00.000' WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/updatedAt", "LIB0303"
      ),
      (
        "UPDATE charters SET latitude = 'north' WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/latitude", "LIB0904"
      ),
      (
        "UPDATE charters SET needsSync = 7 WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/needsSync", "LIB0904"
      ),
      (
        "UPDATE charters SET name = CAST(x'41ff42' AS TEXT) WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/name", "LIB0905"
      ),
      (
        "UPDATE charters SET name = x'0102' WHERE name LIKE 'Ionian%'",
        "charters/5AE023B1-A971-421B-81BE-5C5DD5D6D07E/name", "LIB0904"
      ),
      (
        "UPDATE checklists SET content = json_quote(content) WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content", "LIB0102"
      ),
      (
        "UPDATE checklists SET content = replace(content, '}]', '},]') WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content", "LIB0101"
      ),
      (
        "UPDATE checklists SET content = CAST(content AS BLOB) WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content", "LIB0904"
      ),
      (
        "UPDATE checklists SET content = CAST(substr(content, 1, 900) AS BLOB) WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content", "LIB0101"
      ),
      (
        "UPDATE checklists SET content = json_quote('{\"sections\":' || content || '}') WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content", "LIB0102"
      ),
      (
        "UPDATE checklists SET content = '[\"Check oil\"]' WHERE title LIKE 'Crew%'",
        "checklists/43A324AA-5A48-4FBB-941F-F39D2D051ED6/content:/0", "LIB0104"
      ),
      (
        "UPDATE library_content SET publicMetadata = '{\"published_at\":1}' WHERE title LIKE 'Crew%'",
        "library_content/43A324AA-5A48-4FBB-941F-F39D2D051ED6/publicMetadata", "LIB0906"
      ),
      (
        "UPDATE library_content SET creatorID = '00000000-0000-0000-0000-000000000000' WHERE title LIKE 'Crew%'",
        "library_content/43A324AA-5A48-4FBB-941F-F39D2D051ED6/creatorID", "LIB0503"
      ),
      (
        "UPDATE library_content SET type = 'video' WHERE title LIKE 'Crew%'",
        "library_content/43A324AA-5A48-4FBB-941F-F39D2D051ED6/type", "LIB0401"
      ),
      (
        "INSERT INTO practice_guides SELECT id,title,description,'# Two',tags,creatorID,createdAt,updatedAt,syncStatus FROM checklists WHERE title LIKE 'Crew%'",
        "practice_guides/43A324AA-5A48-4FBB-941F-F39D2D051ED6", "LIB0604"
      ),
      ("UPDATE sync_queue SET payload = '{' WHERE id = 3", "sync_queue/3/payload", "LIB0801"),
      (
        "PRAGMA foreign_keys=0; DELETE FROM charters WHERE name LIKE 'Ionian%'",
        "checklistExecutionStates/204B62D1-4B91-4780-BFC9-62D05DB1A9E5/charterID", "LIB0706"
      ),
      (
        "PRAGMA foreign_keys=0; DELETE FROM library_content WHERE title LIKE 'Crew%'", "sync_queue/1/contentID",
        "LIB0805"
      ),
      ("DELETE FROM grdb_migrations WHERE identifier LIKE 'v1.6%'", "#grdb_migrations", "LIB0908"),
    ])
  func damageIsReportedAtItsPlace(_ sql: String, _ place: String, _ code: String) throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v2.2.0.sqlite", as: "x.sqlite")
    let before = try Run.records(path).count
    try SQLiteShell.run(path, sql + ";")
    let context = Run.context()
    let records = try Run.records(path, context: context)
    let found = context.findings.kept.map {
      ($0.place.description.split(separator: "#", maxSplits: 1).last.map(String.init) ?? "", $0.code.id)
    }
    #expect(found.contains { $0.0.hasPrefix(place.replacing("#", with: "")) && $0.1 == code }, "\(found)")
    #expect(records.count >= before - 1)
    if sql.contains("SET content"), !sql.contains("Check oil") {
      let crew = records.first { $0["title"]?.string?.hasPrefix("Crew Safety Briefing") ?? false }
      #expect(crew?["content_data"]?["sections"]?.elements.isEmpty == false, "the steps must be recovered")
    }
    // The bundle of a damaged library is sound.
    try Run.convert(path, to: scratch["x.jsonl"])
    let again = Run.context()
    #expect(try Run.records(scratch["x.jsonl"], context: again).count == records.count)
    #expect(again.findings.count(.error) == 0, "\(again.findings.kept.map(\.message))")
    let library = try Run.convert(scratch["x.jsonl"], to: scratch["new.sqlite"])
    #expect(library.tally.balances)
    if library.tally.total.rejected > 0 {
      let path = try #require(library.rejectsPath)
      #expect(try Run.records(path).count == library.tally.total.rejected)
    }
    #expect(try SQLiteShell.run(scratch["new.sqlite"], "PRAGMA integrity_check; PRAGMA foreign_key_check;") == "ok\n")
  }

  @Test(.enabled(if: Shell.has("sqlite3"), "the sqlite3 shell is not there"))
  func twoCasesOfOneIDStayTwoRecords() throws {
    let scratch = Scratch()
    let path = try scratch.copy("library-v1.4.0-orphans.sqlite", as: "x.sqlite")
    try SQLiteShell.run(
      path,
      "INSERT INTO library_content SELECT upper(id),title,description,type,visibility,creatorID,forkedFromID,forkCount,"
        + "ratingAverage,ratingCount,tags,language,createdAt,updatedAt,syncStatus,1,9 FROM library_content WHERE title = 'Lowercase UUID id';"
    )
    let ids = try Run.records(path).filter { $0["title"]?.string == "Lowercase UUID id" }.compactMap {
      $0["id"]?.string
    }
    #expect(ids.count == 2 && Set(ids).count == 2 && ids.contains("F1CA6D7B-D106-4355-A144-42E38C3114A9"))
    // Both records reach a new library, even when they are converted through a bundle.
    try Run.convert(path, to: scratch["x.jsonl"])
    try Run.convert(scratch["x.jsonl"], to: scratch["new.sqlite"])
    let names = try SQLiteShell.run(
      scratch["new.sqlite"], "SELECT count(*) FROM library_content WHERE title = 'Lowercase UUID id';")
    #expect(names == "2\n")
  }
}
