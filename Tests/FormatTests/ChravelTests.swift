import FleetKit
import Foundation
import TestSupport
import Testing

/// Chravel: browser dumps and the store on the phone, compared with the expected records.
@Suite struct ChravelTests {
  private let scratch = Scratch()
  private static let folder = Paths.root + "/Tests/Fixtures/chravel/"
  private static let now = "2026-01-15T12:00:00Z"

  private func json(_ path: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path)))).root
  }

  private struct Converted {
    var status: Int32
    var records: [JSONValue]
    var report: JSONValue

    func findings(_ code: String) -> [JSONValue] {
      report["findings"]?["items"]?.elements.filter { $0["code"]?.string == code } ?? []
    }
  }

  private func convert(_ sources: [String]) throws -> Converted {
    let target = scratch["out.jsonl"]
    let answer = try Shell.run(
      Paths.command, ["convert"] + sources + ["--to", target, "--overwrite", "--json", "--now", Self.now])
    let report = try JSONDocument(parsing: answer.output).root
    let records = try scratch.text("out.jsonl").split(separator: "\n").map {
      try JSONDocument(parsing: String($0)).root
    }
    return Converted(status: answer.status, records: records, report: report)
  }

  /// Dumps with the same content.
  private static let dumps: [(name: String, sources: [String])] = [
    ("plain", ["indexeddb/plain"]), ("Dexie", ["indexeddb/dexie"]),
    (
      "outbound",
      [
        "indexeddb/dexie/chravel-offline-sync.json", "indexeddb/dexie-outbound/chravel-chat-db.json",
        "indexeddb/dexie-outbound/chravel-offline-queue.json",
      ]
    ),
  ]

  @Test(arguments: 0..<3) func dumpsBecomeWhatIsExpected(_ number: Int) throws {
    let (name, sources) = Self.dumps[number]
    let found = try convert(sources.map { Self.folder + $0 })
    let expected = try json(Self.folder + "expected-after-import.json")
    #expect(found.status == 3)
    for (entity, rows) in expected["entities"]?.members ?? [] {
      var raws: [String: JSONValue] = [:]
      for record in found.records where record["type"]?.string == entity {
        raws[record["raw"]?["id"]?.string ?? ""] = record["raw"]
      }
      #expect(raws.count == rows.elements.count, "\(name) \(entity)")
      for row in rows.elements {
        let raw = raws[row["id"]?.string ?? ""]
        for (attribute, wanted) in row.members where attribute != "source" {
          #expect(raw?[attribute]?.text == wanted.text, "\(name) \(entity) \(row["id"]?.string ?? "") \(attribute)")
        }
      }
    }
    // Without a key there is no outbound row, so that message is missing from the source.
    let isOutbound = name == "outbound"
    for (store, outcomes) in expected["outcomes"]?.members ?? [] {
      let wanted = outcomes.members.map { outcome, count in
        let missing = isOutbound && store == "messages" && outcome == "rejected" ? 1 : 0
        return (outcome, (count.integer ?? 0) - Int64(missing))
      }
      let sum = wanted.reduce(0) { $0 + $1.1 }
      let parts = wanted.sorted { $0.0 < $1.0 }.map { "\($0.1) \($0.0)" }.joined(separator: " + ")
      let message = found.findings("CHV0111").first { $0["record"]?.string == store }?["message"]?.string
      #expect(message == "\(store): \(sum) read = \(parts)", "\(name)")
    }
    let codes = [
      "expired": "CHV0102", "conflicts": "CHV0103", "duplicates": "CHV0104", "rejected": "CHV0101", "noHome": "CHV0105",
      "unknown": "CHV0106", "possibleDuplicates": "CHV0107", "wouldBeFailed": "CHV0108", "keptThoughExpired": "CHV0109",
      "completedDependsOnTheRule": "CHV0110",
    ]
    for (list, count) in expected["reported"]?.members ?? [] {
      let code = try #require(codes[list])
      let missing = isOutbound && list == "rejected" ? 1 : 0
      #expect(found.findings(code).count == Int(count.integer ?? 0) - missing, "\(name) \(list)")
    }
    func keys(_ code: String) -> Set<String> {
      Set(found.findings(code).compactMap { $0["record"]?.string })
    }
    for (list, code) in [
      ("expired", "CHV0102"), ("duplicates", "CHV0104"), ("unknown", "CHV0106"), ("noHome", "CHV0105"),
    ] {
      let wanted = expected["report"]?[list]?.elements.map {
        "\($0["store"]?.string ?? "") \($0["key"]?.string ?? "")"
      }
      #expect(keys(code) == Set(wanted ?? []), "\(name) \(list)")
    }
    let losers = expected["report"]?["conflicts"]?.elements.map {
      "\($0["loser"]?["store"]?.string ?? "") \($0["loser"]?["key"]?.string ?? "")"
    }
    #expect(keys("CHV0103") == Set(losers ?? []), "\(name)")
    #expect(found.findings("CHV0101").allSatisfy { $0["line"]?.integer ?? 0 > 0 })
  }

  @Test func aTripBecomesACharterAChecklistAndAnItinerary() throws {
    let found = try convert([Self.folder + "indexeddb/plain"])
    func count(_ kind: String) -> Int { found.records.count { $0["kind"]?.string == kind } }
    #expect(count("charter") == 3 && count("execution") == 3 && count("item") == 6)
    let steps = found.records.filter { $0["content_type"]?.string == "checklist" }
      .flatMap { $0["content_data"]?["sections"]?[0]?["items"]?.elements ?? [] }
    let ticks = found.records.filter { $0["kind"]?.string == "execution" }
      .flatMap { $0["item_states"]?.members ?? [] }
    let tasks = found.records.filter { $0["type"]?.string == "Task" }.compactMap { $0["raw"] }
    #expect(steps.count == tasks.count)
    #expect(ticks.count == tasks.count { $0["completed"]?.bool == true })
    #expect(Set(ticks.map(\.name)).isSubset(of: Set(steps.compactMap { $0["id"]?.string })))
    let library = scratch["boat.sqlite"]
    let imported = try Shell.fleetkit(
      "import", Self.folder + "indexeddb/plain", "--into", library, "--create", "--now", Self.now, "-q")
    #expect(imported.status == 3, "\(imported.errors)")
    #expect(try Shell.fleetkit("doctor", library).status == 0)
  }

  @Test func storesComeBack() throws {
    let store = scratch["ChravelDataModel.sqlite"]
    try FileManager.default.copyItem(atPath: Self.folder + "core-data/empty/ChravelDataModel.sqlite", toPath: store)
    let dump = Self.folder + "indexeddb/plain"
    let filled = try Shell.fleetkit(
      "convert", dump, "--to", store, "--write-app-store", "--now", Self.now, "-q")
    #expect(filled.status == 3, "\(filled.errors)")
    // SQLite creates files next to a store when it reads the store.
    let expected = scratch["filled.sqlite"]
    try FileManager.default.copyItem(atPath: Self.folder + "core-data/filled/ChravelDataModel.sqlite", toPath: expected)
    for entity in ["ZCHATMESSAGE", "ZTASK", "ZCALENDAREVENT"] {
      let columns = try Shell.run(
        "sqlite3", [store, "SELECT group_concat(name) FROM pragma_table_info('\(entity)') WHERE name <> 'Z_PK'"])
      let sql = "SELECT \(columns.output.trimmingCharacters(in: .newlines)) FROM \(entity) ORDER BY ZID"
      let wanted = try Shell.run("sqlite3", ["-readonly", expected, sql])
      #expect(!wanted.output.isEmpty)
      #expect(try Shell.run("sqlite3", ["-readonly", store, sql]).output == wanted.output, "\(entity)")
    }
    let again = try Shell.fleetkit("convert", dump, "--to", store, "--write-app-store", "--now", Self.now)
    #expect(again.status == 4)
    func bundle(_ source: String, _ name: String) throws -> [Substring] {
      #expect(try Shell.fleetkit("convert", source, "--to", scratch[name], "--now", Self.now, "-q").status == 0)
      return try scratch.text(name).split(separator: "\n").sorted()
    }
    let ours = try bundle(store, "ours.jsonl")
    #expect(try ours == bundle(Self.folder + "core-data/filled/ChravelDataModel.sqlite", "theirs.jsonl"))
    let copy = scratch["copy.sqlite"]
    try FileManager.default.copyItem(atPath: Self.folder + "core-data/empty/ChravelDataModel.sqlite", toPath: copy)
    let round = try Shell.fleetkit(
      "convert", scratch["ours.jsonl"], "--to", copy, "--write-app-store", "--now", Self.now, "-q")
    #expect(round.status == 0, "\(round.errors)")
    #expect(try bundle(copy, "copy.jsonl") == ours)
  }

  /// Returns the content of a bundle: either its lines, or only the attributes of the phone's model.
  private func attributes(_ name: String) throws -> [String: [String: String]] {
    var all: [String: [String: String]] = [:]
    for line in try scratch.text(name).split(separator: "\n") {
      let record = try JSONDocument(parsing: String(line)).root
      guard let raw = record["raw"], raw["syncStatus"] != nil else { continue }
      let members = raw.members.filter { !["row", "operations", "twin"].contains($0.name) }
      all[record["id"]?.string ?? ""] = Dictionary(uniqueKeysWithValues: members.map { ($0.name, $0.value.text) })
    }
    return all
  }

  private func convert(_ source: String, _ target: String, _ options: String...) throws -> Answer {
    let format = target.hasSuffix("/") ? ["--to-format", "chravel"] : []
    return try Shell.run(
      Paths.command, ["convert", source, "--to", scratch[target], "--now", Self.now, "-q"] + format + options)
  }

  /// The rows of a dump are written back unchanged, and Dexie's format can be read again.
  @Test func dumpsComeBack() throws {
    #expect(try convert(Self.folder + "indexeddb/plain", "one.jsonl").status == 3)
    let written = try convert(scratch["one.jsonl"], "dump/", "--prove")
    #expect(written.status == 0, "\(written.errors)")
    #expect(try convert(scratch["dump"], "two.jsonl").status == 0)
    #expect(try scratch.text("one.jsonl") == scratch.text("two.jsonl"))
    for name in ["chravel-offline-sync", "chravel-chat-db", "chravel-offline-queue"] {
      let export = try json(scratch["dump/\(name).json"])
      #expect(export["formatName"]?.string == "dexie" && export["data"]?["databaseName"]?.string == name)
      for (table, data) in zip(export["data"]?["tables"]?.elements ?? [], export["data"]?["data"]?.elements ?? []) {
        #expect(table["name"]?.string == data["tableName"]?.string && data["inbound"]?.bool == true)
        #expect(table["rowCount"]?.integer == Int64(data["rows"]?.elements.count ?? -1))
      }
    }
    #expect(try convert(scratch["one.jsonl"], "dump/").status == 4)
  }

  /// Conversion from dump to store to bundle to dump keeps everything that the phone's model holds.
  @Test func storesBecomeDumps() throws {
    let store = scratch["store.sqlite"]
    try FileManager.default.copyItem(atPath: Self.folder + "core-data/empty/ChravelDataModel.sqlite", toPath: store)
    #expect(try convert(Self.folder + "indexeddb/dexie", "store.sqlite", "--write-app-store").status == 3)
    #expect(try convert(store, "store.jsonl").status == 0)
    let written = try convert(scratch["store.jsonl"], "dump/", "--prove")
    #expect(written.status == 0, "\(written.errors)")
    #expect(try convert(scratch["dump"], "again.jsonl").status == 0)
    let wanted = try attributes("store.jsonl")
    #expect(wanted.count == 85)
    #expect(try attributes("again.jsonl") == wanted)
    // The source has the same attributes.
    #expect(try convert(Self.folder + "indexeddb/dexie", "first.jsonl").status == 3)
    #expect(try attributes("first.jsonl") == wanted)
  }

  /// An edited record is written with its current values and with the other members of its row.
  @Test func editsReachTheDump() throws {
    #expect(try convert(Self.folder + "indexeddb/plain", "one.jsonl").status == 3)
    var edited: [String: String] = [:]
    let lines = try scratch.text("one.jsonl").split(separator: "\n").map { line -> String in
      let record = try JSONDocument(parsing: String(line)).root
      guard let title = record["raw"]?["title"]?.text else { return String(line) }
      edited[record["id"]?.string ?? ""] = record["raw"]?["syncStatus"]?.string
      // Edit the attributes, not the row.
      let at = line.range(of: "\"raw\":{")?.upperBound ?? line.startIndex
      let found = line.range(of: "\"title\":\(title)", range: at..<line.endIndex)
      return found.map { line.replacingCharacters(in: $0, with: "\"title\":\"Edited\"") } ?? String(line)
    }
    _ = try scratch.write("edited.jsonl", lines.joined(separator: "\n") + "\n")
    #expect(try convert(scratch["edited.jsonl"], "dump/").status == 0)
    #expect(try convert(scratch["dump"], "two.jsonl").status == 0)
    let found = try attributes("two.jsonl")
    #expect(edited.count == 37)
    for (id, status) in edited {
      #expect(found[id]?["title"] == "\"Edited\"" && found[id]?["syncStatus"] == "\"\(status)\"", "\(id)")
    }
    // A member that the phone's model does not have.
    #expect(try scratch.text("two.jsonl").components(separatedBy: "\"event_category\":").count > 10)
  }

  /// Messages that the browser would delete are not written but listed as losses.
  @Test func oldMessagesAreListed() throws {
    #expect(try convert(Self.folder + "indexeddb/plain", "one.jsonl").status == 3)
    let answer = try Shell.run(
      Paths.command,
      [
        "convert", scratch["one.jsonl"], "--to", scratch["dump/"], "--to-format", "chravel", "--prove", "--json",
        "--now",
        "2026-12-01T00:00:00Z",
      ])
    #expect(answer.status == 0, "\(answer.errors)")
    let losses = try JSONDocument(parsing: answer.output).root["losses"]?["total"]?.integer ?? 0
    // 41 synced messages, 12 cache rows without an entity, and 1 overview.
    #expect(losses > 40)
    let broken = try scratch.write(
      "broken.jsonl",
      """
      {"kind":"foreign","id":"chravel/Task/a","system":"chravel","type":"Task","raw":{"id":"a","title":"no trip"}}
      {"kind":"foreign","id":"chravel/Task/b","system":"chravel","type":"Task","raw":{"id":"b","tripId":"t","title":"x"}}
      {"kind":"foreign","id":"chravel/Task/c","system":"chravel","type":"Task","raw":{"id":"b","tripId":"t","title":"y"}}

      """)
    let rejected = try Shell.run(
      Paths.command, ["convert", broken, "--to", scratch["d2/"], "--to-format", "chravel", "--json"])
    #expect(rejected.status == 3)
    let report = try JSONDocument(parsing: rejected.output).root
    let unfit = report["findings"]?["items"]?.elements.filter { $0["code"]?.string == "CHV0113" }
    #expect(unfit?.map { $0["line"]?.integer } == [1, 3])
    #expect(try Shell.fleetkit("convert", broken, "--to", "-", "--to-format", "chravel").status == 64)
  }

  @Test func aDumpThatEndsTooEarlyGivesWhatItHas() throws {
    let whole = try String(
      contentsOfFile: Self.folder + "indexeddb/plain/chravel-chat-db/messages.json", encoding: .utf8)
    let rows = try JSONDocument(parsing: whole).root.elements
    let cut = rows[10].span.lowerBound + 40
    let path = try scratch.write("messages.json", String(decoding: Array(whole.utf8)[..<cut], as: UTF8.self))
    let found = try convert([path])
    #expect(found.status == 3)
    #expect(found.records.count { $0["type"]?.string == "ChatMessage" } == 10)
    let broken = found.findings("CHV0101")
    #expect(broken.count == 1)
    #expect(broken.first?["line"]?.integer == Int64(rows[10].position.line))
    let dexie = try String(contentsOfFile: Self.folder + "indexeddb/dexie/chravel-chat-db.json", encoding: .utf8)
    for part in [1, 7, 40, 95] {
      let path = try scratch.write(
        "chravel-chat-db.json", String(decoding: Array(dexie.utf8).prefix(dexie.utf8.count * part / 100), as: UTF8.self)
      )
      let answer = try Shell.fleetkit(
        "convert", path, "--to", scratch["cut.jsonl"], "--overwrite", "--from-format", "chravel", "--now", Self.now)
      #expect([2, 3].contains(answer.status), "\(part) %: \(answer.errors)")
    }
  }

  /// A message is kept when an operation changes it, although the message is too old.
  @Test func anOperationKeepsWhatItChanges() throws {
    let folder = scratch["dump/chravel-offline-sync"]
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: scratch["dump/chravel-chat-db"], withIntermediateDirectories: true)
    _ = try scratch.write(
      "dump/chravel-chat-db/messages.json",
      """
      [{"id":"m1","trip_id":"t","content":"old","author_name":"Jon","created_at":"2025-01-01T00:00:00Z"},
       {"id":"m2","trip_id":"t","content":"older","author_name":"Jon","created_at":"2025-01-01T00:00:00Z"}]
      """)
    _ = try scratch.write(
      "dump/chravel-offline-sync/syncQueue.json",
      """
      [{"id":"sync_1","entityType":"chat_message","operationType":"update","tripId":"t","entityId":"m1",
        "data":{"content":"new"},"timestamp":1768457105000,"status":"pending"}]
      """)
    let found = try convert([scratch["dump"]])
    #expect(found.status == 0)
    let messages = found.records.filter { $0["type"]?.string == "ChatMessage" }.compactMap { $0["raw"] }
    #expect(messages.map { $0["content"]?.string } == ["new"] && messages[0]["syncStatus"]?.string == "pending")
    #expect(found.findings("CHV0109").count == 1 && found.findings("CHV0102").count == 1)
  }

  @Test func oddRowsAreRejectedAndNeverTrap() throws {
    let cases = [
      "[1,null,\"x\",[],{}]", "[{\"trip_id\":\"t\",\"author_name\":\"a\"",
      "[{\"id\":5,\"trip_id\":\"t\",\"author_name\":\"a\"}]",
      "[{\"id\":\"x\",\"trip_id\":\"t\",\"author_name\":\"a\",\"content\":\"c\",\"created_at\":1e400}]",
      "[{\"id\":\"x\",\"entityType\":\"task\",\"tripId\":\"t\",\"cachedAt\":9e99,\"data\":{}}]",
      "[{\"id\":\"\\ud800\",\"trip_id\":\"t\",\"author_name\":\"a\"}]",
      "{\"formatName\":\"dexie\",\"data\":{\"data\":[{\"rows\":[",
      "[[\"k\"],[\"k\",1],[\"k\",{\"$types\":5}]]", "]", "",
    ]
    for (number, text) in cases.enumerated() {
      let path = try scratch.write("odd-\(number).json", text)
      let answer = try Shell.fleetkit(
        "convert", path, "--from-format", "chravel", "--to", scratch["odd.jsonl"], "--overwrite", "--now", Self.now)
      #expect([0, 2, 3, 4, 5].contains(answer.status), "\(text): \(answer.status) \(answer.errors)")
    }
  }
}
