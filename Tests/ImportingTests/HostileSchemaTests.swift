import Foundation
import SQLiteIO
import SQLiteLibrary
import TestSupport
import Testing

/// Libraries whose schema contains its author's code, such as triggers and generated columns. However the schema is
/// spelled, none of this code runs.
struct HostileSchemaTests {
  /// An object that the app never creates, as rows of `sqlite_schema` or as ordinary statements.
  struct Attack: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let sql: String

    init(_ name: String, _ sql: String) {
      testDescription = name
      self.sql = sql
    }

    /// Returns a row of `sqlite_schema` with exactly this text.
    static func row(_ kind: String, _ text: String, table: String = "library_content") -> Attack {
      Attack(
        "\(kind): \(text.prefix(24))",
        """
        PRAGMA writable_schema = ON;
        INSERT INTO sqlite_schema (type, name, tbl_name, rootpage, sql) VALUES
          ('\(kind)', 'evil', '\(table)', 0, '\(text.replacing("'", with: "''"))');
        PRAGMA writable_schema = RESET
        """)
    }
  }

  private static let body = """
    AFTER INSERT ON library_content BEGIN UPDATE library_content SET visibility = 'public'; DELETE FROM charters; END
    """

  /// Objects that run code or show values that are not stored.
  static let objects = [
    Attack.row("trigger", "CREATE TRIGGER evil \(body)"),
    Attack.row("TRIGGER", "CREATE TRIGGER evil \(body)"),
    Attack.row("Trigger", "create  trigger evil \(body)"),
    Attack.row("tRiGgEr", "CREATE/**/TRIGGER evil \(body)"),
    Attack.row("table", "CREATE TRIGGER evil \(body)"),
    Attack.row("index", "CREATE TRIGGER evil \(body)"),
    Attack.row("", "CREATE TRIGGER evil \(body)"),
    Attack.row("view", "CREATE VIEW evil AS SELECT 1", table: "evil"),
    Attack.row("VIEW", "CREATE  VIEW evil AS SELECT 1", table: "evil"),
    Attack.row("table", "CREATE  VIRTUAL TABLE evil USING fts5(a)", table: "evil"),
    Attack.row("TABLE", "CREATE\tVIRTUAL\nTABLE evil USING fts5(a)", table: "evil"),
    Attack.row("Table", "create virtual/**/table evil using rtree(a, b, c)", table: "evil"),
    Attack("a real virtual table", "CREATE VIRTUAL TABLE evil USING fts5(a)"),
    Attack("a real trigger", "CREATE TRIGGER evil \(body)"),
    Attack("a real view", "CREATE VIEW evil AS SELECT * FROM charters"),
  ]

  /// An expression that fails whenever it is evaluated.
  private static let trap = "abs(-9223372036854775807 - 1)"

  /// Columns and indexes whose values SQLite computes.
  static let computed = [
    Attack("a generated column", "ALTER TABLE charters ADD COLUMN evil AS (\(trap))"),
    Attack(
      "a generated column of a table that the app does not have",
      """
      CREATE TABLE other (a, evil AS (length(a))); INSERT INTO other (a) VALUES (1); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'length(a)', '\(trap)') WHERE name = 'other';
      PRAGMA writable_schema = RESET
      """),
    Attack(
      "an index with an expression",
      """
      CREATE INDEX evil ON checklists (length(title)); PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'length(title)', '\(trap)') WHERE name = 'evil';
      PRAGMA writable_schema = RESET
      """),
    Attack(
      "a partial index",
      """
      CREATE INDEX evil ON charters (name) WHERE length(name) > 0; PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'length(name)', '\(trap)') WHERE name = 'evil';
      PRAGMA writable_schema = RESET
      """),
    Attack("a partial index of another name", "CREATE INDEX evil ON sync_queue (createdAt) WHERE syncedAt IS NULL"),
    Attack(
      "a partial index of the app's name",
      "DROP INDEX idx_sync_queue_pending; CREATE INDEX idx_sync_queue_pending ON sync_queue (createdAt) WHERE id > 0"),
  ]

  private let scratch = Scratch()
  private let source: String

  init() throws {
    source = try scratch.write("s.jsonl", #"{"content_type":"checklist","title":"A","content_data":{"sections":[]}}"#)
  }

  private func library(_ attack: Attack, _ fixture: String = "library-v2.2.0.sqlite") throws -> String {
    let path = try scratch.writable(fixture, as: "\(UUID().uuidString).sqlite")
    try SQLiteConnection(path, .write, .own).execute(attack.sql)
    return path
  }

  private func bytes(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

  private func writes(_ library: String) -> [[String]] {
    [
      ["import", source, "--into", library], ["import", source, "--into", library, "--dry-run"],
      ["doctor", library, "--repair", "--yes"], ["publish", library, "--all", "--yes"],
      ["queue", "retry", library, "--all"],
    ]
  }

  private func reads(_ library: String) -> [[String]] {
    [
      ["list", library], ["inspect", library], ["export", library, "--to", "-", "--to-format", "jsonl"],
      ["convert", library, "--to", scratch["\(UUID().uuidString).jsonl"]],
      ["backup", library, "--to", scratch["\(UUID().uuidString).fleetpack"]],
    ]
  }

  @Test(arguments: objects)
  func aLibraryWithCodeIsRefused(_ attack: Attack) throws {
    let library = try library(attack)
    let before = try bytes(library)
    for words in writes(library) + reads(library) + [["doctor", library], ["migrate", library, "--dry-run"]] {
      let answer = try Shell.run(Paths.command, words)
      #expect(answer.status == 2, "\(words): \(answer.errors)")
      #expect(try bytes(library) == before, "\(words)")
    }
  }

  @Test(arguments: computed)
  func whatWouldBeComputedIsNeitherReadNorWritten(_ attack: Attack) throws {
    let library = try library(attack)
    let before = try bytes(library)
    for words in writes(library) where words[0] != "doctor" {
      let answer = try Shell.run(Paths.command, words)
      #expect(answer.status == 4, "\(words): \(answer.errors)")
      #expect(try bytes(library) == before, "\(words)")
    }
    for words in reads(library) {
      let answer = try Shell.run(Paths.command, words)
      #expect(answer.status == 0, "\(words): \(answer.errors)")
    }
    // The object is reported, and all stored values are read.
    let doctor = try Shell.fleetkit("doctor", library, "--json")
    #expect(doctor.status == 0 || doctor.status == 1)
    #expect(doctor.output.contains("LIB0911"))
    let plain = try scratch.writable("library-v2.2.0.sqlite", as: "plain.sqlite")
    func charters(_ path: String) throws -> [Substring] {
      try Shell.fleetkit("export", path, "--to", "-", "--to-format", "jsonl").output.split(separator: "\n").filter {
        $0.contains(#""kind":"charter""#) || $0.contains(#""kind":"item""#)
      }
    }
    #expect(try charters(library) == charters(plain))
    #expect(try bytes(library) == before)
  }

  @Test(arguments: computed)
  func aMigrationRefusesWhatWouldBeComputed(_ attack: Attack) throws {
    let library = try library(attack, "library-v1.6.0.sqlite")
    let before = try bytes(library)
    for words in [["migrate", library, "--yes"], ["migrate", library, "-o", scratch["new.sqlite"]]] {
      #expect(try Shell.run(Paths.command, words).status == 4, "\(words)")
      #expect(try bytes(library) == before)
    }
  }

  /// Later versions of the app add plain columns, indexes and tables.
  @Test func unknownPlainObjectsAreNoReasonToRefuse() throws {
    let attack = Attack(
      "plain",
      """
      ALTER TABLE charters ADD COLUMN engineHours INTEGER; CREATE INDEX later ON charters (engineHours, name);
      CREATE TABLE later_table (id TEXT PRIMARY KEY, note TEXT) WITHOUT ROWID;
      INSERT INTO later_table VALUES ('a', 'b')
      """)
    let library = try library(attack)
    for words in writes(library) where words[0] == "import" {
      #expect(try Shell.run(Paths.command, words).status == 0, "\(words)")
    }
    for words in reads(library) { #expect(try Shell.run(Paths.command, words).status == 0, "\(words)") }
  }

  /// The SQL text of an object may be followed by other statements. A migration copies the objects that the app does
  /// not have.
  @Test func statementsBehindASchemaTextDoNotRun() throws {
    let library = try library(
      Attack(
        "two statements",
        """
        CREATE TABLE other (a); INSERT INTO other VALUES (1); PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = sql || '; DELETE FROM main.charters' WHERE name = 'other';
        PRAGMA writable_schema = RESET
        """), "library-v1.6.0.sqlite")
    let count = try SQLiteConnection(library, .read, .foreign).number("SELECT count(*) FROM charters")
    let new = scratch["new.sqlite"]
    let answer = try Shell.fleetkit("migrate", library, "-o", new)
    guard answer.status == 0 else { return }
    #expect(try SQLiteConnection(new, .read, .foreign).number("SELECT count(*) FROM charters") == count)
  }

  // MARK: Journals

  /// Returns a killed writer's journal that names another file as its super-journal, which SQLite deletes when it rolls
  /// back.
  private func journal(of database: Data, naming path: String) -> Data {
    func number(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
    let size = Int(database[16]) << 8 | Int(database[17])
    let page = Array(database.prefix(size))
    let sum = stride(from: size - 200, to: 0, by: -200).reduce(7) { $0 + Int(page[$1]) }
    let name = Array(path.utf8)
    var bytes = magic + number(1) + number(7) + number(database.count / size) + number(512) + number(size)
    bytes += [UInt8](repeating: 0, count: 512 - bytes.count) + number(1) + page + number(sum)
    bytes += number((1 << 30) / size + 1) + name + number(name.count) + number(name.reduce(0) { $0 + Int($1) }) + magic
    return Data(bytes)
  }

  @Test(arguments: [false, true])
  func aJournalDeletesNoOtherFile(isOfStore: Bool) throws {
    let (library, state) = try libraryWithStore()
    let database = isOfStore ? state : library
    let victim = try scratch.write("victim.txt", "precious")
    try journal(of: bytes(database), naming: victim).write(to: URL(fileURLWithPath: database + "-journal"))
    let before = try bytes(library)
    var verbs = writes(library) + reads(library) + [["doctor", library], ["queue", library]]
    if isOfStore { verbs.append(["runs", library]) }
    for words in verbs {
      let answer = try Shell.run(Paths.command, words)
      let expected: [Int32] = words[0] == "doctor" || isOfStore ? [1, 2, 0] : [2]
      #expect(expected.contains(answer.status), "\(words): \(answer.errors)")
      #expect(try bytes(victim) == Data("precious".utf8), "\(words)")
      #expect(try bytes(library) == before, "\(words)")
    }
  }

  @Test(arguments: ["-journal", "-wal"])
  func aPipeNextToALibraryBlocksNothing(_ suffix: String) throws {
    let (library, _) = try libraryWithStore()
    #expect(mkfifo(library + suffix, 0o600) == 0)
    for words in writes(library) + reads(library) {
      let answer = try Shell.run("timeout", ["60", Paths.command] + words)
      #expect(answer.status == 2, "\(words): \(answer.errors)")
    }
  }

  // MARK: The store

  private func libraryWithStore() throws -> (library: String, state: String) {
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "\(UUID().uuidString).sqlite")
    let deck = try scratch.write(
      "deck.jsonl",
      #"""
      {"id":"11111111-0000-4000-8000-000000000001","content_type":"flashcard_deck","title":"Deck","content_data":{"cards":[{"front":"a","back":"b"}]}}
      {"id":"11111111-0000-4000-8000-000000000002","content_type":"flashcard_deck","title":"Other","content_data":{"cards":[{"front":"a","back":"b"}]}}
      """#)
    try #require(try Shell.fleetkit("import", deck, "--into", library, "-q").status == 0)
    return (library, library + ".fleetkit/state.sqlite")
  }

  @Test(arguments: [
    "CREATE TRIGGER evil AFTER INSERT ON runs BEGIN DELETE FROM records; END", "CREATE VIEW evil AS SELECT 1",
    "CREATE VIRTUAL TABLE evil USING fts5(a)", "ALTER TABLE runs ADD COLUMN evil AS (1)",
    "CREATE INDEX evil ON records (length(line))",
  ])
  func aHostileStoreIsRefused(_ sql: String) throws {
    let (library, state) = try libraryWithStore()
    try SQLiteConnection(state, .write, .own).execute(sql)
    let before = try (bytes(library), bytes(state))
    for words in [
      ["import", source, "--into", library], ["export", library, "--to", "-", "--to-format", "jsonl"],
      ["runs", library], ["queue", library],
      ["doctor", library], ["backup", library, "--to", scratch["b.fleetpack"]],
    ] {
      let answer = try Shell.run(Paths.command, words)
      #expect(answer.status == 2, "\(words): \(answer.errors)")
    }
    #expect(try (bytes(library), bytes(state)) == before)
  }

  @Test(arguments: [
    "not json", "[]", "{}", #"{"kind":"item"}"#, #"{"kind":"charter","id":"x"}"#, #"{"kind":"item","id":7,"id":8}"#,
    #"{"kind":"item","id":"11111111-0000-4000-8000-000000000001","content_type":"flashcard_deck","title":7}"#, "",
  ])
  func aBadRecordInTheStoreIsAFinding(_ line: String) throws {
    let (library, state) = try libraryWithStore()
    let store = try SQLiteConnection(state, .write, .own)
    let update = try store.prepare("UPDATE records SET line = ? WHERE id LIKE '%1'")
    update.bind(blob: Array(line.utf8), at: 1)
    try update.run()
    store.close()
    let output = scratch["\(UUID().uuidString).jsonl"]
    let answer = try Shell.fleetkit("export", library, "--to", output, "--json")
    #expect(answer.status == 3, "\(answer.errors)")
    let text = try String(contentsOfFile: output, encoding: .utf8)
    #expect(text.contains("11111111-0000-4000-8000-000000000002"))
    #expect(!text.contains("11111111-0000-4000-8000-000000000001"))
    let doctor = try Shell.fleetkit("doctor", library, "--json")
    #expect(doctor.status == 1 && doctor.output.contains("LIB0912"))
    #expect(doctor.output.contains("state.sqlite#records/11111111-0000-4000-8000-000000000001/line"))
    // Other content can still be imported.
    #expect(try Shell.fleetkit("import", source, "--into", library, "-q").status == 0)
    #expect(try [0, 3].contains(Shell.fleetkit("list", library).status))
  }

  @Test func aDamagedStoreIsReported() throws {
    let (library, state) = try libraryWithStore()
    var image = try bytes(state)
    for index in 4096..<image.count where index % 3 == 0 { image[index] = UInt8(truncatingIfNeeded: index &* 31) }
    try image.write(to: URL(fileURLWithPath: state))
    let before = try bytes(library)
    let doctor = try Shell.fleetkit("doctor", library, "--json")
    #expect(doctor.status == 1 || doctor.status == 2, "\(doctor.errors)")
    for words in [
      ["import", source, "--into", library], ["export", library, "--to", "-", "--to-format", "jsonl"],
      ["runs", library],
    ] {
      let answer = try Shell.run(Paths.command, words)
      #expect(answer.status == 2, "\(words): \(answer.errors)")
    }
    #expect(try bytes(library) == before)
  }

  // MARK: Profiles

  @Test func everyConnectionHasAProfile() throws {
    let (library, _) = try libraryWithStore()
    for profile in SQLiteProfile.allCases {
      for access in [SQLiteConnection.Access.read, .readImmutable, .write, .overlay] {
        #expect(profile.isApplied(to: try SQLiteConnection(library, access, profile)))
      }
      #expect(profile.isApplied(to: try SQLiteConnection(scratch["\(profile).sqlite"], .create, profile)))
    }
    #expect(SQLiteProfile.own.isApplied(to: try SQLiteConnection.inMemory()))
    #expect(!SQLiteProfile.foreign.isApplied(to: try SQLiteConnection.inMemory()))
    // Databases are opened in exactly one source file.
    var places: [String] = []
    let sources = try #require(FileManager.default.enumerator(atPath: Paths.root + "/Sources"))
    for case let name as String in sources where name.hasSuffix(".swift") {
      let text = try String(contentsOfFile: Paths.root + "/Sources/" + name, encoding: .utf8)
      if text.contains("sqlite3_open") { places.append(name) }
    }
    #expect(places == ["Codecs/SQLiteIO/SQLiteConnection.swift"])
  }

  @Test func profilesForbidAndAllowWhatTheyShould() throws {
    let (library, _) = try libraryWithStore()
    let foreign = try SQLiteConnection(library, .write, .foreign)
    try foreign.execute("PRAGMA writable_schema = ON; PRAGMA journal_mode = OFF")
    #expect(throws: SQLiteError.self) { try foreign.execute("DELETE FROM sqlite_schema") }
    #expect(try foreign.rows("PRAGMA journal_mode").first?[0] != "off")
    let own = try SQLiteConnection(scratch["own.sqlite"], .create, .own)
    try own.execute(
      """
      CREATE TABLE a (x INTEGER PRIMARY KEY, text TEXT); CREATE TABLE b (x REFERENCES a (x) ON DELETE CASCADE);
      CREATE TRIGGER evil AFTER INSERT ON a BEGIN INSERT INTO b VALUES (99); END; CREATE VIEW v AS SELECT 1 AS one;
      PRAGMA foreign_keys = ON; INSERT INTO a VALUES (1, 'x'); INSERT INTO b VALUES (1); DELETE FROM a
      """)
    // Foreign keys are enforced, triggers do not run, and views cannot be read.
    #expect(try own.number("SELECT count(*) FROM b") == 0)
    #expect(throws: SQLiteError.self) { try own.rows("SELECT * FROM v") }
    // A text of 64 MB can be read.
    let reader = try SQLiteConnection(scratch["own.sqlite"], .write, .foreign)
    try reader.execute("INSERT INTO a VALUES (2, CAST(zeroblob(67108864) AS TEXT))")
    #expect(try reader.number("SELECT length(CAST(text AS BLOB)) FROM a WHERE x = 2") == 67_108_864)
    #expect(throws: SQLiteError.self) { try reader.rows("SELECT length(zeroblob(300000000))") }
  }
}
