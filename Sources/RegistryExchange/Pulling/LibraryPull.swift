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

/// Merges changes that were made elsewhere, for example on another device, to the items that an account has published.
///
/// Both sides are merged along their base, section by section and step by step, like an import.
///
/// ```swift
/// var pull = LibraryPull("anyfleet.sqlite", from: client, at: address)
/// let report = try pull.run(now: now)
/// ```
public struct LibraryPull: Sendable {
  /// The side that wins where both sides changed the same thing.
  public enum Take: String, Sendable, CaseIterable {
    /// The library.
    case local
    /// The registry.
    case remote
  }

  /// The library.
  public var library: String
  /// The items to pull; nil for all. Items that the library does not have are selected by title, type, and public id.
  public var selection: Selection?
  /// The side that wins where both sides changed the same thing; nil for neither: the library's version is kept, and
  /// the conflict is reported.
  public var take: Take?
  /// Whether items of the account that the library does not have are added to it.
  public var bringsAll = false
  /// Whether to create a library of the current schema if it does not exist.
  public var createsLibrary = false
  /// Whether to do everything except the last step. The registry is asked all the same.
  public var isDryRun = false
  /// Called now and then with the number of items fetched and their total.
  public var onProgress: (@Sendable (Int, Int) -> Void)?
  private let registry: any RegistryCalls
  private let address: String

  /// Prepares it.
  /// - Parameter address: the registry's address, normalised.
  public init(_ library: String, from registry: any RegistryCalls, at address: String) {
    self.library = library
    self.registry = registry
    self.address = address
  }

  /// Runs it. Afterwards the library has all of it, or is unchanged.
  ///
  /// A library that is created for it is kept even if not everything could be fetched: pulling again fills it.
  /// - Throws: `RunFailure`: 2 when it is not a library, 4 when it belongs to another registry or account or its schema
  ///   is old, 6 when it is newer, 7 when a sync or another program is at work, 69 and 77 when the registry cannot be
  ///   asked.
  public func run(now: Timestamp) throws -> PullReport {
    guard access(library, F_OK) != 0 else { return try runInto(now) }
    guard createsLibrary else { throw Self.missing(library, bringsAll: bringsAll) }
    // No library is made for a user who is not signed in.
    do throws(RegistryError) {
      _ = try registry.me()
    } catch {
      throw error.failure("pull into '\(library)'", at: address)
    }
    guard isDryRun else {
      try WritableLibrary(creating: library).commit()
      return try runInto(now)
    }
    let folder = try TemporaryFolder()
    var rehearsal = self
    rehearsal.library = folder.path + "/" + (library as NSString).lastPathComponent
    try WritableLibrary(creating: rehearsal.library).commit()
    let report = try rehearsal.runInto(now)
    withExtendedLifetime(folder) {}
    return report
  }

  /// The error for a library that does not exist.
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
        // Another program was faster: what was fetched is merged with the library's current content.
        try Interruption.check()
      }
    }
    throw RunFailure(
      .locked, "pull into '\(library)': another program keeps changing the items; nothing was changed",
      advice: "Pull again when it has finished.")
  }

  /// How often an item may change between a comparison and the lock.
  private static let mostLooks = 20

  /// Finds what is new for the current library. Missing items are fetched while the library is not open, because the
  /// app writes to it in the meantime. Its changes may make other items new, so the library is compared again.
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

  /// Compares the account's items with the library, which is closed afterwards.
  /// - Returns: the findings, and the slugs of items that have to be fetched first; without those the findings are
  ///   complete.
  private func compare(
    _ owned: [OwnedItem], _ fetched: [String: PublicItem?], _ user: RegistryUser, _ intake: ItemIntake,
    _ meanings: PublishedEquality, _ now: Timestamp
  ) throws -> (findings: PullFindings, missing: [String]) {
    let search = try PullSearch(self, user, intake, meanings, now)
    try search.look(at: owned)
    let missing = search.missing(from: fetched)
    if missing.isEmpty { try search.take(fetched) }
    return (search.findings, missing)
  }

  /// The number of concurrent requests, the same as in `sync`.
  private static let requests = 4

  /// Fetches items, several at the same time. No further one is requested after a failure or an interruption.
  /// - Throws: `RunFailure`: 130 when the user asked to stop; 69 and 77 when the registry cannot be asked.
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
      // An interruption ends requests that are under way.
      try Interruption.check()
      throw error
    }
    try Interruption.check()
  }

  /// Imports what was fetched into the library.
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
