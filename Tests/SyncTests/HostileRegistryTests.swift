import Content
import FleetKit
import Foundation
import Interchange
import RegistryClient
import TestSupport
import Testing

/// A registry with arbitrary answers.
private struct HostileRegistry: RegistryCalls {
  var given: PublicItem?
  var steps: [LineageStep] = []
  var owned: [OwnedItem] = []
  var isEndless = false

  func publish(_ body: [UInt8], key: String) throws(RegistryError) -> PublicationReceipt { throw .unreadable("no") }
  func update(
    _ publicID: String, _ body: [UInt8], ifMatch: String?, key: String
  ) throws(RegistryError) -> PublicationReceipt { throw .unreadable("no") }
  func withdraw(_ publicID: String, key: String) throws(RegistryError) {}
  func batch(_ calls: [BatchCall], key: String) throws(RegistryError) -> [BatchResult] { [] }
  func head(_ publicID: String) throws(RegistryError) -> ContentHead? { nil }
  func item(_ publicID: String) throws(RegistryError) -> PublicItem? { given }
  func mine(since: Timestamp?, cursor: String?) throws(RegistryError) -> (items: [OwnedItem], next: String?) {
    (owned, isEndless ? "again" : nil)
  }
  func countFork(_ publicID: String) throws(RegistryError) { throw .unreachable("nobody is there") }
  func lineage(_ id: String) throws(RegistryError) -> [LineageStep]? { steps }
  func me() throws(RegistryError) -> RegistryUser {
    RegistryUser(id: "6d0939bc-a71b-49f8-b06c-c047f24f4730", username: "anna")
  }
}

@Suite struct HostileRegistryTests {
  private let now = Timestamp(milliseconds: 1_780_000_000_000)

  private func item(_ document: String, id: String = "1EF2416D-7ACC-4100-A497-8C4FAB8820DA") -> PublicItem {
    PublicItem(
      id: id, publicID: "fire-0D0939BC", title: "Fire", description: "What to do.", contentType: .checklist,
      contentData: Array(document.utf8), tags: [], language: "en", authorUsername: "bo", authorUserID: "nobody",
      canFork: true, forkedFromID: nil, createdAt: nil, updatedAt: nil, digest: nil)
  }

  private func library() throws -> (Scratch, String) {
    let folder = Scratch()
    let none = try folder.write("none.json", "[]")
    #expect(try Shell.fleetkit("convert", none, "--to", folder["a.sqlite"]).status == 0)
    return (folder, folder["a.sqlite"])
  }

  static let documents = [
    "", "{", "[]", "null", "{\"sections\":7}", "{\"sections\":[{\"title\":7,\"items\":[]}]}",
    "{\"sections\":[{\"title\":\"a\",\"items\":[{\"title\":\"b\",\"isRequired\":\"maybe\"}]}]}",
    "{\"sections\":[],\"sections\":[]}", String(repeating: "[", count: 20_000),
    "{\"sections\":[{\"title\":\"a\",\"items\":\(String(repeating: "[", count: 500))\(String(repeating: "]", count: 500))}]}",
  ]

  @Test(arguments: documents) func whatIsNoDocumentIsRefused(_ document: String) throws {
    let (folder, library) = try library()
    defer { withExtendedLifetime(folder) {} }
    let fork = LibraryFork(
      of: "fire-0D0939BC", into: library, from: HostileRegistry(given: item(document)), at: "https://example.org")
    #expect(throws: RunFailure.self) { try fork.run(now: now) }
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content;").hasPrefix("0"))
  }

  @Test func anotherItemOrIdIsRefused() throws {
    let (folder, library) = try library()
    defer { withExtendedLifetime(folder) {} }
    let good = "{\"sections\":[{\"title\":\"a\",\"items\":[{\"title\":\"b\"}]}]}"
    for (slug, given) in [("other-0D0939BC", item(good)), ("fire-0D0939BC", item(good, id: "'; DROP TABLE"))] {
      let fork = LibraryFork(of: slug, into: library, from: HostileRegistry(given: given), at: "https://example.org")
      #expect(throws: RunFailure.self) { try fork.run(now: now) }
    }
  }

  @Test func aCopyThatIsNotCountedStaysACopy() throws {
    let (folder, library) = try library()
    defer { withExtendedLifetime(folder) {} }
    let good = "{\"sections\":[{\"title\":\"a\",\"items\":[{\"title\":\"b\"}]}]}"
    let fork = LibraryFork(
      of: "fire-0D0939BC", into: library, from: HostileRegistry(given: item(good)), at: "https://example.org")
    let report = try fork.run(now: now)
    #expect(!report.isCounted && report.countProblem?.contains("nobody is there") == true)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content;").hasPrefix("1"))
  }

  @Test func aLineageIsCut() throws {
    let one = LineageStep(title: "a", creator: "b", createdAt: now, isCurrent: false)
    let circle = try RegistryLineage(
      of: "x", from: HostileRegistry(steps: [one, one, one]), at: "https://example.org")
    #expect(circle.steps.count == 1 && circle.cut != nil)
    let deep = (0..<1000).map { LineageStep(title: "\($0)", creator: nil, createdAt: nil, isCurrent: false) }
    let cut = try RegistryLineage(of: "x", from: HostileRegistry(steps: deep), at: "https://example.org")
    #expect(cut.steps.count == 10 && cut.cut?.contains("1000") == true)
  }

  @Test func aListWithoutEndIsRefused() throws {
    let (folder, library) = try library()
    defer { withExtendedLifetime(folder) {} }
    let pull = LibraryPull(library, from: HostileRegistry(isEndless: true), at: "https://example.org")
    #expect(throws: RunFailure.self) { try pull.run(now: now) }
  }

  @Test(arguments: documents) func whatCannotBeUsedIsNotPulled(_ document: String) throws {
    let (folder, library) = try library()
    defer { withExtendedLifetime(folder) {} }
    let owned = OwnedItem(
      id: "1EF2416D-7ACC-4100-A497-8C4FAB8820DA", publicID: "fire-0D0939BC", title: "Fire", contentType: .checklist,
      canFork: true, updatedAt: nil, deletedAt: nil, digest: "00")
    var pull = LibraryPull(
      library, from: HostileRegistry(given: item(document), owned: [owned]), at: "https://example.org")
    pull.bringsAll = true
    let report = try pull.run(now: now)
    #expect(report.status == .partial)
    #expect(report.isBalanced)
    #expect(try SQLiteShell.run(library, "SELECT count(*) FROM library_content;").hasPrefix("0"))
  }
}
