import FleetKit

/// The members that all reports of `doctor` begin with.
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

  /// What is wrong, and what comes next.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let library = head.library
    let name = TerminalText.escape(library)
    SummaryText.findings(checkup.findings, verbose: output.verbose)
    if checkup.repairable > 0 {
      guard !checkup.isNewer else {
        return Terminal.say("A newer app wrote \(name): update FleetKit before it is repaired.")
      }
      let all = checkup.repairable == checkup.findings.total
      Terminal.say(
        "\(Plural.count(checkup.repairable, "finding")) can be repaired\(all ? "" : ", the others cannot or need not"). "
          + "A backup is made first:")
      Terminal.say("  fleetkit doctor \(TerminalText.shellQuoted(library)) --repair")
    } else if checkup.findings.total == 0 {
      Terminal.say("\(name) is sound\(version(checkup)): nothing to report.")
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

  /// Records that are named without -v.
  private static let shownRecords = 10

  /// What was repaired, or would be.
  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let (library, verbose) = (head.library, output.verbose)
    let name = TerminalText.escape(library)
    if repair.isEmpty {
      SummaryText.findings(repair.left, verbose: verbose)
      return Terminal.say("Nothing to repair in \(name); it is as it was.")
    }
    var table = Table(["code", "what was found", dryRun ? "to repair" : "repaired"], rightAligned: [2])
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
      Terminal.say("\(what) \(verb) kept" + (dryRun ? " beside the library." : " in"))
      if let path = repair.originals { Terminal.say("  \(TerminalText.escape(path))") }
      if let path = repair.originalTexts { Terminal.say("as text:\n  \(TerminalText.escape(path))") }
      Terminal.say("")
    }
    if repair.left.total > 0 {
      Terminal.say("\(dryRun ? "Would be left" : "Left"): " + words(left: repair.left))
      if verbose { SummaryText.findings(repair.left, verbose: true) } else { Terminal.say("") }
    }
    if repair.partsLost > 0 {
      let lost = Plural.count(repair.partsLost, "part")
      Terminal.say(
        "\(lost) of damaged texts \(repair.partsLost == 1 ? "is" : "are") lost (LIB0110, -v shows "
          + "\(repair.partsLost == 1 ? "it" : "them")); the rest of them \(dryRun ? "would be" : "was") recovered.")
      if verbose {
        SummaryText.findings(repair.before.findings.only(.partLost), verbose: true)
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
        Terminal.say("What it was until now is kept in\n  \(TerminalText.escape(backup))")
      }
    }
  }

  /// What goes out when the app starts next.
  private func renderSending() {
    guard !repair.sending.isEmpty else { return }
    let count = Plural.count(repair.sending.count, "operation")
    let waits = repair.sending.count == 1 ? "waits" : "wait"
    Terminal.say(
      "\(count) of the queue \(dryRun ? "would wait" : waits) to be sent; the app sends them when it starts:")
    for operation in repair.sending.prefix(Self.shownRecords) {
      Terminal.say("  " + TerminalText.escape("\(operation.operation) “\(operation.title)”"))
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
      Terminal.say("  " + TerminalText.escape(what))
    }
    if count > shown.count { Terminal.say("  … and \(count - shown.count) more (-v shows them)") }
    if let path = repair.quarantine {
      Terminal.say("\(count == 1 ? "It is" : "They are") kept in\n  \(TerminalText.escape(path))")
    }
    Terminal.say("")
  }

  /// What is left, by kind.
  private func words(left log: DiagnosticLog) -> String {
    log.counts.sorted { $0.key.id < $1.key.id }.map { "\($0.value) × \($0.key.id) \($0.key.name)" }
      .joined(separator: ", ")
  }
}
