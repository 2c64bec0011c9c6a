import Foundation
import JSONText
import TestSupport
import Testing

/// The messages of the queue commands about incorrect usage, refused operations and the library's account.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct SyncWordsTests {
  private let library: SyncLibrary
  private let registry: LocalRegistry
  private let environment: [String: String]

  init() throws {
    library = try SyncLibrary()
    registry = try LocalRegistry()
    environment = try registry.environment()
  }

  @discardableResult
  private func fleetkit(_ arguments: String..., status: Int32 = 0) throws -> Answer {
    let answer = try Shell.run(Paths.command, arguments, environment: environment)
    #expect(answer.status == status, "\(arguments) ended with \(answer.status): \(answer.errors)\(answer.output)")
    return answer
  }

  @Test func wrongUsageIsSaid() throws {
    let bogus = try fleetkit("queue", "bogus", library.path, status: 64)
    #expect(bogus.errors.contains("'bogus'") && bogus.errors.contains("rebind"))
    let timeout = try fleetkit("sync", library.path, "--registry", registry.url, "--timeout", "-1", status: 64)
    #expect(timeout.errors.contains("greater than 0") && timeout.errors.contains("-1"))
    let interval = try fleetkit("sync", library.path, "--registry", registry.url, "--interval", "5", status: 64)
    #expect(interval.errors.contains("--watch"))
    let lineage = try fleetkit("lineage", library.path, status: 64)
    #expect(lineage.errors.contains("--id"))
    let email = try fleetkit("login", "--registry", registry.url, "--dev-email", "notanemail", status: 64)
    #expect(email.errors.contains("'notanemail'"), "\(email.errors)")
  }

  @Test func whatWasRefusedOnceIsNotSaidToBeTriedThrice() throws {
    _ = try registry.client("other@example.com").publish(ClientPublication.guide(SyncLibrary.slug(1)), key: "other")
    try library.publish(1)
    try fleetkit("sync", library.path, "--registry", registry.url, status: 3)
    try library.add(2, 3)
    try library.enqueue(.publish, 2, SyncLibrary.payload(2), retryCount: 3, error: "no answer in time: 30 s")
    try library.enqueue(.publish, 3, SyncLibrary.payload(3), retryCount: 1, error: "no answer in time: 30 s")
    let list = try fleetkit("queue", library.path)
    #expect(list.errors.contains("queue retry \(library.path) --all"))
    let json = try JSONDocument(parsing: fleetkit("queue", library.path, "--json").output).root
    let operations = json["operations"]?.elements ?? []
    #expect(operations.map { $0["refused"]?.bool } == [true, false, false])
    #expect(operations.map { $0["state"]?.string } == ["failed", "failed", "waiting"])
    #expect(operations.dropFirst().map { $0["tries"]?.integer } == [3, 1])
    // The list shows the number of tries only for rows that were tried.
    let lines = list.output.split(separator: "\n")
    #expect(!lines[0].contains(/\b[0-9] [a-z]+ 3\b/) && lines[2].contains(/\b1 [a-z]+ 3\b/), "\(list.output)")
  }

  @Test func whoseTheLibraryIsIsKnownEverywhere() throws {
    try library.publish(1)
    registry.stop()
    let offline = try fleetkit("sync", library.path, "--registry", registry.url, "--no-wait", "--json", status: 69)
    #expect(try JSONDocument(parsing: offline.output).root["registry"]?.string == registry.url)
    try registry.start()
    try fleetkit("sync", library.path, "--registry", registry.url)
    let dry = try fleetkit("sync", library.path, "--dry-run", "--json")
    #expect(try JSONDocument(parsing: dry.output).root["registry"]?.string == registry.url)
    let other = try fleetkit(
      "sync", library.path, "--dry-run", "--registry", "http://127.0.0.1:9", status: 4)
    #expect(other.errors.contains(registry.url), "\(other.errors)")
    // The lineage of an item and the session are shown without naming the registry again.
    let lineage = try fleetkit("lineage", library.path, "--id", SyncLibrary.id(1))
    #expect(lineage.output.contains("Fog 1"))
    // An item from a library that is bound to a registry is published without naming the registry.
    let said = try fleetkit("publish", library.path, "--title", "Anchor*")
    #expect(said.errors.contains("'fleetkit sync \(library.path)'"), "\(said.errors)")
    let logout = try fleetkit("logout", library.path, status: 77)
    #expect(logout.errors.contains("--registry \(registry.url)"))
    try fleetkit("logout", "--registry", registry.url)
  }

  @Test func whoIsSignedInIsKnownBeforeAnythingIsSent() throws {
    try library.publish(1)
    try fleetkit("sync", library.path, "--registry", registry.url)
    // Another user signs in, and the account is stored.
    let bare = ["HOME": library.scratch.path, "FLEETKIT_TOKEN": "", "FLEETKIT_REFRESH_TOKEN": ""]
    let nobody = try Shell.run(Paths.command, ["sync", library.path, "--dry-run"], environment: bare)
    #expect(nobody.status == 0 && nobody.errors.contains("fleetkit login"))
    let login = try Shell.run(
      Paths.command, ["login", "--registry", registry.url, "--dev-email", "mate@example.com"], environment: bare)
    #expect(login.status == 0, "\(login.errors)")
    let mate = try Shell.run(Paths.command, ["sync", library.path, "--dry-run"], environment: bare)
    #expect(mate.status == 4 && mate.errors.contains("'mate'"), "\(mate.errors)")
  }

  @Test func aQueueIsListedAfterACrash() throws {
    for number in 1...400 { try library.publish(number) }
    // The state after a crash in the middle of a large change: pages are written, and a journal reverts them.
    let scratch = Scratch()
    let script = """
      PRAGMA cache_size = 1; BEGIN IMMEDIATE;
      UPDATE library_content SET title = 'half done' || hex(zeroblob(200));
      .shell cp "\(library.path)" "\(scratch["x.sqlite"])"
      .shell cp "\(library.path)-journal" "\(scratch["x.sqlite-journal"])"
      ROLLBACK;
      """
    try SQLiteShell.run(library.path, script)
    let before = try Data(contentsOf: URL(fileURLWithPath: scratch["x.sqlite"]))
    let list = try fleetkit("queue", scratch["x.sqlite"])
    #expect(list.output.contains("Fog 400") && !list.output.contains("half done"), "\(list)")
    try fleetkit("queue", scratch["x.sqlite"], "--json")
    try fleetkit("sync", scratch["x.sqlite"], "--registry", registry.url, "--dry-run")
    #expect(try Data(contentsOf: URL(fileURLWithPath: scratch["x.sqlite"])) == before)
  }

  @Test func cancellingWhatWasOvertakenChangesNoItem() throws {
    let first = try library.publish(1)
    try SQLiteShell.run(
      library.path, "UPDATE sync_queue SET retryCount = 3, lastError = '404 unknown' WHERE id = \(first);")
    try library.enqueue(.publish, 1, SyncLibrary.payload(1))
    try fleetkit("sync", library.path, "--registry", registry.url)
    let item = try library.item(1)
    #expect(item.hasPrefix("public synced"))
    try fleetkit("queue", "cancel", library.path, "--id", "\(first)", "--yes", "--force")
    #expect(try library.item(1) == item)
    #expect(try fleetkit("queue", "retry", library.path, "--id", "99", status: 64).errors.contains("99"))
  }

  @Test func whatASyncEndsWithIsSaidOnce() throws {
    try library.publish(1)
    let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","email":null,"username":"captain"}"#
    let words = "Too many requests: at most 10 in 60 seconds. Try again in 5000 seconds."
    let limited = try ScriptedServer { request in
      request.path.hasSuffix("/users/me")
        ? .answer(200, [], user)
        : .answer(429, ["Retry-After: 5000", "Content-Type: application/problem+json"], #"{"detail":"\#(words)"}"#)
    }
    let paused = try fleetkit("sync", library.path, "--registry", limited.url, "--no-wait", status: 69)
    let limit = "Too many requests: at most 10 in 60 seconds"
    #expect(paused.errors.components(separatedBy: limit).count == 2, "\(paused.errors)")
    #expect(paused.errors.components(separatedBy: "5000").count == 2, "\(paused.errors)")
    let closed = try ScriptedServer { _ in
      .answer(
        401, ["Content-Type: application/problem+json"], #"{"detail":"The session was ended. Sign in again."}"#)
    }
    let signIn = try fleetkit("login", "--registry", closed.url, "--status", status: 77)
    for text in [paused.errors, signIn.errors] {
      #expect(!text.contains("..") && !text.contains(".,") && !text.contains(".:"), "\(text)")
    }
    #expect(signIn.errors.components(separatedBy: "ign in").count == 2, "\(signIn.errors)")
    let fresh = try SyncLibrary()
    try fresh.publish(1)
    let plain = try fleetkit(
      "sync", fresh.path, "--registry", registry.url.replacing("http:", with: "https:"), status: 69)
    #expect(plain.errors.contains("TLS") && !plain.errors.contains("later"), "\(plain.errors)")
  }

  @Test func nobodyIsAskedAboutALibraryThatIsNotThere() throws {
    for verb in ["unpublish", "update", "publish"] {
      // There is no terminal, so a question would end the command with 4.
      #expect(try fleetkit(verb, library.scratch["none.sqlite"], "--all", status: 2).errors.contains("none.sqlite'"))
    }
  }

  @Test func oldSchemasAreRefusedInTheWordsOfTheVerb() throws {
    try library.publish(1)
    try fleetkit("sync", library.path, "--registry", registry.url)
    let old = library.scratch["old.sqlite"]
    try FileManager.default.copyItem(
      atPath: Paths.root + "/Tests/Fixtures/libraries/library-v1.4.0.sqlite", toPath: old)
    let fork = try fleetkit("fork", SyncLibrary.slug(1), "--into", old, "--registry", registry.url, status: 4)
    #expect(fork.errors.contains("'fleetkit migrate ") && !fork.errors.contains("imported"), "\(fork.errors)")
    let queue = try fleetkit("queue", old, status: 4)
    #expect(queue.errors.contains("'fleetkit migrate "), "\(queue.errors)")
    let retry = try fleetkit("queue", "retry", old, "--all", status: 4)
    #expect(retry.errors.contains("'fleetkit migrate ") && retry.errors != queue.errors, "\(retry.errors)")
  }

  @Test func whatAPullKeptIsNotImported() throws {
    let scratch = Scratch()
    let kept = try scratch.write("2026-11-23-pull.jsonl", "{}\n")
    let answer = try fleetkit("import", "--retry", kept, "--into", library.path, status: 4)
    #expect(answer.errors.contains("fleetkit pull"))
  }
}
