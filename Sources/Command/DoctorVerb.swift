import ArgumentParser
import FleetKit

/// `fleetkit doctor`.
struct DoctorVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Find problems in a library, including content that the app would lose, and repair them.",
    discussion: """
      Without --repair, every record, the queue and the schema are read, and nothing is changed. The exit status is \
      1 if there are errors. With --repair, a backup is made first, then everything is repaired in one transaction. \
      Nothing is deleted: records that cannot be repaired move to a bundle next to the library. If a repaired value \
      contains less than the original, the original is also kept there.

      With --recover, a damaged file that SQLite cannot open is read page by page, and a new library is written. Rows \
      that may be deleted or outdated go to a bundle in its sidecar. The exit status is 3 if something is missing or \
      uncertain.

      EXAMPLES
        fleetkit doctor anyfleet.sqlite            list the problems
        fleetkit doctor anyfleet.sqlite -v         show every finding in full
        fleetkit doctor anyfleet.sqlite --repair --dry-run
            show what would be repaired
        fleetkit doctor anyfleet.sqlite --repair   make a backup, then repair
        fleetkit doctor anyfleet.sqlite --recover new.sqlite
            recover a damaged file
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Flag(name: .long, help: "Make a backup, then repair everything that can be repaired.")
  var repair = false

  @Option(
    name: .long, help: "Recover a damaged library page by page, and write a new one.",
    completion: .file())
  var recover: String?

  @Flag(name: .long, help: "With --repair: show what would be done; change nothing.")
  var dryRun = false

  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(visibility: .hidden) var confirmation: ConfirmationOptions

  func validate() throws {
    if recover != nil, repair {
      throw ValidationError("--recover cannot be used with --repair: recover first, then repair the new library.")
    }
    if dryRun, !repair { throw ValidationError("--dry-run requires --repair; without --repair nothing is changed.") }
  }

  func run() throws {
    if let recover { return try runRecovery(to: recover) }
    var doctor = LibraryDoctor(library)
    // -v shows every finding in full. Otherwise memory is bounded by the number of kinds.
    if output.verbose { doctor.keptFindings = .max }
    doctor.onProgress = output.quiet ? nil : Progress("").steps
    if repair { return try runRepair(doctor) }
    let checkup = try doctor.examine()
    Progress.clear()
    let status: ExitStatus = checkup.hasErrors ? .findings : .success
    try output.print(DoctorReport(checkup, library: library, status: status))
    throw ExitCode(status.rawValue)
  }

  private func runRecovery(to target: String) throws {
    var recovery = LibraryRecovery(library, to: target)
    recovery.onProgress = output.quiet ? nil : Progress("").steps
    let report = try recovery.run(now: RunContext.currentTime)
    Progress.clear()
    let status: ExitStatus = report.isWhole ? .success : .partial
    try output.print(RecoveryReport(report, library: library, target: target, status: status))
    throw ExitCode(status.rawValue)
  }

  private func runRepair(_ doctor: LibraryDoctor) throws {
    let repair = try doctor.repair(now: RunContext.currentTime, dryRun: dryRun)
    Progress.clear()
    // Remaining findings that are more severe than notes cannot be repaired.
    var status: ExitStatus = repair.left.worst == .error ? .findings : .success
    if repair.partsLost > 0 { status = status.combined(with: .partial) }
    try output.print(RepairReport(repair, library: library, dryRun: dryRun, status: status))
    throw ExitCode(status.rawValue)
  }
}

/// The first members of all `doctor` reports.
private struct DoctorHead: Encodable {
  let command = "doctor"
  let status: ExitStatus
  let library: String
  let schemaVersion: String?
  let newer: Bool
  let repairable: Int

  init(_ checkup: LibraryDoctor.Checkup, _ library: String, _ status: ExitStatus) {
    (self.status, self.library) = (status, library)
    (schemaVersion, newer, repairable) = (checkup.version, checkup.isNewer, checkup.repairable)
  }
}

/// The report of `doctor`.
struct DoctorReport: Report {
  @Inlined private var head: DoctorHead
  private let findings: FindingsReport
  @TextOnly private var checkup: LibraryDoctor.Checkup

  init(_ checkup: LibraryDoctor.Checkup, library: String, status: ExitStatus) {
    head = DoctorHead(checkup, library, status)
    findings = FindingsReport(checkup.findings)
    self.checkup = checkup
  }

  /// Prints the problems, and the next step.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let library = head.library
    let name = TerminalEscaping.escape(library)
    SummaryRenderer.findings(checkup.findings, verbose: output.verbose)
    if checkup.repairable > 0 {
      guard !checkup.isNewer else {
        return Terminal.report("\(name) was written by a newer app. Update FleetKit before you repair it.")
      }
      let all = checkup.repairable == checkup.findings.total
      Terminal.report(
        "\(Plural.count(checkup.repairable, "finding")) can be repaired"
          + "\(all ? "" : "; the others cannot be repaired or need not be"). To repair (a backup is made first), run:")
      Terminal.report("  fleetkit doctor \(TerminalEscaping.shellQuoted(library)) --repair")
    } else if checkup.findings.total == 0 {
      Terminal.report("\(name) is sound\(version(checkup)): no problems found.")
    } else {
      Terminal.report("\(name)\(version(checkup)) needs no repair.")
    }
  }

  private func version(_ checkup: LibraryDoctor.Checkup) -> String {
    checkup.version.map { ", schema v\($0)" } ?? ""
  }
}

/// The report of `doctor --repair`.
struct RepairReport: Report {
  private struct KeptRecord: Encodable {
    let kind: RecordKind
    let id: String
    let title: String?
    @IfPresent var reason: String?

    init(_ record: LibraryDoctor.KeptRecord) {
      (kind, id, title, reason) = (record.kind, record.id, record.title, record.reason)
    }
  }

  private struct Left: Encodable { let findings: FindingsReport }

  private struct Operation: Encodable { let operation, title: String }

  @Inlined private var head: DoctorHead
  private let dryRun, repaired: Bool
  private let findings: FindingsReport
  private let settled: Members<Int>
  private let quarantined: [KeptRecord]
  private let quarantine: String?
  private let shortened: [KeptRecord]
  private let originals: String?
  @IfPresent private var originalTexts: String?
  private let left: Left
  private let backup: String?
  private let sending: [Operation]
  @TextOnly private var repair: LibraryDoctor.Repair

  init(_ repair: LibraryDoctor.Repair, library: String, dryRun: Bool, status: ExitStatus = .success) {
    head = DoctorHead(repair.before, library, status)
    (self.dryRun, repaired) = (dryRun, !repair.isEmpty && !dryRun)
    (findings, left) = (FindingsReport(repair.before.findings), Left(findings: FindingsReport(repair.left)))
    settled = Members(repair.settled) { $0.id }
    (quarantined, quarantine) = (repair.quarantined.map(KeptRecord.init), repair.quarantine)
    (shortened, originals) = (repair.shortened.map(KeptRecord.init), repair.originals)
    (originalTexts, backup) = (repair.originalTexts, repair.backup)
    sending = repair.sending.map { Operation(operation: $0.operation, title: $0.title) }
    self.repair = repair
  }

  /// The number of records that are named without -v.
  private static let shownRecords = 10

  /// Prints what was repaired or would be repaired.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let (library, verbose) = (head.library, output.verbose)
    let name = TerminalEscaping.escape(library)
    if repair.isEmpty {
      SummaryRenderer.findings(repair.left, verbose: verbose)
      return Terminal.report("Nothing to repair in \(name); it was not changed.")
    }
    var table = Table(["code", "finding", dryRun ? "to repair" : "repaired"], rightAligned: [2])
    for (code, count) in repair.settled.sorted(by: { $0.key.id < $1.key.id }) {
      table.add([code.id, code.summary, "\(count)"])
    }
    for line in table.lines(width: 120) { Terminal.report(line) }
    Terminal.report("")
    renderQuarantine(verbose: verbose)
    if !repair.shortened.isEmpty {
      let count = repair.shortened.count
      let what = count == 1 ? "The original of 1 record" : "The originals of \(count) records"
      let verb = dryRun ? "would be" : count == 1 ? "is" : "are"
      Terminal.report("\(what) \(verb) kept" + (dryRun ? " next to the library." : " in"))
      if let path = repair.originals { Terminal.report("  \(TerminalEscaping.escape(path))") }
      if let path = repair.originalTexts { Terminal.report("as text:\n  \(TerminalEscaping.escape(path))") }
      Terminal.report("")
    }
    if repair.left.total > 0 {
      Terminal.report("\(dryRun ? "Would be left" : "Left"): " + words(left: repair.left))
      if verbose { SummaryRenderer.findings(repair.left, verbose: true) } else { Terminal.report("") }
    }
    if repair.partsLost > 0 {
      let lost = Plural.count(repair.partsLost, "part")
      Terminal.report(
        "\(lost) of damaged text \(repair.partsLost == 1 ? "is" : "are") lost (LIB0110, -v shows "
          + "\(repair.partsLost == 1 ? "it" : "them")); the rest \(dryRun ? "would be" : "was") recovered.")
      if verbose {
        SummaryRenderer.findings(repair.before.findings.only(.partLost), verbose: true)
      } else {
        Terminal.report("")
      }
    }
    renderSending()
    let sum = Plural.count(repair.before.repairable, "finding")
    if dryRun {
      Terminal.report("Nothing was changed (--dry-run); \(sum) would be repaired in \(name).")
    } else {
      Terminal.report("Repaired \(sum) in \(name).")
      if let backup = repair.backup {
        Terminal.report("The library as it was before is kept in\n  \(TerminalEscaping.escape(backup))")
      }
    }
  }

  /// Prints the operations that the app sends at its next start.
  private func renderSending() {
    guard !repair.sending.isEmpty else { return }
    let count = Plural.count(repair.sending.count, "operation")
    let waits = repair.sending.count == 1 ? "waits" : "wait"
    Terminal.report(
      "\(count) in the queue \(dryRun ? "would wait" : waits) to be sent; the app sends them when it starts:")
    for operation in repair.sending.prefix(Self.shownRecords) {
      Terminal.report("  " + TerminalEscaping.escape("\(operation.operation) “\(operation.title)”"))
    }
    if repair.sending.count > Self.shownRecords {
      Terminal.report("  … and \(repair.sending.count - Self.shownRecords) more")
    }
    Terminal.report("")
  }

  private func renderQuarantine(verbose: Bool) {
    guard !repair.quarantined.isEmpty else { return }
    let count = repair.quarantined.count
    let what = count == 1 ? "1 record, or a part of it," : "\(count) records, or parts of them,"
    Terminal.report(dryRun ? "\(what) would move to quarantine:" : "\(what) moved to quarantine:")
    let shown = verbose ? repair.quarantined : Array(repair.quarantined.prefix(Self.shownRecords))
    for record in shown {
      let title = record.title.map { " “\($0)”" } ?? ""
      let what = record.kind.name.replacing("_", with: " ") + " \(record.id)\(title): \(record.reason ?? "")"
      Terminal.report("  " + TerminalEscaping.escape(what))
    }
    if count > shown.count { Terminal.report("  … and \(count - shown.count) more (-v shows them)") }
    if let path = repair.quarantine {
      Terminal.report("\(count == 1 ? "It is" : "They are") kept in\n  \(TerminalEscaping.escape(path))")
    }
    Terminal.report("")
  }

  /// The remaining findings, by kind.
  private func words(left log: DiagnosticLog) -> String {
    log.counts.sorted { $0.key.id < $1.key.id }.map { "\($0.value) × \($0.key.id) \($0.key.name)" }
      .joined(separator: ", ")
  }
}

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
    Terminal.report(
      "\(name): \(Plural.count(report.pages, "page")) of \(report.pageSize) bytes, schema v\(report.version)")
    for note in report.notes { Terminal.report("  " + TerminalEscaping.escape(note)) }
    Terminal.report("")
    var table = Table(["table", "in its tree", "by an index", "uncertain", "missing"], rightAligned: [1, 2, 3, 4])
    for found in report.tables where found.name != "grdb_migrations" {
      table.add([
        TerminalEscaping.escape(found.name), "\(found.reachable)", "\(found.confirmed)", "\(found.uncertain)",
        "\(found.missing)",
      ])
    }
    for line in table.lines(width: 110) { Terminal.report(line) }
    Terminal.report("")
    list("Damaged", report.damages.map(words), of: report.damageCount, verbose)
    list("Not found", report.missing.map(words), of: report.missingCount, verbose)
    list("Not created", report.refused, of: report.refused.count, verbose)
    if !report.quarantine.isEmpty {
      Terminal.report(
        "\(Plural.count(report.uncertain, "row")) may be deleted, outdated or on a damaged page: "
          + "left out of the library, kept in"
      )
      for path in report.quarantine { Terminal.report("  " + TerminalEscaping.escape(path)) }
      Terminal.report("Check \(report.quarantine.count == 1 ? "it" : "them") before you import anything from there.\n")
    }
    Terminal.report(
      "Wrote \(TerminalEscaping.escape(target)), \(Figures.bytes(report.bytes)), with "
        + "\(Plural.count(report.restored, "row"))" + (report.isWhole ? "; nothing is missing." : "."))
    if let folder = report.folder {
      Terminal.report(
        "Decks, attachments and FleetKit's history are still with the damaged library. To copy them, run:")
      let copy = "\(TerminalEscaping.shellQuoted(folder + "/.")) \(TerminalEscaping.shellQuoted(target + ".fleetkit"))"
      Terminal.report("  cp -R \(copy)")
    }
    if report.missingCount > 0 {
      Terminal.report(
        "If a backup or another phone has the missing records, import them before you repair the new library.")
    }
    Terminal.report("Next: fleetkit doctor \(TerminalEscaping.shellQuoted(target))")
  }

  private func list(_ title: String, _ lines: [String], of count: Int, _ verbose: Bool) {
    guard count > 0 else { return }
    Terminal.report("\(title): \(count)")
    let listed = verbose ? lines : Array(lines.prefix(Self.shown))
    for line in listed { Terminal.report("  " + TerminalEscaping.escape(line)) }
    if count > listed.count {
      Terminal.report("  … and \(count - listed.count) more" + (verbose ? "" : " (-v shows more)"))
    }
    Terminal.report("")
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
