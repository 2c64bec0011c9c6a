import Foundation
import Interchange
import Runs

/// Takes up an import that was interrupted: asks for the same again, under the same number and at the same time.
///
/// ```swift
/// let resume = try ImportResume(7, into: "anyfleet.sqlite")
/// if !resume.isSettled {
///   let (job, context) = try resume.job()
///   let report = try job.run(context: context)
/// }
/// ```
public struct ImportResume: Sendable {
  /// The run.
  public let id: Int64
  /// The library.
  public let library: String
  /// What it was asked to do; nil when nobody knows, or when it cannot be asked for again.
  public let request: ImportRequest?
  /// Whether the library has all of it already; only that had not been noted, and is now.
  public let isSettled: Bool
  private let command: String
  private let now: Timestamp

  /// Finds out what became of the run.
  /// - Throws: `RunFailure`: 64 when there is no such run, 4 when it was not interrupted, or a later run has changed
  ///   the library, 7 when another program uses the library, 2 when something cannot be read.
  public init(_ id: Int64, into library: String) throws {
    self.id = id
    self.library = library
    let found = try InterruptedRun(id, of: library)
    isSettled = found.wasCommitted
    command = found.run.command
    request = found.run.request.map { ImportRequest(json: $0) }
    let current = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
    now = found.run.now.flatMap { Timestamp.parse($0)?.0 } ?? current
  }

  /// The import, ready to run.
  /// - Throws: `RunFailure` with status 4 when it cannot be asked for again, 2 when a source is gone.
  public func job() throws -> (job: LibraryImport, context: RunContext) {
    guard let request else {
      let why =
        ["import", "restore"].contains(command)
        ? "it cannot be asked for again: it read standard input, asked somebody, or an older FleetKit began it"
        : "it was no import (\(command)), and changed nothing"
      throw RunFailure(.refused, "resume run \(id): \(why)", advice: "Give its command anew.")
    }
    var (job, context) = try request.job(into: library, now: now)
    job.resumes = id
    return (job, context)
  }
}
