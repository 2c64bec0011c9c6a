import ArchiveIO
import Content
import Diagnostics
import Interchange
import JSONText
import Validation

/// Reports findings about a pack as a whole, with their places.
struct PackFindings: Sendable {
  private let log: DiagnosticLog
  /// The pack's name in findings, with a slash.
  private let prefix: String

  init(_ log: DiagnosticLog, pack: String) {
    self.log = log
    prefix = pack.hasSuffix("/") ? pack : pack + "/"
  }

  /// Returns the name of one of the pack's files in findings.
  func file(_ path: String) -> String { prefix + path }

  /// Reports a file that is not part of the pack's format.
  func unread(_ path: String) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file is not part of the pack's content; it was not read", at: Place(file: file(path))))
  }

  /// Reports a record that is missing from the index.
  func unlisted(_ record: Record) {
    let place = Place(file: record.batch.locator.file(of: record), line: 1, column: 1)
    log.report(
      Diagnostic(
        .packItemUnlisted, "the index in \(PackInfo.path) does not list this item", at: place,
        record: "item \(record.id)", title: record.title))
  }

  /// Reports an attachment that could not be unpacked.
  func notUnpacked(_ path: String, _ error: any Error) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file could not be unpacked: \((error as? RunFailure)?.message ?? "\(error)")",
        at: Place(file: file(path)), severity: .error))
  }

  /// Reports any other finding.
  func report(_ finding: Diagnostic) { log.report(finding) }
}
