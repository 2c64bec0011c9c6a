import FleetKit

/// What a restore did, for people and as JSON.
enum RestoreText {
  static func print(_ report: LibraryRestore.Report, library: String, dryRun: Bool, _ output: OutputOptions) {
    if output.json { return Terminal.print(json(report, library: library, dryRun: dryRun)) }
    if output.quiet { return }
    let name = TerminalText.escape(library)
    let info = report.info
    let chain = report.chain.count > 1 ? ", put together from \(report.chain.count) backups" : ""
    Terminal.say(
      "\(TerminalText.escape(info.name)) as it was at \(info.takenAt.wholeSeconds)\(chain): "
        + "\(report.records) record\(report.records == 1 ? "" : "s") compared with the index, all the same.")
    if report.media > 0 {
      Terminal.say("\(report.media) attachment\(report.media == 1 ? "" : "s") came back beside it.")
    }
    let time = Figures.duration(report.seconds)
    if dryRun {
      let what = report.isReplaced ? "replaced" : "made"
      return Terminal.say("Nothing was written (--dry-run); \(name) would have been \(what), in \(time).")
    }
    Terminal.say("\(report.isReplaced ? "Replaced" : "Made") \(name), \(Figures.bytes(report.bytes)), in \(time).")
    if report.wasDamaged, let saved = report.saved {
      Terminal.say(
        "What was there before was damaged; its files are kept as they were in \(TerminalText.escape(saved))")
    } else if let saved = report.saved {
      Terminal.say("What was there before is kept in \(TerminalText.escape(saved))")
    }
  }

  private static func json(_ report: LibraryRestore.Report, library: String, dryRun: Bool) -> String {
    var json = JSONBuilder()
    json.object { json in
      json.string("command", "restore")
      json.number("status", 0)
      json.string("target", library)
      json.bool("dry_run", dryRun)
      json.bool("replaced", report.isReplaced)
      json.string("library", report.info.name)
      json.string("taken_at", report.info.takenAt.iso8601)
      json.array("chain") { json in
        for path in report.chain { json.string(nil, path) }
      }
      json.number("records", report.records)
      json.number("attachments", report.media)
      json.number("bytes", report.bytes)
      json.string("saved", report.saved)
      json.bool("was_damaged", report.wasDamaged)
      json.number("seconds", (report.seconds * 1000).rounded() / 1000)
    }
    return json.result
  }
}
