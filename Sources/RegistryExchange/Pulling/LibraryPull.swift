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
/// Both sides are merged along their base, section by section and step by step, as in an import.
///
/// ```swift
/// var pull = LibraryPull("anyfleet.sqlite", from: client, at: address)
/// let report = try pull.run(now: now)
/// ```
public struct LibraryPull: Sendable {
  /// The side that wins where both sides changed the same field.
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
  /// The side that wins where both sides changed the same field. With nil, neither side wins: the library's version is
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
  /// - Throws: `RunFailure`: 2 when the file is not a library, 4 when the library belongs to another registry or
  ///   account or its schema is old, 6 when its schema is newer, 7 when a sync is running or another program is using
  ///   the library, 69 and 77 when the registry cannot be called.
  public func run(now: Timestamp) throws -> PullReport {
    guard access(library, F_OK) != 0 else { return try runInto(now) }
    guard createsLibrary else { throw Self.missing(library, bringsAll: bringsAll) }
    // No library is created for a user who is not signed in.
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
    try search.look(at: owned)
    let missing = search.missing(from: fetched)
    if missing.isEmpty { try search.take(fetched) }
    return (search.findings, missing)
  }

  /// The number of concurrent requests, the same as in `sync`.
  private static let requests = 4

  /// Fetches items, several at the same time. After a failure or an interruption, no further item is requested.
  /// - Throws: `RunFailure`: 130 when the user asked to stop; 69 and 77 when the registry cannot be called.
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
