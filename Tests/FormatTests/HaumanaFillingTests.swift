import FleetKit
import Foundation
import TestSupport
import Testing

/// Filling an empty Haumana store: the written records, the refused records, and the state after a kill.
@Suite struct HaumanaFillingTests {
  private let scratch = Scratch()
  private static let folder = Paths.root + "/Tests/Fixtures/haumana/"

  /// Copies a store from the fixtures.
  private func store(_ name: String = "default-v1-empty", as copy: String = "default.store") throws -> String {
    try? FileManager.default.removeItem(atPath: scratch[copy])
    try FileManager.default.copyItem(atPath: Self.folder + name + ".store", toPath: scratch[copy])
    return scratch[copy]
  }

  private func bundle(of source: String, as name: String) throws -> String {
    let read = try Shell.fleetkit("convert", source, "--to", scratch[name], "-q")
    #expect(read.status == 0, "\(read.errors)")
    return scratch[name]
  }

  private func fill(_ store: String, from source: String, _ options: String...) throws -> Answer {
    try Shell.run(Paths.command, ["convert", source, "--to", store, "--write-app-store"] + options)
  }

  private func rows(_ store: String, _ sql: String) throws -> String {
    let answer = try Shell.run("sqlite3", ["-readonly", store, sql])
    #expect(answer.status == 0, "\(answer.errors)")
    return answer.output.trimmingCharacters(in: .newlines)
  }

  private func backups() throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: scratch.path).filter { $0.hasSuffix("-fill.backup") }
  }

  @Test(arguments: ["default-v1", "default-v1-history", "default-v1-nohistory"])
  func theRoundTripIsEqual(_ name: String) throws {
    let before = try bundle(of: Self.folder + name + ".store", as: "before.jsonl")
    let store = try store()
    let answer = try fill(store, from: before)
    #expect(answer.status == 0, "\(answer.errors)")
    let after = try bundle(of: store, as: "after.jsonl")
    #expect(try scratch.text("after.jsonl") == scratch.text("before.jsonl"))
    #expect(try Shell.fleetkit("diff", before, after).status == 0)
    #expect(try rows(store, "PRAGMA integrity_check") == "ok")
    #expect(try rows(store, "PRAGMA journal_mode") == "wal")
  }

  @Test func keysHistoryAndMetadataAreAsTheAppWritesThem() throws {
    let store = try store()
    let fixed = "SELECT hex(Z_PLIST), Z_UUID FROM Z_METADATA UNION ALL SELECT hex(Z_CONTENT), '' FROM Z_MODELCACHE"
    let before = try rows(store, fixed)
    let schema = try rows(store, "SELECT name, sql FROM sqlite_schema ORDER BY 1")
    let source = try bundle(of: Self.folder + "default-v1.store", as: "source.jsonl")
    #expect(try fill(store, from: source, "-q").status == 0)
    #expect(try rows(store, fixed) == before)
    #expect(try rows(store, "SELECT name, sql FROM sqlite_schema ORDER BY 1") == schema)
    let keys = try rows(store, "SELECT Z_ENT, Z_NAME, Z_MAX FROM Z_PRIMARYKEY ORDER BY 1").split(separator: "\n")
    #expect(
      keys.map(String.init) == [
        "1|Piece|40", "2|PracticeSession|120", "3|SyncQueueItem|11", "4|User|1",
        "16001|CHANGE|172", "16002|TRANSACTION|1", "16003|TRANSACTIONSTRING|2",
      ])
    for (table, number) in [("ZPIECE", 1), ("ZPRACTICESESSION", 2), ("ZSYNCQUEUEITEM", 3), ("ZUSER", 4)] {
      #expect(try rows(store, "SELECT DISTINCT Z_ENT, Z_OPT FROM \(table)") == "\(number)|1")
      #expect(try rows(store, "SELECT min(Z_PK), max(Z_PK) = count(*) FROM \(table)") == "1|1")
    }
    #expect(try rows(store, "SELECT count(*), count(Z_OPT), min(Z_ENT), max(Z_PK) FROM ATRANSACTION") == "1|0|16002|1")
    #expect(
      try rows(
        store,
        "SELECT ZENTITY, count(*), max(ZCHANGETYPE), max(ZTRANSACTIONID), count(ZCOLUMNS) "
          + "FROM ACHANGE WHERE Z_ENT = 16001 GROUP BY 1")
        == "1|40|0|1|0\n2|120|0|1|0\n3|11|0|1|0\n4|1|0|1|0")
    let types = try rows(
      store, "SELECT DISTINCT typeof(ZID), length(ZID), typeof(ZTITLE), typeof(ZVERSION) FROM ZPIECE")
    #expect(types == "blob|16|text|integer")
  }

  @Test func theBackupIsTheStoreFromBefore() throws {
    let store = try store()
    let dump = try Shell.run("sqlite3", ["-readonly", store, ".dump"]).output
    #expect(try fill(store, from: Self.folder + "export.json", "-q").status == 0)
    let backup = try #require(try backups().first)
    #expect(try backups().count == 1)
    #expect(try Shell.run("sqlite3", ["-readonly", scratch[backup], ".dump"]).output == dump)
  }

  /// A store that was used and then emptied does not use its keys again.
  @Test func keysGoOn() throws {
    let store = try store("default-v1-history")
    let clear = "DELETE FROM ZPIECE; DELETE FROM ZPRACTICESESSION; DELETE FROM ZSYNCQUEUEITEM; DELETE FROM ZUSER"
    #expect(try Shell.run("sqlite3", [store, clear]).status == 0)
    let source = try bundle(of: Self.folder + "default-v1.store", as: "source.jsonl")
    #expect(try fill(store, from: source, "-q").status == 0)
    #expect(try rows(store, "SELECT min(Z_PK), max(Z_PK) FROM ZPIECE") == "42|81")
    #expect(try rows(store, "SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT IN (1, 16001, 16002)") == "81\n454\n283")
    #expect(try rows(store, "SELECT max(Z_PK), max(ZTRANSACTIONID) FROM ACHANGE") == "454|283")
  }

  @Test func otherItemsGetWhatTheAppNeeds() throws {
    let id = "0E0B9C1C-4E7D-4C0A-9C40-6D2C1B7E7A01"
    let source = try scratch.write(
      "guides.jsonl",
      """
      {"kind":"item","id":"\(id)","content_type":"practice_guide","title":"Reefing","content_data":{"markdown":"Ease the halyard.\\n"}}
      {"kind":"item","id":"0E0B9C1C-4E7D-4C0A-9C40-6D2C1B7E7A02","content_type":"checklist","title":"Fuel","content_data":{"sections":[]}}

      """)
    let store = try store()
    let answer = try fill(store, from: source, "--user", "191", "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    let row = try rows(
      store,
      "SELECT hex(ZID), ZTITLE, ZCATEGORY, ZLANGUAGE, ZISFAVORITE, ZINCLUDEINPRACTICE, ZLOCALLYMODIFIED, ZVERSION, "
        + "ZUSERID, ZCREATEDAT > 0, ZUPDATEDAT > 0, ZLYRICS FROM ZPIECE")
    #expect(
      row == "\(id.replacingOccurrences(of: "-", with: ""))|Reefing|mele|en|0|1|1|1|191|1|1|Ease the halyard.")
    #expect(answer.output.contains("skipped"))
  }

  @Test func whatDoesNotFitIsRejected() throws {
    let lines = try scratch.write(
      "odd.jsonl",
      """
      {"kind":"item","id":"piece-7","content_type":"practice_guide","title":"No UUID","content_data":{"markdown":"a\\n"}}
      {"kind":"item","id":"0E0B9C1C-4E7D-4C0A-9C40-6D2C1B7E7A03","content_type":"practice_guide","title":"Odd","content_data":{"markdown":"a\\n"},"extras":{"haumana":{"version":"two"}}}
      {"kind":"item","id":"0E0B9C1C-4E7D-4C0A-9C40-6D2C1B7E7A04","content_type":"practice_guide","title":"Good","content_data":{"markdown":"a\\n"}}
      {"kind":"item","id":"0E0B9C1C-4E7D-4C0A-9C40-6D2C1B7E7A04","content_type":"practice_guide","title":"Again","content_data":{"markdown":"a\\n"}}

      """)
    let store = try store()
    let answer = try fill(store, from: lines, "--json")
    #expect(answer.status == 3, "\(answer.errors)")
    // An invalid id is replaced by a UUID when it is read.
    #expect(try rows(store, "SELECT ZTITLE FROM ZPIECE ORDER BY 1") == "Good\nNo UUID")
    #expect(FileManager.default.fileExists(atPath: store + ".rejects.jsonl"))
  }

  @Test func refusalsChangeNothing() throws {
    let source = Self.folder + "export.json"
    func check(_ store: String, _ status: Int32, _ options: String...) throws {
      let before = try Data(contentsOf: URL(fileURLWithPath: store))
      let answer = try Shell.run(Paths.command, ["convert", source, "--to", store] + options)
      #expect(answer.status == status, "\(answer.errors)")
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
      #expect(try backups().isEmpty)
    }
    try check(try store(), 64)
    try check(try store(), 64, "--write-app-store", "--prove")
    try check(try store(), 0, "--write-app-store", "--dry-run", "-q")
    try check(try store("default-v1"), 4, "--write-app-store")
    let mirrored = try store()
    #expect(try Shell.run("sqlite3", [mirrored, "CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER)"]).status == 0)
    try check(mirrored, 4, "--write-app-store")
    let trigger = try store()
    let sql = "CREATE TRIGGER t AFTER INSERT ON ZPIECE BEGIN DELETE FROM ZUSER; END"
    #expect(try Shell.run("sqlite3", [trigger, sql]).status == 0)
    try check(trigger, 2, "--write-app-store")
    try check(
      try scratch.write("text.store", "not a database, and long enough to be read as one"), 2, "--write-app-store")
    #expect(try fill(scratch["missing.store"], from: source).status == 4)
    #expect(try fill(scratch["library.sqlite"], from: source).status == 64)
    #expect(!FileManager.default.fileExists(atPath: scratch["missing.store"]))
  }

  @Test func aStoreInUseIsNotTouched() throws {
    let store = try store()
    let script = """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1], isolation_level=None)
      store.execute("BEGIN IMMEDIATE")
      print("locked", flush=True)
      sys.stdin.read()
      """
    let process = Process()
    let (input, output) = (Pipe(), Pipe())
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", "-c", script, store]
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    #expect(!output.fileHandleForReading.availableData.isEmpty)
    #expect(try fill(store, from: Self.folder + "export.json").status == 7)
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(try rows(store, "SELECT count(*) FROM ZPIECE") == "0")
    #expect(try fill(store, from: Self.folder + "export.json", "-q").status == 0)
  }

  @Test func aLibraryIsExportedIntoAStore() throws {
    let library = scratch["boat.sqlite"]
    #expect(
      try Shell.fleetkit("import", Self.folder + "export.json", "--into", library, "--create", "-q").status == 0)
    let store = try store()
    let answer = try Shell.fleetkit("export", library, "--to", store, "--write-app-store", "-q")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try rows(store, "SELECT count(*) FROM ZPIECE") == "33")
    #expect(try rows(store, "SELECT count(*) FROM ZPRACTICESESSION") == "103")
  }

  @Test func aKillLeavesTheStoreAsItWasOrFilled() throws {
    let count = 3000
    var lines = ""
    for number in 0..<count {
      let id = "0E0B9C1C-4E7D-4C0A-9C40-" + String(format: "%012X", number)
      lines +=
        "{\"kind\":\"item\",\"id\":\"\(id)\",\"content_type\":\"practice_guide\",\"title\":\"Guide \(number)\","
        + "\"content_data\":{\"markdown\":\"\(String(repeating: "line of text ", count: 40))\\n\"}}\n"
    }
    let source = try scratch.write("many.jsonl", lines)
    let clock = ContinuousClock()
    let start = clock.now
    #expect(try fill(try store(), from: source, "-q").status == 0)
    let whole = Int((clock.now - start) / .microseconds(1))
    var random = SeededRandom(seed: 17)
    var (untouched, filled) = (0, 0)
    for _ in 0..<12 {
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: scratch["default.store" + suffix]) }
      let store = try store()
      let process = Process()
      process.executableURL = URL(fileURLWithPath: Paths.command)
      process.arguments = ["convert", source, "--to", store, "--write-app-store", "-q"]
      process.standardError = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      try process.run()
      usleep(UInt32(random.below(whole * 2)))
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
      #expect(try Shell.run("sqlite3", [store, "PRAGMA integrity_check"]).output == "ok\n")
      let (pieces, changes) = (
        try rows(store, "SELECT count(*) FROM ZPIECE"), try rows(store, "SELECT count(*) FROM ACHANGE")
      )
      #expect(pieces == changes && (pieces == "0" || pieces == "\(count)"), "\(pieces) pieces, \(changes) changes")
      if pieces == "0" { untouched += 1 } else { filled += 1 }
    }
    #expect(untouched > 0)
    print("kill -9, store: \(untouched) times untouched, \(filled) times filled")
  }
}
