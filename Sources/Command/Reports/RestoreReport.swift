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
    let name = TerminalText.escape(target)
    let from = chain.count > 1 ? ", put together from \(chain.count) backups" : ""
    Terminal.say(
      "\(TerminalText.escape(library)) as it was at \(takenAt.wholeSeconds)\(from): "
        + "\(Plural.count(records, "record")) compared with the index, all the same.")
    if attachments > 0 {
      Terminal.say("\(Plural.count(attachments, "attachment")) came back beside it.")
    }
    let time = Figures.duration(seconds.value)
    if dryRun {
      let what = replaced ? "replaced" : "made"
      return Terminal.say("Nothing was written (--dry-run); \(name) would have been \(what), in \(time).")
    }
    Terminal.say("\(replaced ? "Replaced" : "Made") \(name), \(Figures.bytes(bytes)), in \(time).")
    if wasDamaged, let saved {
      Terminal.say(
        "What was there before was damaged; its files are kept as they were in \(TerminalText.escape(saved))")
    } else if let saved {
      Terminal.say("What was there before is kept in \(TerminalText.escape(saved))")
    }
  }

}
