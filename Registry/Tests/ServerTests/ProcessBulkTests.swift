import Foundation
import PostgreSQLStore
import RegistryModel
import RegistryStore
import RegistryTestSupport
import SQLiteStore
import Testing

/// Loading, dumping, moving and upgrading with the real program and a real database.
@Suite struct ProcessBulkTests {
  private static func run(_ arguments: [String], environment: [String: String] = [:]) throws -> ProcessServer.End {
    try ProcessServer(arguments, environment: environment).end()
  }

  private static func line(_ title: String, _ extra: String = "") -> String {
    #"{"kind":"item","id":"\#(UUID().uuidString)","content_type":"practice_guide","title":"\#(title)","tags":["Engine"],"#
      + #"\#(extra)"content_data":{"markdown":"Check the bilge of \#(title)."}}"#
  }

  private static let header = #"{"kind":"bundle","format":"fleetkit.bundle","version":1,"min_reader":1}"#

  @Test("A bundle is loaded with rejects, and loaded again without effect")
  func load() async throws {
    let scratch = Scratch()
    let database = try scratch.database()
    let bundle = scratch["b.jsonl"]
    var lines = [Self.header] + (0..<2500).map { Self.line("Item \($0)") }
    lines[7] = "{\"kind\":\"item\",\"title\":"
    lines[9] = #"{"kind":"item","content_type":"practice_guide","title":"No document","public_id":"x"}"#
    lines[11] = Self.line("Twice", #""public_id":"same","#)
    lines[12] = Self.line("Twice", #""public_id": "SAME","#)
    lines[13] = #"{"kind":"charter","id":"c","name":"Saronic"}"#
    lines[14] = Self.line("Not for copies", #""public_id": null, "public_metadata":{"canFork":false},"#)
    try (lines.joined(separator: "\n") + "\n").write(toFile: bundle, atomically: true, encoding: .utf8)

    let unknown = try Self.run(["load", bundle, "--owner", "mate", "--database", database.address])
    #expect(unknown.status == 2 && unknown.errors.contains("--create-owner"))
    let arguments = ["load", bundle, "--owner", "mate", "--create-owner", "--database", database.address]
    let first = try Self.run(arguments)
    #expect(first.status == 3)
    #expect(first.output.contains("published 2496") && first.output.contains("refused 3"))
    for place in ["b.jsonl:8: ", "b.jsonl:10: SCH0401: ", "b.jsonl:13: /public_id"] {
      #expect(first.errors.contains(place), "\(place)")
    }
    let rejects = try String(contentsOfFile: bundle + ".rejects.jsonl", encoding: .utf8)
    #expect(rejects.split(separator: "\n").map(String.init) == [lines[7], lines[9], lines[12]])
    #expect(
      try database.query(
        "SELECT count(*), count(DISTINCT updated_at), count(*) FILTER (WHERE NOT can_fork) FROM shared_content")
        == "2496|2496|1")
    #expect(try database.query("SELECT count(*) FROM content_tags WHERE tag = 'engine'") == "2496")

    let again = try Self.run(arguments)
    #expect(again.status == 0 && again.output.contains("published 0"))
    // Items are found like items that were published one by one.
    let store = try PostgreSQLStore(database.address)
    var query = PublicQuery()
    (query.text, query.tags) = ("bilge", ["ENGINE"])
    let page = try await store.list(query)
    #expect(page.items.count == 100 && page.next != nil)
    try await store.close()

    let dump = scratch["d.jsonl"]
    #expect(try Self.run(["dump", "--to", dump, "--database", database.address]).status == 0)
    #expect(try String(contentsOfFile: dump, encoding: .utf8).split(separator: "\n").count == 2497)
    #expect(try Self.run(["dump", "--to", dump, "--database", database.address]).status == 4)
    let other = try scratch.database()
    let reload = try Self.run(["load", dump, "--owner", "mate", "--create-owner", "--database", other.address])
    #expect(reload.status == 0 && reload.output.contains("published 2496"))
    let digests = "SELECT md5(string_agg(encode(digest, 'hex'), '' ORDER BY public_id)) FROM shared_content"
    #expect(try database.query(digests) == other.query(digests))
    // The same items in another file are recognised.
    let longer = scratch["longer.jsonl"]
    try (String(contentsOfFile: dump, encoding: .utf8) + Self.line("One more"))
      .write(toFile: longer, atomically: true, encoding: .utf8)
    let more = try Self.run(["load", longer, "--owner", "mate", "--database", other.address])
    #expect(more.status == 0 && more.output.contains("published 1 · unchanged 2496 · refused 0"))
  }

  #if os(Linux)
    @Test("A full disk stops a load and a publication; both go on when there is space", .enabled(if: geteuid() == 0))
    func fullDisk() async throws {
      let server = try DatabaseServer()
      let disk = server.folder + "/disk"
      try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: true)
      guard try SpawnedProcess.run("/bin/mount", ["-t", "tmpfs", "-o", "size=20m", "tmpfs", disk]).status == 0 else {
        return
      }
      defer { _ = try? SpawnedProcess.run("/bin/umount", ["-l", disk]) }
      _ = try SpawnedProcess.run("/bin/chown", ["nobody", disk])
      _ = try server.query("CREATE TABLESPACE small LOCATION '\(disk)'")
      _ = try server.query("CREATE DATABASE registry TABLESPACE small")
      let address = server.address("registry")
      let count = { try server.query("SELECT count(*), count(DISTINCT title) FROM shared_content", in: "registry") }

      let store = try PostgreSQLStore(address)
      let ann = try await store.person("ann")
      let scratch = Scratch()
      let bundle = scratch["b.jsonl"]
      let lines = [Self.header] + (0..<12_000).map { Self.line("Item \($0)") }
      try (lines.joined(separator: "\n") + "\n").write(toFile: bundle, atomically: true, encoding: .utf8)
      let arguments = ["load", bundle, "--owner", "mate", "--create-owner", "--database", address]
      let full = try Self.run(arguments)
      #expect(full.status == 2 && full.errors.contains("disk is full"), "\(full.errors)")
      // Complete batches only: the first one contains the bundle's header.
      let loaded = try #require(Int(count().split(separator: "|")[0]))
      #expect(loaded > 0 && loaded % 1000 == 999)

      // Random text does not become smaller when it is compressed.
      let text = (0..<200_000).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }.joined(separator: " ")
      let large = StoreSamples.request("large", text: text)
      await #expect(throws: StoreFailure.self) { try await store.publish(large, by: ann) }
      #expect(try await store.head(.publicID("large")) == nil)

      _ = try SpawnedProcess.run("/bin/mount", ["-o", "remount,size=400m", disk])
      #expect(try await store.publish(large, by: ann) != nil)
      try await store.close()
      let rest = try Self.run(arguments)
      #expect(rest.status == 0 && rest.output.contains("published \(12_000 - loaded)"), "\(rest.errors)")
      #expect(try count() == "12001|12001")
    }
  #endif

  @Test("A registry is moved with proof, or not at all")
  func move() async throws {
    let scratch = Scratch()
    let file = scratch["registry.sqlite"]
    let store = try SQLiteStore(path: file)
    let ann = try await store.person("ann")
    let bob = try await store.person("Боб")
    let parent = try #require(
      try await store.publish(StoreSamples.request("one", title: "Engine", tags: ["Oil", "oil"]), by: ann))
    for index in 0..<1200 {
      _ = try await store.publish(
        StoreSamples.request("copy-\(index)", language: "pt-BR", parent: parent.id), by: bob,
        at: StoreSamples.time(Int64(index)))
    }
    _ = try await store.run([.unpublish(publicID: "copy-7", ifMatch: nil)], by: bob)
    _ = try await store.content(publicID: "one", countingView: true)
    let cat = try await store.person("cat")
    _ = try await store.publish(StoreSamples.request("gone"), by: cat)
    try await store.deleteUser(cat.id, at: StoreSamples.time(5000))
    try await store.close()

    let database = try scratch.database()
    let arguments = ["move", "--from", "sqlite:" + file, "--to", database.address]
    let moved = try Self.run(arguments)
    #expect(moved.status == 0, "\(moved.errors)")
    #expect(moved.output.contains("shared_content: 1202 rows, sha256 "))
    let again = try Self.run(arguments)
    #expect(again.status == 2)

    let old = try SQLiteStore(path: file)
    let new = try PostgreSQLStore(database.address)
    var queries = [PublicQuery(), PublicQuery(), PublicQuery()]
    queries[1].tags = ["OIL"]
    queries[2].text = "bilge engine"
    for query in queries { #expect(try await old.list(query) == new.list(query)) }
    #expect(
      try await old.list(ownedBy: bob.id, since: nil, after: nil, limit: 1000)
        == new.list(ownedBy: bob.id, since: nil, after: nil, limit: 1000))
    #expect(try await new.account(.username("ANN"))?.user == ann)
    // New items follow the old ones.
    #expect(try await new.publish(StoreSamples.request("next"), by: ann) != nil)
    #expect(try await new.publish(StoreSamples.request("GONE"), by: ann) == nil)
    // While the file is open, nothing is moved.
    let other = try scratch.database()
    #expect(try Self.run(["move", "--from", file, "--to", other.address]).status == 7)
    try await old.close()
    try await new.close()
  }

  @Test("The schema is upgraded only on request, and unknown schemas are refused")
  func migrate() throws {
    let scratch = Scratch()
    let database = try scratch.database()
    let key = ["JWT_SECRET_KEY": String(repeating: "k", count: 32), "DATABASE_URL": database.address]
    #expect(try Self.run(["migrate"], environment: key).status == 64)
    #expect(try Self.run(["migrate", "--plan", "--database", scratch["a.sqlite"]]).status == 64)
    #expect(try Self.run(["migrate", "--plan"], environment: key).status == 0)
    #expect(try database.query("SELECT to_regclass('users') IS NULL") == "t")
    #expect(try Self.run(["migrate", "--to-latest"], environment: key).status == 0)
    #expect(try database.query("SELECT to_regclass('users') IS NULL") == "f")
    _ = try database.query("INSERT INTO schema_versions (version, works_from) VALUES (99, 99)")
    for arguments in [["migrate", "--plan"], ["--port", "0"]] {
      let end = try Self.run(arguments, environment: key)
      #expect(end.status == 2 && end.errors.contains("99"))
    }
    let foreign = try scratch.database()
    _ = try foreign.query("CREATE TABLE notes (id int)")
    for arguments in [["migrate", "--to-latest"], ["serve", "--port", "0"]] {
      #expect(try Self.run(arguments, environment: key.merging(["DATABASE_URL": foreign.address]) { $1 }).status == 2)
    }
    #expect(try foreign.query("SELECT to_regclass('users') IS NULL") == "t")
  }

  @Test("An unusable server is explained", arguments: ["port", "password", "database"])
  func unusable(_ what: String) throws {
    let scratch = Scratch()
    var address = try scratch.database().address
    let words: String
    switch what {
    case "port":
      address = "postgresql://registry@127.0.0.1:1/x"
      words = "cannot be reached"
    case "password":
      address = address.replacingOccurrences(of: "correct", with: "wrong")
      words = "refused the user or the password"
    default:
      address += "x"
      words = "does not exist"
    }
    let end = try Self.run(
      ["--port", "0"], environment: ["JWT_SECRET_KEY": String(repeating: "k", count: 32), "DATABASE_URL": address])
    #expect(end.status == 2 && end.errors.contains(words), "\(end.errors)")
    #expect(!end.errors.contains("correct%20horse") && !end.errors.contains("wrong%20horse"))
  }
}
