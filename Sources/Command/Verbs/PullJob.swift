import ArgumentParser
import FleetKit
import Foundation

/// The work of `pull` and `update --take remote`: fetches from the registry, imports, and reports.
struct PullJob {
  /// The name of the verb.
  let command: String
  let library: String
  let registry: RegistryOptions
  let output: OutputOptions
  var selection: Selection?
  var take: LibraryPull.Take?
  var bringsAll = false
  var createsLibrary = false
  var isDryRun = false

  /// - Throws: `RunFailure`, and `ExitCode` with the result.
  func run() throws {
    // A missing library does not belong to a registry; the pull reports that it is missing.
    let isThere = FileManager.default.fileExists(atPath: library)
    if !isThere, !createsLibrary { throw LibraryPull.missing(library, bringsAll: bringsAll) }
    let connection = try registry.connection(for: isThere ? library : nil)
    let client = try connection.client()
    var pull = LibraryPull(library, from: client, at: connection.address.text)
    pull.selection = selection
    pull.take = take
    pull.bringsAll = bringsAll
    pull.createsLibrary = createsLibrary
    pull.isDryRun = isDryRun
    let steps = output.quiet || output.json ? nil : Progress("Fetching").steps
    if let steps { pull.onProgress = { steps("Fetching, \($0) of \($1)", $0, $1) } }
    defer { Progress.clear() }
    let report = try client.untilInterrupted { try pull.run(now: RunContext.currentTime) }
    Progress.clear()
    try output.print(PullSummary(report, command: command, library: library))
    throw ExitCode(report.status.rawValue)
  }
}
