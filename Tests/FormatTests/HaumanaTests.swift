import FleetKit
import Foundation
import JSONText
import TestSupport
import Testing

/// Haumana: exports, DynamoDB and the store on the phone, compared with the expected records.
@Suite struct HaumanaTests {
  private let scratch = Scratch()
  private static let folder = Paths.root + "/Tests/Fixtures/haumana/"
  private static let user = "191064050706105604154"

  private struct Read {
    var records: [JSONValue] = []
    var rejected = 0
    var findings: [Diagnostic] = []

    func ids(_ kind: String) -> Set<String> {
      Set(records.filter { $0["kind"]?.string == kind }.compactMap { $0["id"]?.string })
    }
  }

  private func read(_ path: String, user: String? = nil, decks: Bool = false) throws -> Read {
    var reading = ReadingOptions()
    reading.user = user
    reading.decks = decks
    let context = RunContext(
      findings: DiagnosticLog(keepPerCode: 1000), reading: reading, now: Timestamp(milliseconds: 1_768_478_400_000))
    var read = Read()
    read.rejected = try RecordScan(sources: SourceList([path])).run(context: context) {
      read.records.append(try $0.document().root)
    }
    read.findings = context.findings.kept
    return read
  }

  private static func json(_ path: String) throws -> JSONValue {
    try JSONDocument(parsing: Array(try Data(contentsOf: URL(fileURLWithPath: path)))).root
  }

  /// Returns the record value that corresponds to an attribute of an expected file.
  private static func value(_ name: String, of record: JSONValue) -> JSONValue? {
    switch name {
    case "id": record["id"]
    case "title": record["title"]
    case "createdAt": record["created_at"]
    case "updatedAt": record["updated_at"]
    default: record["extras"]?["haumana"]?[name] ?? record["extras"]?["haumana_phone"]?[name]
    }
  }

  private static func check(_ read: Read, against expected: JSONValue) {
    var records: [String: JSONValue] = [:]
    for record in read.records { records[record["id"]?.string ?? ""] = record }
    #expect(records.count == read.records.count)
    func look(
      _ list: String, _ id: (String) -> String, _ value: (String, JSONValue) -> JSONValue?
    ) {
      for row in expected[list]?.elements ?? [] {
        guard let record = records.removeValue(forKey: id(row["id"]?.string ?? "")) else {
          Issue.record("\(list): \(row.text) is missing")
          continue
        }
        for (name, wanted) in row.members {
          let found = value(name, record)
          #expect(wanted.isNull ? found?.isNull ?? true : found?.text == wanted.text, "\(list) \(name) of \(row.text)")
        }
      }
    }
    look("pieces", { $0 }, value)
    let cloud = ["id": "sessionId", "startTime": "startedAt", "endTime": "endedAt"]
    look("practiceSessions", { $0 }) { name, record in record["raw"]?[cloud[name] ?? name] }
    look("users", { "haumana/user/" + $0 }) { name, record in record["raw"]?[name] }
    look("syncQueue", { "haumana/sync_queue_item/" + $0 }) { name, record in record["raw"]?[name] }
    #expect(records.isEmpty)
  }

  // MARK: The store

  @Test(arguments: ["default-v1", "default-v1-history", "default-v1-nohistory", "default-v1-empty"])
  func storesHaveEveryValue(_ name: String) throws {
    let path = Self.folder + name + ".store"
    let before = try Data(contentsOf: URL(fileURLWithPath: path))
    let read = try read(path)
    let expected = name == "default-v1-empty" ? name : "default-v1"
    Self.check(read, against: try Self.json(Self.folder + "expected/\(expected).json"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
    #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
  }

  @Test func rowsThatAreOnlyInTheLogAreRead() throws {
    let folder = Self.folder + "default-v1-wal/"
    func files() throws -> [String: Data] {
      var all: [String: Data] = [:]
      for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
        all[name] = try Data(contentsOf: URL(fileURLWithPath: folder + name))
      }
      return all
    }
    let before = try files()
    let read = try read(folder + "default.store")
    Self.check(read, against: try Self.json(Self.folder + "expected/default-v1-wal.json"))
    #expect(try files() == before)
  }

  /// The main file may be empty, because the log of a store that was never closed holds everything.
  @Test func aStoreThatWasNeverClosedIsRead() throws {
    let script = """
      import os, shutil, sqlite3, sys
      source, folder = sys.argv[1:]
      dump = list(sqlite3.connect("file:" + source + "?mode=ro&immutable=1", uri=True).iterdump())
      store = sqlite3.connect(folder + "/open.store", isolation_level=None)
      store.execute("PRAGMA journal_mode = WAL")
      store.execute("PRAGMA wal_autocheckpoint = 0")
      store.executescript("\\n".join(dump))
      for ending in ["", "-wal"]: shutil.copy(folder + "/open.store" + ending, folder + "/copy.store" + ending)
      """
    let made = try Shell.run("python3", ["-c", script, Self.folder + "default-v1-nohistory.store", scratch.path])
    #expect(made.status == 0, "\(made.errors)")
    let main = try Data(contentsOf: URL(fileURLWithPath: scratch["copy.store"]))
    #expect(main.count <= 4096)
    #expect(try SourceList([scratch["copy.store"]]).entries.map(\.format.descriptor.name) == ["haumana-store"])
    Self.check(try read(scratch["copy.store"]), against: try Self.json(Self.folder + "expected/default-v1.json"))
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["copy.store"])) == main)
  }

  @Test func whatTheStoreShowsIsReported() throws {
    let read = try read(Self.folder + "default-v1.store")
    let count = { (code: String) in read.findings.count { $0.code.id == code } }
    #expect(count("HMN0102") == 11 + 11 && count("HMN0109") == 2)
    let piece = read.findings.first { $0.code.id == "HMN0102" && $0.place.row?.table == "ZPIECE" }
    #expect(piece?.place.row?.column == "ZLOCALLYMODIFIED")
  }

  @Test func rowsOfWrongTypesAreRejectedWithTheirPlaces() throws {
    let path = scratch["odd.store"]
    try FileManager.default.copyItem(atPath: Self.folder + "default-v1-nohistory.store", toPath: path)
    let changes = """
      UPDATE ZPIECE SET ZTITLE = NULL WHERE Z_PK = 1;
      UPDATE ZPIECE SET ZTITLE = x'ff00' WHERE Z_PK = 6;
      UPDATE ZPIECE SET ZCREATEDAT = 1e300 WHERE Z_PK = 3; UPDATE ZPIECE SET ZID = x'01' WHERE Z_PK = 4;
      UPDATE ZPRACTICESESSION SET ZSTARTTIME = 'soon' WHERE Z_PK = 1; ALTER TABLE ZPIECE ADD COLUMN ZMOOD VARCHAR;
      UPDATE ZPIECE SET ZMOOD = 'calm' WHERE Z_PK = 5;
      """
    #expect(try Shell.run("sqlite3", [path, changes]).status == 0)
    let read = try read(path)
    #expect(read.rejected == 5)
    let places = Set(read.findings.filter { $0.severity == .error }.compactMap { $0.place.row })
    let rows = places.map { "\($0.table) \($0.id) \($0.column ?? "-")" }.sorted()
    #expect(
      rows == [
        "ZPIECE 1 -", "ZPIECE 3 ZCREATEDAT", "ZPIECE 4 ZID", "ZPIECE 6 ZTITLE", "ZPRACTICESESSION 1 ZSTARTTIME",
      ])
    #expect(read.records.contains { $0["extras"]?["haumana"]?["mood"]?.string == "calm" })
  }

  @Test func otherStoresAreDescribed() throws {
    let store = Paths.root + "/Tests/Fixtures/matrix/core-data.coredata"
    let read = try read(store)
    #expect(read.records.count == 85 && read.rejected == 0)
    let types = Set(read.records.compactMap { $0["type"]?.string })
    #expect(types == ["CalendarEvent", "Note", "Task"])
    // A store is not recognized as a library, and a library is not recognized as a store.
    #expect(try SourceList([store]).entries.map(\.format.descriptor.name) == ["core-data"])
    let library = Paths.root + "/Tests/Fixtures/libraries/" + "library-v2.2.0.sqlite"
    if FileManager.default.fileExists(atPath: library) {
      #expect(try SourceList([library]).entries.map(\.format.descriptor.name) == ["sqlite"])
    }
  }

  // MARK: Documents

  @Test func exportsComeBack() throws {
    let (bundle, back) = (scratch["a.jsonl"], scratch["b.json"])
    #expect(try Shell.fleetkit("convert", Self.folder + "export.json", "--to", bundle, "-q").status == 0)
    let run = try Shell.fleetkit("convert", bundle, "--to", back, "--to-format", "haumana", "--no-loss", "-q")
    #expect(run.status == 0, "\(run.errors)")
    let (one, two) = (try Self.json(Self.folder + "export.json"), try Self.json(back))
    #expect(Self.normal(one) == Self.normal(two))
  }

  /// Returns a value as a string that is equal for equivalent documents: members sorted, nulls omitted, times as
  /// instants.
  static func normal(_ value: JSONValue) -> String {
    switch value.kind {
    case .object:
      let members = value.members.filter { !$0.value.isNull }.map { "\($0.name):\(normal($0.value))" }
      return "{" + members.sorted().joined(separator: ",") + "}"
    case .array: return "[" + value.elements.map(normal).sorted().joined(separator: ",") + "]"
    case .string:
      let text = value.string ?? ""
      guard text.count >= 20, text.hasSuffix("Z"), let time = Timestamp.parse(text) else { return "\"\(text)\"" }
      return String(time.0.milliseconds)
    default: return value.text
    }
  }

  @Test func storeAndLibraryAndExportAgree() throws {
    let library = scratch["n.sqlite"]
    let store = Self.folder + "default-v1.store"
    #expect(try Shell.fleetkit("import", store, "--into", library, "--create", "-q").status == 0)
    let again = try Shell.fleetkit("import", store, "--into", library, "--json")
    #expect(again.status == 0 && again.output.contains("\"unchanged\":40"), "\(again.output.prefix(600))")
    #expect(try Shell.fleetkit("export", library, "--to", scratch["n.jsonl"], "-q").status == 0)
    var read = Read()
    for line in try scratch.text("n.jsonl").split(separator: "\n").dropFirst() {
      read.records.append(try JSONDocument(parsing: String(line)).root)
    }
    Self.check(read, against: try Self.json(Self.folder + "expected/default-v1.json"))
  }

  @Test func namesAreKnownHoweverTheyAreSpelled() throws {
    let escaped = #"""
      {"p\u0069eceId":{"S":"10000000-0000-4000-8000-000000000001"},"\u0074itle":{"S":"One"},"lyrics":{"S":"a\nb"},"\u0075serId":{"S":"1"},"m\u006fod":{"S":"calm"}}
      {"pieceId":{"S":"10000000-0000-4000-8000-000000000002"},"title":{"S":"Two"},"\u0075serId":{"S":"2"}}

      """#
    let path = try scratch.write("escaped.jsonl", escaped)
    let several = try Shell.fleetkit("convert", path, "--from-format", "haumana-dynamodb", "--to", scratch["all.jsonl"])
    #expect(several.status == 4)
    let target = scratch["one.jsonl"]
    let run = try Shell.fleetkit(
      "convert", path, "--from-format", "haumana-dynamodb", "--user", "1", "--to", target, "-q")
    #expect(run.status == 0, "\(run.errors)")
    let lines = try scratch.text("one.jsonl").split(separator: "\n")
    #expect(lines.count == 2)
    let record = try JSONDocument(parsing: String(lines[1])).root
    #expect(record["id"]?.string == "10000000-0000-4000-8000-000000000001" && record["title"]?.string == "One")
    let extras = record["extras"]?["haumana"]
    #expect(extras?["mood"]?.string == "calm" && extras?["userId"]?.string == "1" && extras?["title"] == nil)
  }

  @Test func theNewestWinsAndTheRemoteIfEqual() throws {
    let library = scratch["m.sqlite"]
    let conflict = Self.folder + "conflict/"
    #expect(try Shell.fleetkit("import", conflict + "local.store", "--into", library, "--create", "-q").status == 0)
    let run = try Shell.fleetkit(
      "import", conflict + "remote-pieces.json", "--into", library, "--on-conflict", "newest", "-q")
    // The piece whose remote time cannot be read is rejected, and the library's piece is kept.
    #expect(run.status == 3)
    #expect(try Shell.fleetkit("export", library, "--to", scratch["m.jsonl"], "-q").status == 0)
    var items: [String: JSONValue] = [:]
    for line in try scratch.text("m.jsonl").split(separator: "\n").dropFirst() {
      let record = try JSONDocument(parsing: String(line)).root
      if record["kind"]?.string == "item" { items[record["id"]?.string ?? ""] = record }
    }
    let expected = try Self.json(conflict + "expected-merged.json")["pieces"]?.elements ?? []
    #expect(expected.count == 16 && items.count == 16)
    for one in expected {
      guard let piece = one["piece"], let record = items[piece["id"]?.string ?? ""] else { continue }
      for (name, wanted) in piece.members {
        let found = Self.value(name, of: record)
        #expect(
          wanted.isNull ? found?.isNull ?? true : found?.text == wanted.text, "\(one["case"]?.text ?? "") \(name)")
      }
    }
  }

  @Test func linesStayLinesAndNothingIsMarkup() throws {
    let piece = """
      {"pieceId":"01AC77EF-64B1-4127-B627-67F25FEBC6DB","title":"T","lyrics":"# a\\r\\n* b <i>\\n1. c\\n\\n\\td_e  ",\
      "englishTranslation":"x\\ny"}
      """
    let read = try read(scratch.write("one.json", "[" + piece + "]"), decks: true)
    let guide = try #require(read.records.first)
    #expect(
      guide["content_data"]?["markdown"]?.string
        == "## Lyrics\n\n\\# a  \n\\* b \\<i>  \n1\\. c\n\nd\\_e\n\n## Translation\n\nx  \ny\n")
    let cards = read.records.last?["content_data"]?["cards"]?.elements ?? []
    #expect(cards.map { $0["front"]?.string } == ["# a", "* b <i>\n1. c\nd_e"])
    #expect(cards.map { $0["back"]?.string } == ["x", "y"])
    #expect(try self.read(scratch["one.json"], decks: true).ids("item") == read.ids("item"))
  }

  @Test func aChangedGuideGivesItsSectionsBack() throws {
    let export = try scratch.write(
      "one.json",
      """
      [{"pieceId":"01AC77EF-64B1-4127-B627-67F25FEBC6DB","title":"T","lyrics":"a_b\\n\\nc","notes":"n","author":"K"}]
      """)
    #expect(try Shell.fleetkit("convert", export, "--to", scratch["v/"], "-q").status == 0)
    let note = scratch["v/guides/t.md"]
    let text = try String(contentsOfFile: note, encoding: .utf8).replacing("a\\_b", with: "a\\_b\\!")
    try text.write(toFile: note, atomically: true, encoding: .utf8)
    let run = try Shell.fleetkit("convert", scratch["v/"], "--to", scratch["b.json"], "--to-format", "haumana", "-q")
    #expect(run.status == 0, "\(run.errors)")
    let back = try Self.json(scratch["b.json"])["pieces"]?[0]
    #expect(back?["lyrics"]?.string == "a_b!\n\nc" && back?["notes"]?.string == "n" && back?["author"]?.string == "K")
  }

  // MARK: DynamoDB

  @Test(arguments: ["haumana-pieces.scan.jsonl", "s3-export-pieces", "s3-export-pieces/AWSDynamoDB"])
  func scansAreThoseOfOneUser(_ name: String) throws {
    let path = Self.folder + "dynamodb/" + name
    let refused = try Shell.fleetkit("convert", path, "--to", scratch["no.jsonl"])
    #expect(
      refused.status == 4 && refused.errors.contains(Self.user) && refused.errors.contains("105617709961864522686"))
    #expect(!FileManager.default.fileExists(atPath: scratch["no.jsonl"]))
    let read = try read(path, user: Self.user)
    let export = try Self.json(Self.folder + "export.json")
    #expect(read.ids("item") == Set(export["pieces"]?.elements.compactMap { $0["pieceId"]?.string } ?? []))
    #expect(read.findings.count { $0.code.id == "HMN0103" } == 1)
    #expect(read.rejected == 0)
  }

  /// The requests, each of which has at most 25 puts, contain the same values as the rows and can be read back.
  @Test func rowsAreWrittenAsRequests() throws {
    let store = Self.folder + "default-v1.store"
    let target = scratch["requests/"]
    let format = ["--to-format", "haumana-dynamodb"]
    let anonymous = try Shell.run(Paths.command, ["convert", store, "--to", scratch["none/"], "-q"] + format)
    #expect(anonymous.status == 3)
    let run = try Shell.run(Paths.command, ["convert", store, "--to", target, "--user", Self.user, "-q"] + format)
    #expect(run.status == 0, "\(run.errors)")
    let names = try FileManager.default.contentsOfDirectory(atPath: target).sorted()
    #expect(names == (["request-1.json", "request-2.json"] + (1...5).map { "sessions-\($0).json" }))
    func items(_ folder: String) throws -> [String] {
      var all: [String] = []
      for name in ["request-1.json", "request-2.json"] {
        let puts = try Self.json(folder + name)["RequestItems"]?["haumana-pieces"]?.elements ?? []
        #expect(puts.count <= 25)
        all += puts.compactMap { $0["PutRequest"]?["Item"] }.map(Self.normal)
      }
      return all.sorted()
    }
    #expect(try items(target) == items(Self.folder + "batch-expected/as-is/"))
    let back = try read(target)
    #expect(back.ids("item") == (try read(store).ids("item")) && back.ids("practice_session").count == 120)
    // A folder that contains files is not written to, and an item that is too large is rejected.
    #expect(try Shell.run(Paths.command, ["convert", store, "--to", target, "-q"] + format).status == 4)
    let large = try scratch.write(
      "large.json",
      "[{\"pieceId\":\"01AC77EF-64B1-4127-B627-67F25FEBC6DB\",\"title\":\"T\",\"userId\":\"1\",\"lyrics\":\""
        + String(repeating: "a", count: 410 << 10) + "\"}]")
    #expect(try Shell.run(Paths.command, ["convert", large, "--to", scratch["l/"], "-q"] + format).status != 0)
  }

  @Test func pagesAndSessionsAreRead() throws {
    let folder = Self.folder + "dynamodb/"
    let first = try read(folder + "haumana-pieces.scan-page-1.json")
    let second = try read(folder + "haumana-pieces.scan-page-2.json", user: Self.user)
    #expect(first.records.count == 18 && second.records.count == 15)
    #expect(first.findings.map(\.code.id).filter { $0 == "HMN0107" }.count == 1)
    #expect(!second.findings.map(\.code.id).contains("HMN0107"))
    for sessions in ["haumana-sessions.scan.jsonl", "s3-export-sessions"] {
      #expect(try read(folder + sessions, user: Self.user).ids("practice_session").count == 103)
    }
    #expect(try read(folder + "haumana-users.scan.jsonl").ids("foreign") == ["haumana/user/" + Self.user])
    #expect(try read(Self.folder + "curated-list.json").records.count == 12)
  }

  @Test func damagedExportsAreRejectedWithTheirPlaces() throws {
    func copy(_ name: String) throws -> String {
      try FileManager.default.copyItem(
        atPath: Self.folder + "dynamodb/s3-export-pieces/AWSDynamoDB/01768478400000-1a2b3c4d", toPath: scratch[name])
      return scratch[name]
    }
    // A truncated file: its content is read, and the file is rejected twice, for its MD5 and for its missing end.
    let cut = try copy("cut")
    let file = cut + "/data/b3daa74f4914d0b1f6d9ede33f.json.gz"
    let data = try Data(contentsOf: URL(fileURLWithPath: file))
    try data.prefix(data.count / 2).write(to: URL(fileURLWithPath: file))
    let read = try read(cut, user: Self.user)
    #expect(read.rejected == 2 && read.records.count >= 20)
    #expect(Set(read.findings.filter { $0.severity == .error }.map(\.code.id)) == ["HMN0105", "HMN0106"])
    #expect(read.findings.first { $0.code.id == "HMN0106" }?.place.member == "data/b3daa74f4914d0b1f6d9ede33f.json.gz")
    // Manifests that do not match the files, or are missing.
    let lost = try copy("lost")
    try FileManager.default.removeItem(atPath: lost + "/data/35f75dc01a71b1a766fcc0b30c.json.gz")
    #expect(try Shell.fleetkit("convert", lost, "--to", scratch["x.jsonl"], "--user", Self.user).status == 5)
    let forged = try copy("forged")
    let manifest = forged + "/manifest-files.json"
    try String(contentsOfFile: manifest, encoding: .utf8).replacing("\"itemCount\":12", with: "\"itemCount\":11")
      .write(toFile: manifest, atomically: true, encoding: .utf8)
    #expect(try Shell.fleetkit("convert", forged, "--to", scratch["x.jsonl"], "--user", Self.user).status == 5)
    try FileManager.default.removeItem(atPath: forged + "/manifest-files.md5")
    try FileManager.default.removeItem(atPath: forged + "/manifest-summary.json")
    #expect(try self.read(forged, user: Self.user).findings.count { $0.code.id == "HMN0105" } == 3)
  }

  @Test func brokenLinesAreRejectsAndTheOthersCome() throws {
    let good = #"{"pieceId":{"S":"01AC77EF-64B1-4127-B627-67F25FEBC6DB"},"title":{"S":"T"},"lyrics":{"S":"a"}}"#
    let lines = [
      good, "{\"pieceId\":{\"S\":", "[1]", #"{"pieceId":{"S":"x"},"title":{"N":"1"},"lyrics":{"S":"a"}}"#, "",
      #"{"pieceId":{"S":"02AC77EF-64B1-4127-B627-67F25FEBC6DB"},"lyrics":{"S":"a"}}"#,
      good.replacing("01AC", with: "03AC"),
    ]
    let path = try scratch.write("lines.jsonl", lines.joined(separator: "\r\n"))
    let read = try read(path)
    #expect(read.records.count == 2 && read.rejected == 4)
    #expect(read.findings.filter { $0.severity == .error }.compactMap(\.place.line) == [2, 3, 4, 6])
    // A truncated document causes an error at the place where the document ends.
    let text = try String(contentsOfFile: Self.folder + "export.json", encoding: .utf8)
    let cut = try scratch.write("cut.json", String(text.prefix(text.count / 2)))
    #expect(try Shell.fleetkit("convert", cut, "--to", scratch["c.jsonl"]).status == 5)
  }

  /// However a file is damaged, reading does not crash, and every object becomes a record or a reject.
  @Test func damageNeverCrashes() throws {
    var random = SeededRandom(seed: 17)
    let document =
      Array(try Data(contentsOf: URL(fileURLWithPath: Self.folder + "curated-list.json")).prefix(3000)) + [0x7D, 0x5D]
    let lines = Array(
      try Data(contentsOf: URL(fileURLWithPath: Self.folder + "dynamodb/haumana-pieces.scan.jsonl")).prefix(3000))
    let store = Array(try Data(contentsOf: URL(fileURLWithPath: Self.folder + "default-v1-nohistory.store")))
    var read = 0
    for round in 0..<600 {
      var bytes = [document, lines, store][round % 3]
      for _ in 0...random.below(4) {
        let at = random.below(round % 3 == 2 && random.below(2) == 0 ? 200 : bytes.count)
        switch random.below(3) {
        case 0: bytes[at] = UInt8(random.below(256))
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8(random.below(256)), at: at)
        }
      }
      let path = scratch["broken" + ["0.json", "1.jsonl", "2.store"][round % 3]]
      try Data(bytes).write(to: URL(fileURLWithPath: path))
      let name = FormatID(["haumana", "haumana-dynamodb", "haumana-store"][round % 3])
      var options = ReadingOptions()
      options.user = Self.user
      options.decks = true
      let context = RunContext(reading: options, now: Timestamp(milliseconds: 0))
      do {
        _ = try RecordScan(sources: SourceList([path], format: name)).run(context: context) { _ in read += 1 }
      } catch is RunFailure {}
    }
    #expect(read > 1000)
  }
}
