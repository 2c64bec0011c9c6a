import Content
import Diagnostics
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Finds the problems of a library, and repairs them.
///
/// ```swift
/// let doctor = LibraryDoctor("anyfleet.sqlite")
/// let checkup = try doctor.examine()
/// if checkup.repairable > 0 { print(try doctor.repair(now: now)) }
/// ```
public struct LibraryDoctor: Sendable {
  /// The path of the library.
  public let library: String
  /// The number of findings of one kind that are kept in full.
  public var keptFindings = 500
  /// Receives, at intervals, the current step, the amount done and the total.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Creates a doctor for a library.
  public init(_ library: String) { self.library = library }

  /// The problems of a library.
  public struct Checkup: Sendable {
    /// The newest schema version with a completed migration; nil if none is listed.
    public let version: String?
    /// Whether a newer app wrote the library.
    public let isNewer: Bool
    /// All findings. Findings that can be repaired have a `--repair` fix.
    public let findings: DiagnosticLog
    /// The number of findings that a repair settles.
    public let repairable: Int

    /// Whether data is lost, hidden or refused if nothing is done.
    public var hasErrors: Bool { findings.worst == .error }
  }

  /// Examines everything and changes nothing, not even in the sidecar.
  /// - Throws: `RunFailure`: 2 if the file is damaged or is not a readable library, 7 if another program writes to it.
  public func examine() throws -> Checkup {
    do {
      let file = try LibraryFile(library)
      let findings = RepairFindings(keepPerCode: keptFindings)
      if let reason = file.copiedBecause {
        findings.report(
          Diagnostic(.readThroughCopy, "read through a private copy, because \(reason)", at: Place(file: library)))
      }
      _ = try Examination(connection: file.connection, schema: file.schema, file: library).run(
        report: findings.report)
      try file.finishCheck()
      let beside = DiagnosticLog(keepPerCode: .max)
      try StoreExamination.run(of: library, findings: beside)
      for finding in beside.kept { findings.report(finding) }
      return Checkup(
        version: file.schema.version, isNewer: file.schema.isNewer, findings: findings.log,
        repairable: findings.repairable)
    } catch let error as SQLiteError {
      throw LibraryFile.failure(error, library)
    }
  }
}
