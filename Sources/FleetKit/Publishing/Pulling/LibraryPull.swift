import Content
import FleetKitCore
import Foundation
import Interchange
import JSONText
import Merging
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary
import SyncQueue

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
  /// - Throws: `RunFailure`: 2 when it is no library, 4 when it belongs to another registry or account or its schema is
  ///   old, 6 when it is newer, 7 when a sync or another program is at work, 69 and 77 when the registry cannot be asked.
  public func run(now: Timestamp) throws -> PullReport {
    let session = try PullSession(library, registry, at: address, isDryRun: isDryRun)
    defer { withExtendedLifetime(session) {} }
    let meanings = try PullMeaning()
    let findings = try search(session, meanings, now)
    return try write(findings, session.user, meanings, now)
  }

  /// Looks and fetches; afterwards nobody holds the library open any more.
  private func search(_ session: PullSession, _ meanings: PullMeaning, _ now: Timestamp) throws -> PullFindings {
    let owned = try OwnedItems(registry).all("pull into '\(library)'")
    let search = try PullSearch(self, registry, session.user, meanings, now)
    try search.look(at: owned)
    try search.fetch()
    return search.findings
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
      library, findings, observer: observer, meanings: meanings, isDecided: take != nil, now: now)
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
