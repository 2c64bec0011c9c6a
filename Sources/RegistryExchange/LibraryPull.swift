import Content
import Diagnostics
import Foundation
import Interchange
import JSONText
import Merging
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import SyncQueue
import Validation

/// Merges changes that were made elsewhere, for example on another device, into the items that an account has
/// published.
///
/// Both sides are merged against their base, section by section and step by step, as in an import.
///
/// ```swift
/// var pull = LibraryPull("anyfleet.sqlite", from: client, at: address)
/// let report = try pull.run(now: now)
/// ```
public struct LibraryPull: Sendable {
  /// The side that wins if both sides changed the same field.
  public enum Take: String, Sendable, CaseIterable {
    /// The library.
    case local
    /// The registry.
    case remote
  }

  /// The library.
  public var library: String
  /// The items to pull; nil for all. Items that the library does not have can be selected by title, type and public id.
  public var selection: Selection?
  /// The side that wins if both sides changed the same field. With nil, neither side wins: the library's version is
  /// kept, and the conflict is reported.
  public var take: Take?
  /// Whether to add the account's items that the library does not have.
  public var bringsAll = false
  /// Whether to create a library with the current schema if it does not exist.
  public var createsLibrary = false
  /// Whether to do everything except the last step, so that nothing is changed. The registry is called even then.
  public var isDryRun = false
  /// Called periodically with the number of items fetched and the total.
  public var onProgress: (@Sendable (Int, Int) -> Void)?
  private let registry: any RegistryCalls
  private let address: String

  /// Prepares a pull.
  /// - Parameter address: the registry's normalised address.
  public init(_ library: String, from registry: any RegistryCalls, at address: String) {
    self.library = library
    self.registry = registry
    self.address = address
  }

  /// Pulls the changes. Afterwards the library either has all of them or is unchanged.
  ///
  /// A library that was created for the pull is kept even if not everything could be fetched: the next pull fills it.
  /// - Throws: `RunFailure`: 2 if the file is not a library, 4 if the library belongs to another registry or
  ///   account or its schema is old, 6 if its schema is newer, 7 if a sync is running or another program is using
  ///   the library, 69 and 77 if the registry cannot be called.
  public func run(now: Timestamp) throws -> PullReport {
    guard access(library, F_OK) != 0 else { return try runInto(now) }
    guard createsLibrary else { throw Self.missing(library, bringsAll: bringsAll) }
    // No library is created for a user who is not signed in.
    do throws(RegistryError) {
      _ = try registry.me()
    } catch {
      throw error.failure("pull into '\(library)'", at: address)
    }
    return try RegistryImport.intoNewLibrary(library, isDryRun: isDryRun) { path in
      var creation = self
      creation.library = path
      return try creation.runInto(now)
    }
  }

  /// Returns the error for a library that does not exist.
  package static func missing(_ library: String, bringsAll: Bool) -> RunFailure {
    RunFailure(
      .failed, "pull into '\(library)': there is no such library",
      advice: bringsAll
        ? "To make a new one, add --create."
        : "Check the name. To make a new one from your publications, add --all-mine --create.")
  }

  private func runInto(_ now: Timestamp) throws -> PullReport {
    let session = try PullSession(library, registry, at: address, isDryRun: isDryRun)
    defer { withExtendedLifetime(session) {} }
    let owned = try OwnedItems(registry, at: address).all("pull into '\(library)'")
    let (intake, meanings) = (try ItemIntake(), try PublishedEquality())
    var fetched: [String: PublicItem?] = [:]
    for _ in 0..<Self.mostLooks {
      let findings = try findings(owned, &fetched, session.user, intake, meanings, now)
      do {
        return try write(findings, session.user, meanings, now)
      } catch is PullParticipant.LibraryChanged {
        // Another program wrote first: the fetched items are merged with the library's current content.
        try Interruption.check()
      }
    }
    throw RunFailure(
      .locked, "pull into '\(library)': another program keeps changing the items; the pull changed nothing",
      advice: "Pull again when it has finished.")
  }

  /// The maximum number of comparisons, which are repeated while items change between a comparison and the lock.
  private static let mostLooks = 20

  /// Finds the changes that are new for the current library. Missing items are fetched while the library is not open,
  /// because the app writes to it in the meantime. The app's changes may make other items new, so the library is then
  /// compared again.
  private func findings(
    _ owned: [OwnedItem], _ fetched: inout [String: PublicItem?], _ user: RegistryUser, _ intake: ItemIntake,
    _ meanings: PublishedEquality, _ now: Timestamp
  ) throws -> PullFindings {
    while true {
      let (findings, missing) = try compare(owned, fetched, user, intake, meanings, now)
      if missing.isEmpty { return findings }
      try fetch(missing, into: &fetched)
    }
  }

  /// Compares the account's items with the library, and closes the library afterwards.
  /// - Returns: the findings, and the slugs of items that have to be fetched first; without such slugs, the findings
  ///   are complete.
  private func compare(
    _ owned: [OwnedItem], _ fetched: [String: PublicItem?], _ user: RegistryUser, _ intake: ItemIntake,
    _ meanings: PublishedEquality, _ now: Timestamp
  ) throws -> (findings: PullFindings, missing: [String]) {
    let search = try PullSearch(self, user, intake, meanings, now)
    try search.compare(owned)
    let missing = search.missing(from: fetched)
    if missing.isEmpty { try search.makeRecords(from: fetched) }
    return (search.findings, missing)
  }

  /// The number of concurrent requests, the same as in `sync`.
  private static let requests = 4

  /// Fetches items, several at the same time. After a failure or an interruption, no further item is requested.
  /// - Throws: `RunFailure`: 130 if the user asked to stop; 69 and 77 if the registry cannot be called.
  private func fetch(_ slugs: [String], into fetched: inout [String: PublicItem?]) throws {
    let (registry, address) = (registry, address)
    let answers = OrderedMap<(slug: String, item: PublicItem?)>(
      slugs.lazy.prefix { _ in !Interruption.isRequested }, threads: min(Self.requests, slugs.count),
      ahead: 2 * Self.requests
    ) { _ in
      { slug, answers in
        do throws(RegistryError) {
          _ = answers.send((slug, try registry.item(slug)))
        } catch {
          throw error.failure("pull '\(slug)'", at: address)
        }
      }
    }
    do {
      var count = 0
      while let answer = try answers.next() {
        fetched.updateValue(answer.item, forKey: answer.slug)
        count += 1
        onProgress?(count, slugs.count)
      }
    } catch {
      // An interruption ends requests in flight.
      try Interruption.check()
      throw error
    }
    try Interruption.check()
  }

  /// Imports the fetched items into the library.
  private func write(
    _ findings: PullFindings, _ user: RegistryUser, _ meanings: PublishedEquality, _ now: Timestamp
  ) throws -> PullReport {
    var report = findings.report
    report.isDryRun = isDryRun
    if findings.isEmpty { return report }
    let observer = PullObserver()
    let companion = PullParticipant(
      library, findings, observer: observer, meanings: meanings, isDecided: take != nil,
      isDryRun: isDryRun, now: now)
    var job = RegistryImport(library: library, address: address, command: "pull", detail: detail(findings, user))
    switch take {
    case .local?: job.settling = .ours
    case .remote?: job.settling = .theirs
    case nil: job.settling = .reject
    }
    job.words = .ofPull(into: library)
    let context = RunContext(dryRun: isDryRun, now: now)
    let outcome = try job.run(findings.entries, context: context, companion: companion, observer: observer)
    for (entry, outcome) in companion.outcomes { report.entries[entry].outcome = outcome }
    report.dropped = companion.dropped
    report.settled = companion.settled
    report.run = isDryRun ? nil : outcome.run
    let rejects = PullRejects(records: outcome.summary.rejectsPaths, page: outcome.conflicts).folded()
    report.conflicts = rejects.page
    report.rejects = rejects.records
    report.replaced = outcome.replaced
    return report
  }

  private func detail(_ findings: PullFindings, _ user: RegistryUser) -> String {
    var out = ByteBuffer()
    RecordMembers.append(address, as: "{\"registry\":", to: &out)
    RecordMembers.append(user.id, as: ",\"account\":", to: &out)
    RecordMembers.append(
      findings.items.map(\.publicID) + findings.withdrawals.map(\.id), as: ",\"items\":", to: &out)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}

/// The result of a pull.
public struct PullReport: Sendable {
  /// The outcome for one of the account's items.
  public enum Outcome: Sendable, Equatable {
    /// The library now has the public version.
    case taken
    /// The sides had changed different fields: the library has both changes, and the next update publishes them.
    case merged
    /// The library has a new item.
    case created
    /// The item was withdrawn elsewhere and is now private here.
    case withdrawn
    /// The library's version is kept, because both sides changed the same field, or their common base is unknown.
    case conflict(String)
    /// The registry's version cannot be used.
    case rejected(String)
    /// The library does not have the item.
    case missing
    /// The item was left unchanged, for the given reason.
    case skipped(String)
  }

  /// One item of the account.
  public struct Entry: Sendable {
    /// The item's id in the library; nil if the library does not have the item.
    public var id: String?
    /// The item's slug.
    public var publicID: String
    /// The item's title at the registry.
    public var title: String
    /// The outcome.
    public var outcome: Outcome
  }

  /// The account's items that have to be reported, in the registry's order.
  public internal(set) var entries: [Entry] = []
  /// The number of items that the account has or had.
  public internal(set) var owned = 0
  /// The number of items that are equal on both sides or changed only here.
  public internal(set) var unchanged = 0
  /// The number of unchanged items for which no operation was waiting any longer; their state is now `synced`.
  public internal(set) var settled = 0
  /// The number of items that were not selected.
  public internal(set) var unselected = 0
  /// The number of items that were withdrawn earlier and are not public here either.
  public internal(set) var gone = 0
  /// The number of failed updates that left the queue because they would have replaced the pulled version.
  public internal(set) var dropped = 0
  /// The number of the run; nil if nothing was changed.
  public internal(set) var run: Int64?
  /// Whether the run was a dry run, which does everything except the last step.
  public internal(set) var isDryRun = false
  /// The page that shows both sides of every conflict; nil if there was none.
  public internal(set) var conflicts: String?
  /// The files with the registry's versions of conflicting records.
  public internal(set) var rejects: [String] = []
  /// The bundle of overwritten records; nil if there were none.
  public internal(set) var replaced: String?

  /// The number of items with a given outcome.
  public func count(_ matches: (Outcome) -> Bool) -> Int { entries.count { matches($0.outcome) } }

  /// Whether every item is accounted for.
  public var isBalanced: Bool { owned == entries.count + unchanged + unselected + gone }

  /// The exit status of the run.
  public var status: ExitStatus {
    if !isBalanced { return .internalError }
    let isPartial = entries.contains { entry in
      switch entry.outcome {
      case .conflict, .rejected: true
      default: false
      }
    }
    return isPartial ? .partial : .success
  }
}

/// Reads all items of an account, page by page.
struct OwnedItems {
  private let registry: any RegistryCalls
  private let address: String

  /// The maximum number of pages; an account cannot have more, so if there are more, another server is answering.
  private static let mostPages = 100_000

  /// - Parameter address: the registry's address, for messages.
  init(_ registry: any RegistryCalls, at address: String) {
    self.registry = registry
    self.address = address
  }

  /// Returns the items, withdrawn ones included, each once, with the oldest change first.
  /// - Parameter doing: the beginning of error messages.
  func all(_ doing: String) throws -> [OwnedItem] {
    var items: [OwnedItem] = []
    var places: [String: Int] = [:]
    var cursor: String?
    var seen = Set<String>()
    for _ in 0..<Self.mostPages {
      try Interruption.check()
      let page: (items: [OwnedItem], next: String?)
      do {
        page = try registry.mine(since: nil, cursor: cursor)
      } catch {
        throw error.failure(doing, at: address)
      }
      for item in page.items {
        // An item that changes while the pages are read appears again at the end.
        if let place = places[item.publicID] {
          items[place] = item
        } else {
          places[item.publicID] = items.count
          items.append(item)
        }
      }
      guard let next = page.next else { return items }
      guard seen.insert(next).inserted else { break }
      cursor = next
    }
    throw RunFailure(
      .unreachable, "\(doing): the registry's list of items does not end", advice: "Check that the address is right.")
  }
}

/// The files that a pull writes about conflicts. Every pull finds an unresolved conflict again, and its files replace
/// the previous pull's files instead of adding to them.
struct PullRejects {
  /// The files with records.
  let records: [String]
  /// The page that shows both sides; nil if there is no page.
  let page: String?

  private static let ending = "-pull.jsonl"

  /// Renames the files to the names that an earlier pull gave to the same records, if there are such files; otherwise
  /// returns them unchanged. The page shows the current state of both sides.
  func folded() -> PullRejects {
    guard records.count == 1, let new = records.first, new.hasSuffix(Self.ending),
      let bytes = FileManager.default.contents(atPath: new)
    else { return self }
    let folder = (new as NSString).deletingLastPathComponent
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    for name in names where name.hasSuffix(Self.ending) && folder + "/" + name != new {
      let old = folder + "/" + name
      guard FileManager.default.contents(atPath: old) == bytes else { continue }
      func move(_ from: String, _ ending: String) -> String? {
        let target = old.dropLast(".jsonl".count) + ending
        return rename(from, String(target)) == 0 ? String(target) : nil
      }
      // The file with the records is moved last: by then, the other files already have their new names.
      let stem = String(new.dropLast(".jsonl".count))
      guard move(stem + ".reasons.jsonl", ".reasons.jsonl") != nil else { return self }
      let page = page.map { move($0, ".conflicts.md") ?? $0 }
      return PullRejects(records: [move(new, ".jsonl") ?? new], page: page)
    }
    return self
  }
}
