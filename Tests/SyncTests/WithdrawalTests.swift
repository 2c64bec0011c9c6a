import Foundation
import JSONText
import RegistryClient
import TestSupport
import Testing

/// Every verb that makes an item public in a library leaves the item in a state from which the app can withdraw it.
///
/// The registry first holds every public item of the source. A verb brings the items into a library. Then each item is
/// withdrawn as the app would do it, and the registry must answer 404.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct WithdrawalTests {
  /// Whether every library is used both as source and as target.
  private static let isWhole = ProcessInfo.processInfo.environment["FLEETKIT_LARGE"] != nil

  static let libraries =
    isWhole
    ? [
      "v1.6.0", "v1.6.0-buggy-queue", "v1.6.0-snakecase-queue", "v1.7.0", "v1.9.0", "v2.0.0", "v2.2.0",
      "v2.2.0-upgraded-from-v1.4.0",
    ] : ["v1.7.0", "v2.2.0"]

  enum Verb: String, CaseIterable, Sendable { case pull, restore, convert, restorePublishing }

  @Test(arguments: libraries) func everythingPublicCanBeWithdrawn(_ name: String) throws {
    let source = try World(name)
    #expect(try source.complaints(source.source).isEmpty)
    for verb in Verb.allCases {
      let target = try source.bring(verb, into: nil)
      try source.expectWithdrawable(target, "\(verb) into a new library")
      guard verb != .convert else { continue }
      for other in Self.libraries where other != name {
        try source.expectWithdrawable(try source.bring(verb, into: other), "\(verb) into \(other)")
      }
    }
  }

  /// When nothing was selected, a library's withdrawals are copied unchanged and reported.
  @Test func aFaithfulCopyReportsOnly() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try SQLiteShell.run(
      library,
      """
      DELETE FROM sync_queue;
      UPDATE library_content SET publicID = NULL WHERE id = '43A324AA-5A48-4FBB-941F-F39D2D051ED6';
      """)
    let answer = try Shell.fleetkit("convert", library, "--to", scratch["b.sqlite"], "--json")
    #expect(answer.status == 0)
    let codes = try JSONDocument(parsing: answer.output).root["findings"]?["codes"]
    #expect(codes?["LIB0813"]?.integer == 4 && codes?["LIB0814"]?.integer == 1)
    // The app may write the members of a JSON column in any order.
    let state =
      "SELECT id, visibility, publicID, publishedAt, syncStatus, publicMetadata IS NULL FROM library_content ORDER BY id;"
    #expect(try SQLiteShell.run(library, state) == SQLiteShell.run(scratch["b.sqlite"], state))
    #expect(try SQLiteShell.rows(scratch["b.sqlite"], "sync_queue").isEmpty)
  }

  /// A waiting or refused item is not public, so a copy of only the item must not appear to be public.
  @Test func aPublicationThatWasNotSentStaysBehind() throws {
    let scratch = Scratch()
    let library = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    let answer = try Shell.fleetkit(
      "convert", library, "--type", "checklist", "--to", scratch["b.sqlite"], "--json", "--prove")
    #expect(answer.status == 0 && answer.output.contains("IMP0103"), "\(answer.errors)")
    let state = try SQLiteShell.run(
      scratch["b.sqlite"],
      """
      SELECT visibility, publicID IS NULL, syncStatus FROM library_content
      WHERE id = 'E59A2ECF-EBA2-45E1-AFC4-870E80A3692A';
      """)
    #expect(state == "private|1|pending\n")
    // The other items were sent.
    let others = try SQLiteShell.run(
      scratch["b.sqlite"], "SELECT count(*) FROM library_content WHERE visibility = 'public';")
    #expect(others == "3\n")
    #expect(try SQLiteShell.run(scratch["b.sqlite"], "SELECT count(*) FROM sync_queue;") == "3\n")
  }

  /// Without a public id, the item could not be withdrawn.
  @Test(arguments: ["convert", "restore", "import", "migrate 1.4.0", "doctor"])
  func whatHasNoPublicIDBecomesPrivate(_ verb: String) throws {
    let scratch = Scratch()
    let id = "43A324AA-5A48-4FBB-941F-F39D2D051ED6"
    let source = try scratch.writable("library-v2.2.0.sqlite", as: "a.sqlite")
    try SQLiteShell.run(source, "UPDATE library_content SET publicID = NULL WHERE id = '\(id)';")
    let empty = scratch["empty.sqlite"]
    _ = try Shell.fleetkit("convert", try scratch.write("none.json", "[]"), "--to", empty)
    var target = scratch["b.sqlite"]
    let answer: Answer
    switch verb {
    case "convert": answer = try Shell.fleetkit("convert", source, "--id", id, "--to", target, "--json")
    case "restore":
      _ = try Shell.fleetkit("backup", source, "--to", scratch["a.fleetpack"])
      answer = try Shell.fleetkit("restore", scratch["a.fleetpack"], "--into", empty, "--id", id, "--json")
      target = empty
    case "import":
      answer = try Shell.fleetkit("import", source, "--into", empty, "--restore-publishing", "--id", id, "--json")
      target = empty
    case "doctor":
      answer = try Shell.fleetkit("doctor", source, "--repair", "--yes", "--json")
      target = source
    default: answer = try Shell.fleetkit("migrate", source, "-o", target, "--schema-version", "1.4.0", "--json")
    }
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains("LIB0814"))
    if verb == "migrate 1.4.0" { #expect(answer.output.contains("IMP0103") && answer.output.contains("/visibility")) }
    #expect(try SQLiteShell.run(target, "SELECT visibility FROM library_content WHERE id = '\(id)';") == "private\n")
    let left = try SQLiteShell.run(target, "SELECT count(*) FROM library_content WHERE visibility = 'public';")
    if verb == "migrate 1.4.0" { #expect(left == "0\n") }
    let doctor = try Shell.fleetkit("doctor", target, "--json")
    #expect(!doctor.output.contains("LIB0814"))
  }
}

/// A source library and a registry with its public items.
private final class World {
  let source: String
  private let folder = Scratch()
  private let registry: LocalRegistry
  private var environment: [String: String]
  private var count = 0

  init(_ name: String) throws {
    registry = try LocalRegistry()
    environment = try registry.environment()
    source = try Self.prepare(name, in: folder, as: "source.sqlite")
  }

  /// Prepares a library of the app, repaired and migrated as its owner would do it.
  static func prepare(_ name: String, in folder: Scratch, as file: String) throws -> String {
    let path = try folder.writable("library-\(name).sqlite", as: file)
    for arguments in [
      ["doctor", path, "--repair", "--yes"], ["migrate", path, "--yes"], ["doctor", path, "--repair", "--yes"],
    ] {
      let answer = try Shell.run(Paths.command, arguments)
      #expect(answer.status == 0, "\(arguments): \(answer.errors)")
    }
    return path
  }

  private static let contents = ["--type", "checklist", "--type", "guide"]

  private func fleetkit(_ arguments: [String], statuses: Set<Int32> = [0]) throws -> Answer {
    let answer = try Shell.run(Paths.command, arguments, environment: environment)
    #expect(statuses.contains(answer.status), "\(arguments): \(answer.errors)")
    return answer
  }

  /// Returns the doctor's findings that are more severe than notes.
  func complaints(_ library: String) throws -> [String] {
    let answer = try Shell.run(Paths.command, ["doctor", library, "--json"])
    return (try JSONDocument(parsing: answer.output).root["findings"]?.elements ?? []).compactMap {
      $0["severity"]?.string == "note" ? nil : "\($0["code"]?.string ?? "") \($0["message"]?.string ?? "")"
    }
  }

  /// Runs a verb that adds the public items of the source to a library, and returns the library's path.
  /// - Parameter other: the target library; nil for a new one.
  func bring(_ verb: WithdrawalTests.Verb, into other: String?) throws -> String {
    count += 1
    let target = folder["target-\(count).sqlite"]
    if let other {
      _ = try Self.prepare(other, in: folder, as: "target-\(count).sqlite")
    } else if verb == .restore {
      _ = try fleetkit(["convert", try folder.write("none.json", "[]"), "--to", target])
    }
    switch verb {
    case .pull:
      try seed(source)
      _ = try fleetkit(
        ["pull", target, "--registry", registry.url, "--all-mine"] + (other == nil ? ["--create"] : [])
          + ["--take", "remote"])
    case .restore:
      let backup = folder["backup-\(count).fleetpack"]
      _ = try fleetkit(["backup", source, "--to", backup])
      // An item that is published now, but was not when the backup was made, is refused (3).
      _ = try fleetkit(["restore", backup, "--into", target] + Self.contents, statuses: other == nil ? [0] : [0, 3])
    case .convert: _ = try fleetkit(["convert", source, "--to", target, "--prove"] + Self.contents)
    case .restorePublishing:
      _ = try fleetkit(
        ["import", source, "--into", target, "--restore-publishing", "--on-conflict", "replace"]
          + (other == nil ? ["--create"] : []), statuses: other == nil ? [0] : [0, 3])
    }
    return target
  }

  /// Publishes the public items of a library under the same public ids. Existing publications are kept.
  private func seed(_ library: String) throws {
    let client = try registry.client()
    for record in try records(library) where record["kind"]?.string == "item" {
      guard record["visibility"]?.string == "public", let slug = record["public_id"]?.string,
        try client.item(slug) == nil
      else { continue }
      try publish(record, slug, to: client)
    }
  }

  /// Returns the content of a library as records of a bundle.
  private func records(_ library: String) throws -> [JSONValue] {
    count += 1
    let name = "records-\(count).jsonl"
    _ = try fleetkit(["convert", library, "--to", folder[name]])
    return try folder.text(name).split(separator: "\n").compactMap { try JSONDocument(parsing: String($0)).root }
  }

  /// Withdraws every public item by the app's rules and checks the registry's answers.
  func expectWithdrawable(_ target: String, _ what: String) throws {
    #expect(try complaints(target).isEmpty, "\(what)")
    // Each call uses a new registry, because a withdrawn item keeps its public id.
    let (here, variables) = (try LocalRegistry(), environment)
    defer { environment = variables }
    environment = try here.environment()
    let client = try here.client()
    var slugs: [String] = []
    for record in try records(target)
    where record["kind"]?.string == "item" && record["content_type"]?.string != "flashcard_deck" {
      guard record["visibility"]?.string == "public" else { continue }
      let (id, slug) = (record["id"]?.string ?? "", try #require(record["public_id"]?.string, "\(what)"))
      // A waiting or refused item is public in name only.
      let unsent = try SQLiteShell.run(
        target,
        "SELECT count(*) FROM sync_queue WHERE contentID = '\(id)' AND operation = 'publish' AND syncedAt IS NULL;")
      let rows = try SQLiteShell.run(
        target,
        """
        SELECT json_extract(payload, '$.public_id') FROM sync_queue WHERE contentID = '\(id)' AND operation = 'publish'
        AND syncedAt IS NOT NULL AND visibilityState = 'public' AND datetime(syncedAt) IS NOT NULL;
        """
      ).split(separator: "\n").map(String.init)
      if rows.isEmpty, unsent != "0\n" { continue }
      #expect(rows.contains(slug), "\(what): \(record["title"]?.string ?? "") \(rows)")
      try publish(record, slug, to: client)
      slugs.append(slug)
      // As in the app: the item loses its publication data, the operation carries the id, and it is sent only if the
      // queue contains a synced publication.
      try SQLiteShell.run(
        target,
        """
        UPDATE library_content SET visibility = 'private', publicID = NULL, publishedAt = NULL, publicMetadata = NULL,
          syncStatus = 'queued' WHERE id = '\(id)';
        INSERT INTO sync_queue (contentID, operation, visibilityState, payload, createdAt, retryCount)
        SELECT '\(id)', 'unpublish', 'private', json_object('public_id', '\(slug)'), '2026-11-01 10:00:00.000', 0
        WHERE EXISTS (SELECT 1 FROM sync_queue WHERE contentID = '\(id)' AND operation = 'publish' AND syncedAt IS NOT NULL);
        """)
    }
    guard !slugs.isEmpty else { return }
    let store = target + ".fleetkit/state.sqlite"
    if FileManager.default.fileExists(atPath: store) { try SQLiteShell.run(store, "DELETE FROM registry_binding;") }
    _ = try Shell.run(
      Paths.command, ["sync", target, "--registry", here.url, "--no-wait"], environment: environment)
    for slug in slugs { #expect(try client.item(slug) == nil, "\(what): \(slug)") }
  }

  private func publish(_ record: JSONValue, _ slug: String, to client: RegistryClient) throws {
    var body = ByteBuffer(capacity: 4096)
    body.append(#"{"title":"#)
    body.appendJSONString(record["title"]?.string ?? "")
    body.append(#","content_type":"#)
    body.appendJSONString(record["content_type"]?.string ?? "")
    body.append(",\"content_data\":")
    body.append(utf8: record["content_data"]?.text ?? "{}")
    body.append(#","public_id":"#)
    body.appendJSONString(slug)
    body.append("}")
    _ = try client.publish(body.copy(0..<body.count), key: UUID().uuidString)
  }
}
