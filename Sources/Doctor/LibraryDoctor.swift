import Content
import Diagnostics
import Foundation
import Interchange
import SQLiteIO
import SQLiteLibrary

/// Says what is wrong with a library, and repairs it.
///
/// ```swift
/// let doctor = LibraryDoctor("anyfleet.sqlite")
/// let checkup = try doctor.examine()
/// if checkup.repairable > 0 { print(try doctor.repair(now: now)) }
/// ```
public struct LibraryDoctor: Sendable {
  /// The library.
  public let library: String
  /// How many findings of one kind are kept in full.
  public var keptFindings = 500
  /// Called now and then with what is being done, and how much of it is done.
  public var onProgress: (@Sendable (_ what: String, _ done: Int, _ total: Int) -> Void)?

  /// Names the library.
  public init(_ library: String) { self.library = library }

  /// What is wrong with a library.
  public struct Checkup: Sendable {
    /// The newest schema version whose migration has run; nil when none is listed.
    public let version: String?
    /// Whether a newer app wrote it.
    public let isNewer: Bool
    /// Everything that was found; what can be repaired says so.
    public let findings: DiagnosticLog
    /// How many of the findings a repair settles.
    public let repairable: Int

    /// Whether something is lost, hidden or refused if nothing is done.
    public var hasErrors: Bool { findings.worst == .error }
  }

  /// Looks at everything and changes nothing, not even beside the library.
  /// - Throws: `RunFailure`: 2 when it is no readable library or damaged, 7 when another program writes to it.
  public func examine() throws -> Checkup {
    do {
      let file = try LibraryFile(library)
      let findings = FindingSink(keepPerCode: keptFindings)
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
