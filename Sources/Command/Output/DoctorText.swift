import FleetKit

/// What `doctor` says.
enum DoctorText {
  /// Records that are named without -v.
  private static let shownRecords = 10

  /// What is wrong, and what comes next.
  static func checkup(_ checkup: LibraryDoctor.Checkup, library: String, verbose: Bool) {
    let name = TerminalText.escape(library)
    if verbose { SummaryText.findings(checkup.findings, verbose: true) } else { groups(checkup.findings) }
    if checkup.repairable > 0 {
      guard !checkup.isNewer else {
        return Terminal.say("A newer app wrote \(name): update FleetKit before it is repaired.")
      }
      let all = checkup.repairable == checkup.findings.total
      Terminal.say(
        "\(counted(checkup.repairable, "finding")) can be repaired\(all ? "" : ", the others cannot or need not"). "
          + "A backup is made first:")
      Terminal.say("  fleetkit doctor \(TerminalText.shellQuoted(library)) --repair")
    } else if checkup.findings.total == 0 {
      Terminal.say("\(name) is sound\(version(checkup)): nothing to report.")
    } else {
      Terminal.say("\(name)\(version(checkup)) needs no repair.")
    }
  }

  /// One finding of each kind in full, the worst kinds first, the others counted.
  private static func groups(_ log: DiagnosticLog) {
    let renderer = TextRenderer(colour: Terminal.usesColour)
    var firsts: [DiagnosticCode: Diagnostic] = [:]
    for finding in log.kept where finding.severity > (firsts[finding.code]?.severity ?? .note) {
      firsts[finding.code] = finding
    }
    let order = firsts.values.sorted {
      ($1.severity.rawValue, $0.code.id) < ($0.severity.rawValue, $1.code.id)
    }
    for first in order {
      let more = (log.counts[first.code] ?? 1) - 1
      Terminal.say(renderer.render(first) + (more > 0 ? "   … and \(more) more of \(first.code.id)\n" : ""))
    }
    guard log.total > 0 else { return }
    Terminal.say("Findings: \(renderer.summary(of: log, shown: log.total)) (-v shows every one in full)\n")
  }

  private static func version(_ checkup: LibraryDoctor.Checkup) -> String {
    checkup.version.map { ", schema v\($0)" } ?? ""
  }

  /// What was repaired, or would be.
  static func repair(_ repair: LibraryDoctor.Repair, library: String, dryRun: Bool, verbose: Bool) {
    let name = TerminalText.escape(library)
    if repair.isEmpty {
      if verbose { SummaryText.findings(repair.left, verbose: true) } else { groups(repair.left) }
      return Terminal.say("Nothing to repair in \(name); it is as it was.")
    }
    var table = Table(["code", "what was found", dryRun ? "to repair" : "repaired"], rightAligned: [2])
    for (code, count) in repair.settled.sorted(by: { $0.key.id < $1.key.id }) {
      table.add([code.id, code.summary, "\(count)"])
    }
    for line in table.lines(width: 120) { Terminal.say(line) }
    Terminal.say("")
    quarantine(repair, dryRun: dryRun, verbose: verbose)
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
      Terminal.say("\(dryRun ? "Would be left" : "Left"): " + left(repair.left))
      if verbose { SummaryText.findings(repair.left, verbose: true) } else { Terminal.say("") }
    }
    if repair.partsLost > 0 {
      let lost = counted(repair.partsLost, "part")
      Terminal.say(
        "\(lost) of damaged texts \(repair.partsLost == 1 ? "is" : "are") lost (LIB0110, -v shows "
          + "\(repair.partsLost == 1 ? "it" : "them")); the rest of them \(dryRun ? "would be" : "was") recovered.")
      if verbose {
        SummaryText.findings(repair.before.findings.only(.partLost), verbose: true)
      } else {
        Terminal.say("")
      }
    }
    sending(repair, dryRun: dryRun)
    let sum = counted(repair.before.repairable, "finding")
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
  private static func sending(_ repair: LibraryDoctor.Repair, dryRun: Bool) {
    guard !repair.sending.isEmpty else { return }
    let count = counted(repair.sending.count, "operation")
    let waits = repair.sending.count == 1 ? "waits" : "wait"
    Terminal.say(
      "\(count) of the queue \(dryRun ? "would wait" : waits) to be sent; the app sends them when it starts:")
    for operation in repair.sending.prefix(shownRecords) {
      Terminal.say("  " + TerminalText.escape("\(operation.operation) “\(operation.title)”"))
    }
    if repair.sending.count > shownRecords { Terminal.say("  … and \(repair.sending.count - shownRecords) more") }
    Terminal.say("")
  }

  private static func quarantine(_ repair: LibraryDoctor.Repair, dryRun: Bool, verbose: Bool) {
    guard !repair.quarantined.isEmpty else { return }
    let count = repair.quarantined.count
    let what = count == 1 ? "1 record, or a part of it," : "\(count) records, or parts of them,"
    Terminal.say(dryRun ? "\(what) would move to quarantine:" : "\(what) moved to quarantine:")
    let shown = verbose ? repair.quarantined : Array(repair.quarantined.prefix(shownRecords))
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
  private static func left(_ log: DiagnosticLog) -> String {
    log.counts.sorted { $0.key.id < $1.key.id }.map { "\($0.value) × \($0.key.id) \($0.key.name)" }
      .joined(separator: ", ")
  }

  private static func counted(_ number: Int, _ word: String) -> String {
    "\(number) \(word)\(number == 1 ? "" : "s")"
  }

  // MARK: JSON

  /// What is wrong, as JSON.
  static func json(_ checkup: LibraryDoctor.Checkup, library: String, status: ExitStatus) -> String {
    var json = JSONBuilder()
    json.object { json in
      head(&json, checkup, library, status)
      SummaryJSON.findings(&json, checkup.findings)
    }
    return json.result
  }

  /// What was repaired, as JSON.
  static func json(
    _ repair: LibraryDoctor.Repair, library: String, dryRun: Bool, status: ExitStatus
  ) -> String {
    var json = JSONBuilder()
    json.object { json in
      head(&json, repair.before, library, status)
      json.bool("dry_run", dryRun)
      json.bool("repaired", !repair.isEmpty && !dryRun)
      SummaryJSON.findings(&json, repair.before.findings)
      json.object("settled") { json in
        for (code, count) in repair.settled.sorted(by: { $0.key.id < $1.key.id }) { json.number(code.id, count) }
      }
      json.array("quarantined") { json in for record in repair.quarantined { self.record(&json, record) } }
      json.string("quarantine", repair.quarantine)
      json.array("shortened") { json in for record in repair.shortened { self.record(&json, record) } }
      json.string("originals", repair.originals)
      if let texts = repair.originalTexts { json.string("original_texts", texts) }
      json.object("left") { json in SummaryJSON.findings(&json, repair.left) }
      json.string("backup", repair.backup)
      json.array("sending") { json in
        for operation in repair.sending {
          json.object { json in
            json.string("operation", operation.operation)
            json.string("title", operation.title)
          }
        }
      }
    }
    return json.result
  }

  private static func head(
    _ json: inout JSONBuilder, _ checkup: LibraryDoctor.Checkup, _ library: String, _ status: ExitStatus
  ) {
    json.string("command", "doctor")
    json.number("status", Int(status.rawValue))
    json.string("library", library)
    json.string("schema_version", checkup.version)
    json.bool("newer", checkup.isNewer)
    json.number("repairable", checkup.repairable)
  }

  private static func record(_ json: inout JSONBuilder, _ record: LibraryDoctor.KeptRecord) {
    json.object { json in
      json.string("kind", record.kind.name)
      json.string("id", record.id)
      json.string("title", record.title)
      if let reason = record.reason { json.string("reason", reason) }
    }
  }
}
