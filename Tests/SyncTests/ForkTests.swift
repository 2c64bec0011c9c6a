import Content
import FleetKit
import Foundation
import Interchange
import JSONText
import RegistryClient
import TestSupport
import Testing

/// Forks of other people's work.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason), .serialized) struct ForkTests {
  /// Publishes the first device's items as the given user.
  private func published(_ more: String...) throws -> (TwoDevices, slugs: [String: String]) {
    let devices = try TwoDevices()
    let arguments = ["publish", devices.a, "--all", "--yes"] + more
    #expect(try Shell.run(Paths.command, arguments, environment: devices.environment).status == 0)
    try devices.sync(devices.a)
    var slugs: [String: String] = [:]
    for title in ["Fire on board", "Lights"] { slugs[title] = try devices.item(devices.a, title)?["public_id"]?.string }
    return (devices, slugs)
  }

  @Test(arguments: ["Fire on board", "Lights"]) func aCopyHasItsOwnIdsAndTheAuthorsName(_ title: String) throws {
    let (devices, slugs) = try published()
    let slug = try #require(slugs[title])
    let original = try #require(try devices.item(devices.a, title))
    let answer = try devices.fleetkit(
      "fork", slug, "--into", devices.b, "--registry", devices.registry.url, "--json")
    let report = try JSONDocument(parsing: answer.output).root
    #expect(report["counted"]?.bool == true)
    let copy = try #require(try devices.item(devices.b, title))
    #expect(copy["id"]?.string == report["id"]?.string)
    #expect(copy["visibility"]?.string == "private")
    #expect(copy["sync_status"]?.string == "pending")
    #expect(copy["original_content_public_id"]?.string == slug)
    #expect(copy["original_author_username"]?.string?.isEmpty == false)
    for member in ["forked_from_id", "original_author_user_id"] {
      let id = try #require(copy[member]?.string)
      #expect(id == id.uppercased() && UUID(uuidString: id) != nil)
    }
    #expect(copy["content_data"]?["creatorID"]?.isNull != false)
    #expect((copy["created_at"]?.string ?? "") > "2026-01-06")
    // No id of the original occurs in the fork, and the text is the same.
    let ids = { (text: String) in
      Set(text.matches(of: /[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}/).map { String($0.output.0) })
    }
    let common = ids(copy["content_data"]?.text ?? "").intersection(ids(original["content_data"]?.text ?? ""))
    #expect(common.isEmpty)
    #expect(try devices.steps(devices.b, title) == devices.steps(devices.a, title))
    // The fork is requested twice.
    let again = try devices.fleetkit(
      "fork", slug, "--into", devices.b, "--registry", devices.registry.url, status: 4)
    #expect(again.errors.contains("--again"))
    try devices.fleetkit("fork", slug, "--into", devices.b, "--registry", devices.registry.url, "--again")
    #expect(try devices.item(devices.b, "\(title) (2)") != nil)
  }

  @Test func aCopyOfACopyShowsWhereItComesFrom() throws {
    let (devices, slugs) = try published()
    let slug = try #require(slugs["Fire on board"])
    try devices.fleetkit(
      "fork", slug, "--into", devices.b, "--registry", devices.registry.url, "--title", "Fire on Anna")
    let before = try devices.fleetkit(
      "lineage", devices.b, "--id", try #require(try devices.item(devices.b, "Fire on Anna")?["id"]?.string),
      "--registry", devices.registry.url)
    #expect(before.output.contains("└─ Fire on Anna"))
    try devices.fleetkit("publish", devices.b, "--title", "Fire on Anna")
    try devices.sync(devices.b)
    let copy = try #require(try devices.item(devices.b, "Fire on Anna")?["public_id"]?.string)
    let answer = try devices.fleetkit("lineage", copy, "--registry", devices.registry.url, "--json")
    let steps = try JSONDocument(parsing: answer.output).root["steps"]?.elements ?? []
    #expect(steps.map { $0["title"]?.string } == ["Fire on board", "Fire on Anna"])
    #expect(steps.map { $0["is_current"]?.bool } == [false, true])
    #expect(steps.allSatisfy { $0["creator"]?.string?.isEmpty == false })
  }

  @Test func whatMayNotBeCopiedIsRefused() throws {
    let (devices, slugs) = try published("--no-fork")
    let answer = try devices.fleetkit(
      "fork", try #require(slugs["Fire on board"]), "--into", devices.b, "--registry", devices.registry.url, status: 4)
    #expect(answer.errors.contains(slugs["Fire on board"] ?? "-"), "\(answer.errors)")
    try devices.fleetkit("fork", "no-such-00000000", "--into", devices.b, "--registry", devices.registry.url, status: 2)
    try devices.fleetkit(
      "lineage", "no-such-00000000", "--registry", devices.registry.url, status: 2)
  }

  @Test func aMissingLibraryIsMadeIfRequested() throws {
    let (devices, slugs) = try published()
    let slug = try #require(slugs["Fire on board"])
    let library = devices.b + ".new.sqlite"
    func fork(_ slug: String, _ more: String..., status: Int32 = 0) throws {
      let arguments = ["fork", slug, "--into", library, "--registry", devices.registry.url] + more
      #expect(try Shell.run(Paths.command, arguments, environment: devices.environment).status == status)
    }
    try fork(slug, status: 2)
    try fork("no-such-00000000", "--create", status: 2)
    try fork(slug, "--create", "--dry-run")
    #expect(!FileManager.default.fileExists(atPath: library))
    try fork(slug, "--create")
    #expect(try devices.item(library, "Fire on board")?["original_content_public_id"]?.string == slug)
    try fork(slug, "--create", status: 4)
    try fork(slug, "--create", "--again")
  }

  @Test func aRehearsalWritesAndCountsNothing() throws {
    let (devices, slugs) = try published()
    let slug = try #require(slugs["Fire on board"])
    try devices.fleetkit(
      "fork", slug, "--into", devices.b, "--registry", devices.registry.url, "--dry-run")
    #expect(try devices.item(devices.b) == nil)
    let counts = try SQLiteShell.run(devices.registry.database, "SELECT sum(fork_count) FROM shared_content;")
    #expect(counts.trimmingCharacters(in: .whitespacesAndNewlines) == "0")
  }
}
