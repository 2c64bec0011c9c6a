import ArchiveIO
import Content
import Diagnostics
import Interchange
import JSONText
import Validation

/// What there is to say about a pack as a whole, at its places.
struct PackFindings: Sendable {
  private let log: DiagnosticLog
  /// The pack as findings name it, with a slash.
  private let prefix: String

  init(_ log: DiagnosticLog, pack: String) {
    self.log = log
    prefix = pack.hasSuffix("/") ? pack : pack + "/"
  }

  /// A file of the pack as findings name it.
  func file(_ path: String) -> String { prefix + path }

  /// Files that no part of the pack's format speaks of.
  func unread(_ path: String) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file is no part of a pack's content; it was not read", at: Place(file: file(path))))
  }

  /// A record that the index does not list.
  func unlisted(_ record: Record) {
    let place = Place(file: record.batch.locator.file(of: record), line: 1, column: 1)
    log.report(
      Diagnostic(
        .packItemUnlisted, "the index in \(PackInfo.path) does not list this item", at: place,
        record: "item \(record.id)", title: record.title))
  }

  /// An attachment that could not be unpacked.
  func notUnpacked(_ path: String, _ error: any Error) {
    log.report(
      Diagnostic(
        .packFileUnread, "the file could not be unpacked: \((error as? RunFailure)?.message ?? "\(error)")",
        at: Place(file: file(path)), severity: .error))
  }

  /// Anything else.
  func report(_ finding: Diagnostic) { log.report(finding) }
}
