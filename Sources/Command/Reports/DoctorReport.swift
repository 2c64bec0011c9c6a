import FleetKit

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
        return Terminal.say("\(name) was written by a newer app. Update FleetKit before you repair it.")
      }
      let all = checkup.repairable == checkup.findings.total
      Terminal.say(
        "\(Plural.count(checkup.repairable, "finding")) can be repaired"
          + "\(all ? "" : "; the others cannot be repaired or need not be"). To repair (a backup is made first), run:")
      Terminal.say("  fleetkit doctor \(TerminalEscaping.shellQuoted(library)) --repair")
    } else if checkup.findings.total == 0 {
      Terminal.say("\(name) is sound\(version(checkup)): no problems found.")
    } else {
      Terminal.say("\(name)\(version(checkup)) needs no repair.")
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
      return Terminal.say("Nothing to repair in \(name); it was not changed.")
    }
    var table = Table(["code", "finding", dryRun ? "to repair" : "repaired"], rightAligned: [2])
    for (code, count) in repair.settled.sorted(by: { $0.key.id < $1.key.id }) {
      table.add([code.id, code.summary, "\(count)"])
    }
    for line in table.lines(width: 120) { Terminal.say(line) }
    Terminal.say("")
    renderQuarantine(verbose: verbose)
    if !repair.shortened.isEmpty {
      let count = repair.shortened.count
      let what = count == 1 ? "The original of 1 record" : "The originals of \(count) records"
      let verb = dryRun ? "would be" : count == 1 ? "is" : "are"
      Terminal.say("\(what) \(verb) kept" + (dryRun ? " next to the library." : " in"))
      if let path = repair.originals { Terminal.say("  \(TerminalEscaping.escape(path))") }
      if let path = repair.originalTexts { Terminal.say("as text:\n  \(TerminalEscaping.escape(path))") }
      Terminal.say("")
    }
    if repair.left.total > 0 {
      Terminal.say("\(dryRun ? "Would be left" : "Left"): " + words(left: repair.left))
      if verbose { SummaryRenderer.findings(repair.left, verbose: true) } else { Terminal.say("") }
    }
    if repair.partsLost > 0 {
      let lost = Plural.count(repair.partsLost, "part")
      Terminal.say(
        "\(lost) of damaged texts \(repair.partsLost == 1 ? "is" : "are") lost (LIB0110, -v shows "
          + "\(repair.partsLost == 1 ? "it" : "them")); the rest \(dryRun ? "would be" : "was") recovered.")
      if verbose {
        SummaryRenderer.findings(repair.before.findings.only(.partLost), verbose: true)
      } else {
        Terminal.say("")
      }
    }
    renderSending()
    let sum = Plural.count(repair.before.repairable, "finding")
    if dryRun {
      Terminal.say("Nothing was changed (--dry-run); \(sum) would be repaired in \(name).")
    } else {
      Terminal.say("Repaired \(sum) in \(name).")
      if let backup = repair.backup {
        Terminal.say("The library as it was before is kept in\n  \(TerminalEscaping.escape(backup))")
      }
    }
  }

  /// Prints the operations that the app sends at its next start.
  private func renderSending() {
    guard !repair.sending.isEmpty else { return }
    let count = Plural.count(repair.sending.count, "operation")
    let waits = repair.sending.count == 1 ? "waits" : "wait"
    Terminal.say(
      "\(count) of the queue \(dryRun ? "would wait" : waits) to be sent; the app sends them when it starts:")
    for operation in repair.sending.prefix(Self.shownRecords) {
      Terminal.say("  " + TerminalEscaping.escape("\(operation.operation) “\(operation.title)”"))
    }
    if repair.sending.count > Self.shownRecords {
      Terminal.say("  … and \(repair.sending.count - Self.shownRecords) more")
    }
    Terminal.say("")
  }

  private func renderQuarantine(verbose: Bool) {
    guard !repair.quarantined.isEmpty else { return }
    let count = repair.quarantined.count
    let what = count == 1 ? "1 record, or a part of it," : "\(count) records, or parts of them,"
    Terminal.say(dryRun ? "\(what) would move to quarantine:" : "\(what) moved to quarantine:")
    let shown = verbose ? repair.quarantined : Array(repair.quarantined.prefix(Self.shownRecords))
    for record in shown {
      let title = record.title.map { " “\($0)”" } ?? ""
      let what = record.kind.name.replacing("_", with: " ") + " \(record.id)\(title): \(record.reason ?? "")"
      Terminal.say("  " + TerminalEscaping.escape(what))
    }
    if count > shown.count { Terminal.say("  … and \(count - shown.count) more (-v shows them)") }
    if let path = repair.quarantine {
      Terminal.say("\(count == 1 ? "It is" : "They are") kept in\n  \(TerminalEscaping.escape(path))")
    }
    Terminal.say("")
  }

  /// The remaining findings, by kind.
  private func words(left log: DiagnosticLog) -> String {
    log.counts.sorted { $0.key.id < $1.key.id }.map { "\($0.value) × \($0.key.id) \($0.key.name)" }
      .joined(separator: ", ")
  }
}
