import FleetKit

/// The report of `restore --to`.
struct RestoreReport: Report {
  let command = "restore"
  let status = ExitStatus.success
  let target: String
  let dryRun, replaced: Bool
  let library: String
  let takenAt: Timestamp
  let chain: [String]
  let records, attachments, bytes: Int
  let saved: String?
  let wasDamaged: Bool
  let seconds: Seconds

  init(_ report: LibraryRestore.Report, target: String, dryRun: Bool) {
    (self.target, self.dryRun, replaced) = (target, dryRun, report.isReplaced)
    (library, takenAt, chain) = (report.info.name, report.info.takenAt, report.chain)
    (records, attachments, bytes) = (report.records, report.media, report.bytes)
    (saved, wasDamaged, seconds) = (report.saved, report.wasDamaged, Seconds(report.seconds))
  }

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    let name = TerminalEscaping.escape(target)
    let from = chain.count > 1 ? ", assembled from \(chain.count) backups" : ""
    Terminal.say(
      "\(TerminalEscaping.escape(library)) as of \(takenAt.wholeSeconds)\(from): "
        + "\(Plural.count(records, "record")) compared with the index, no differences.")
    if attachments > 0 {
      Terminal.say("Restored \(Plural.count(attachments, "attachment")).")
    }
    let time = Figures.duration(seconds.value)
    if dryRun {
      let what = replaced ? "replaced" : "created"
      return Terminal.say("Nothing was written (--dry-run); would have \(what) \(name), in \(time).")
    }
    Terminal.say("\(replaced ? "Replaced" : "Created") \(name), \(Figures.bytes(bytes)), in \(time).")
    if wasDamaged, let saved {
      Terminal.say(
        "The previous library was damaged; its files are kept unchanged in \(TerminalEscaping.escape(saved))")
    } else if let saved {
      Terminal.say("The previous library is kept in \(TerminalEscaping.escape(saved))")
    }
  }

}
