import FleetKit

/// The report of `doctor --recover`.
struct RecoveryReport: Report {
  private let command = "doctor"
  private let status: ExitStatus
  private let library, recovered, schemaVersion: String
  private let pageSize, pages, bytes: Int
  private let notes: [String]
  private let tables: [LibraryRecovery.Report.Table]
  private let damageCount: Int
  private let damages: [LibraryRecovery.Report.Damage]
  private let missing: [LibraryRecovery.Report.Missing]
  private let folder: String?
  private let notMade, quarantine: [String]
  @TextOnly private var report: LibraryRecovery.Report

  init(_ report: LibraryRecovery.Report, library: String, target: String, status: ExitStatus) {
    (self.status, self.library, recovered, schemaVersion) = (status, library, target, report.version)
    (pageSize, pages, bytes, notes) = (report.pageSize, report.pages, report.bytes, report.notes)
    (tables, damageCount, damages) = (report.tables, report.damageCount, report.damages)
    (missing, folder, notMade, quarantine) = (report.missing, report.folder, report.refused, report.quarantine)
    self.report = report
  }

  /// The number of damaged pages and missing rows that are listed without -v.
  private static let shown = 10

  /// Prints which rows were found, table by table, and which were not.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let (target, verbose) = (recovered, output.verbose)
    let name = TerminalEscaping.escape(library)
    Terminal.say(
      "\(name): \(Plural.count(report.pages, "page")) of \(report.pageSize) bytes, schema v\(report.version)")
    for note in report.notes { Terminal.say("  " + TerminalEscaping.escape(note)) }
    Terminal.say("")
    var table = Table(["table", "in its tree", "by an index", "uncertain", "missing"], rightAligned: [1, 2, 3, 4])
    for found in report.tables where found.name != "grdb_migrations" {
      table.add([
        TerminalEscaping.escape(found.name), "\(found.reachable)", "\(found.confirmed)", "\(found.uncertain)",
        "\(found.missing)",
      ])
    }
    for line in table.lines(width: 110) { Terminal.say(line) }
    Terminal.say("")
    list("Damaged", report.damages.map(words), of: report.damageCount, verbose)
    list("Not found", report.missing.map(words), of: report.missingCount, verbose)
    list("Not created", report.refused, of: report.refused.count, verbose)
    if !report.quarantine.isEmpty {
      Terminal.say(
        "\(Plural.count(report.uncertain, "row")) may be deleted, outdated or on a damaged page: "
          + "left out of the library, kept in"
      )
      for path in report.quarantine { Terminal.say("  " + TerminalEscaping.escape(path)) }
      Terminal.say("Check \(report.quarantine.count == 1 ? "it" : "them") before you import anything from there.\n")
    }
    Terminal.say(
      "Wrote \(TerminalEscaping.escape(target)), \(Figures.bytes(report.bytes)), with "
        + "\(Plural.count(report.restored, "row"))" + (report.isWhole ? "; nothing is missing." : "."))
    if let folder = report.folder {
      Terminal.say(
        "Decks, attachments and FleetKit's history are still with the damaged library. To copy them, run:")
      let copy = "\(TerminalEscaping.shellQuoted(folder + "/.")) \(TerminalEscaping.shellQuoted(target + ".fleetkit"))"
      Terminal.say("  cp -R \(copy)")
    }
    if report.missingCount > 0 {
      Terminal.say(
        "If a backup or another phone has the missing records, import them before you repair the new library.")
    }
    Terminal.say("Next: fleetkit doctor \(TerminalEscaping.shellQuoted(target))")
  }

  private func list(_ title: String, _ lines: [String], of count: Int, _ verbose: Bool) {
    guard count > 0 else { return }
    Terminal.say("\(title): \(count)")
    let listed = verbose ? lines : Array(lines.prefix(Self.shown))
    for line in listed { Terminal.say("  " + TerminalEscaping.escape(line)) }
    if count > listed.count {
      Terminal.say("  … and \(count - listed.count) more" + (verbose ? "" : " (-v shows more)"))
    }
    Terminal.say("")
  }

  private func words(_ damage: LibraryRecovery.Report.Damage) -> String {
    let owner = damage.owner.map { " of '\($0)'" } ?? ""
    let row = damage.row.map { ", \($0)" } ?? ""
    let words = "page \(damage.page)\(owner)\(row): \(Self.reasons[damage.reason] ?? damage.reason)"
    return damage.isIndex ? words + " (an index has no content; it was rebuilt)" : words
  }

  private static let reasons = [
    "malformedPage": "its bytes were overwritten", "wrongPage": "it belongs to something else",
    "usedTwice": "it is used twice", "pointerOutOfRange": "it refers to a page that does not exist",
    "tooDeep": "the tree is too deep", "brokenCell": "the bytes of a row were overwritten",
    "overflowOutOfRange": "its text continues in a page that does not exist",
    "overflowUsedTwice": "its text continues in a page of something else",
    "overflowTooShort": "the end of its text is missing", "overflowTooLong": "a page of its text was overwritten",
    "rowidOutOfOrder": "rows are out of order", "doesNotFit": "it is not a row of this table",
    "ambiguous": "it may belong to several tables", "freelistBroken": "the list of free pages is broken",
    "neverUsed": "nothing refers to it; it may be the rest of a damaged row",
  ]

  private func words(_ missing: LibraryRecovery.Report.Missing) -> String {
    "\(missing.table) \(missing.id)\(missing.title.map { " “\($0)”" } ?? ""), known from '\(missing.knownFrom)'"
      + (missing.isUncertain ? "; a part of it, or a version of it, is in the quarantine" : "")
  }

}
