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

/// Brings back what was changed elsewhere of the items that an account has published: on another device, for example.
///
/// Both sides are merged against what they come from, section by section and step by step, as an import does.
///
/// ```swift
/// var pull = LibraryPull("anyfleet.sqlite", from: client, at: address)
/// let report = try pull.run(now: now)
/// ```
public struct LibraryPull: Sendable {
  /// Who wins where both sides changed the same thing.
  public enum Take: String, Sendable, CaseIterable {
    /// The library.
    case local
    /// The registry.
    case remote
  }

  /// The library.
  public var library: String
  /// Which items; nil for all. Items that the library does not have are known by title, type, and public id.
  public var selection: Selection?
  /// Who wins where both sides changed the same thing; nil for nobody: the library's stays, and it is said.
  public var take: Take?
  /// Whether items of the account that the library does not have come into it.
  public var bringsAll = false
  /// Whether a library that is not there is made, of today's schema.
  public var createsLibrary = false
  /// Whether everything is done but the last step. The registry is asked all the same.
  public var isDryRun = false
  /// Told now and then how many items were asked for, and of how many.
  public var onProgress: (@Sendable (Int, Int) -> Void)?
  private let registry: any RegistryCalls
  private let address: String

  /// Plans it.
  /// - Parameter address: the registry's address, normalised.
  public init(_ library: String, from registry: any RegistryCalls, at address: String) {
    self.library = library
    self.registry = registry
    self.address = address
  }

  /// Runs it. The library has all of it afterwards, or is as it was.
  ///
  /// A library that is made for it stays, also when not everything could be fetched: pulling again fills it.
  /// - Throws: `RunFailure`: 2 when it is no library, 4 when it belongs to another registry or account or its schema is
  ///   old, 6 when it is newer, 7 when a sync or another program is at work, 69 and 77 when the registry cannot be asked.
  public func run(now: Timestamp) throws -> PullReport {
    guard access(library, F_OK) != 0 else { return try runInto(now) }
    guard createsLibrary else { throw Self.missing(library, bringsAll: bringsAll) }
    // Nothing is made for somebody who is not signed in.
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

  /// What is said of a library that is not there.
  package static func missing(_ library: String, bringsAll: Bool) -> RunFailure {
    RunFailure(
      .failed, "pull into '\(library)': there is no such library",
      advice: bringsAll
        ? "--create makes a new one."
        : "Check the name. --all-mine --create makes a new one of what you have published.")
  }

  private func runInto(_ now: Timestamp) throws -> PullReport {
    let session = try PullSession(library, registry, at: address, isDryRun: isDryRun)
    defer { withExtendedLifetime(session) {} }
    let owned = try OwnedItems(registry, at: address).all("pull into '\(library)'")
    let (intake, meanings) = (try ItemIntake(), try PullMeaning())
    var fetched: [String: PublicItem?] = [:]
    for _ in 0..<Self.mostLooks {
      let findings = try findings(owned, &fetched, session.user, intake, meanings, now)
      do {
        return try write(findings, session.user, meanings, now)
      } catch is PullCompanion.LibraryChanged {
        // Somebody was faster: what was fetched is merged with what the library says now.
        try Interruption.check()
      }
    }
    throw RunFailure(
      .locked, "pull into '\(library)': another program keeps changing the items; nothing was changed",
      advice: "Pull again when it has finished.")
  }

  /// How often an item may change in the moments between a look and the lock.
  private static let mostLooks = 20

  /// What is new for the library as it is now. Whatever has to be fetched for that is fetched while nobody holds the
  /// library open: the app writes to it meanwhile. What it wrote may make other items new, so it is looked at again.
  private func findings(
    _ owned: [OwnedItem], _ fetched: inout [String: PublicItem?], _ user: RegistryUser, _ intake: ItemIntake,
    _ meanings: PullMeaning, _ now: Timestamp
  ) throws -> PullFindings {
    while true {
      let (findings, missing) = try look(owned, fetched, user, intake, meanings, now)
      if missing.isEmpty { return findings }
      try fetch(missing, into: &fetched)
    }
  }

  /// Holds what the account has against the library, which is let go of afterwards.
  /// - Returns: what was found, and the slugs of what has to be fetched first; without those it is complete.
  private func look(
    _ owned: [OwnedItem], _ fetched: [String: PublicItem?], _ user: RegistryUser, _ intake: ItemIntake,
    _ meanings: PullMeaning, _ now: Timestamp
  ) throws -> (findings: PullFindings, missing: [String]) {
    let search = try PullSearch(self, user, intake, meanings, now)
    try search.look(at: owned)
    let missing = search.missing(from: fetched)
    if missing.isEmpty { try search.take(fetched) }
    return (search.findings, missing)
  }

  /// How many requests are under way at once; `sync` sends as many.
  private static let requests = 4

  /// Asks for items, several at once. No further one is asked for after a failure or an interruption.
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

  /// Brings what was fetched into the library.
  private func write(
    _ findings: PullFindings, _ user: RegistryUser, _ meanings: PullMeaning, _ now: Timestamp
  ) throws -> PullReport {
    var report = findings.report
    report.isDryRun = isDryRun
    if findings.isEmpty { return report }
    let observer = PullObserver()
    let companion = PullCompanion(
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
    RecordText.append(address, as: "{\"registry\":", to: &out)
    RecordText.append(user.id, as: ",\"account\":", to: &out)
    RecordText.append(
      findings.items.map(\.publicID) + findings.withdrawals.map(\.id), as: ",\"items\":", to: &out)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
