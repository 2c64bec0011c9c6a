import ArgumentParser
import FleetKit
import Foundation

/// `fleetkit restore`.
struct RestoreVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Restore a library or single records from a backup, and check the result.",
    discussion: """
      --to restores the whole library. It is assembled in a temporary folder, every record is compared with the \
      backup's index, and only then does the library get its name. An existing library is replaced only with \
      --replace, after a backup of it; if it is damaged, its files are kept unchanged.
      --into restores single records into an existing library, with their ids and their publication state. They \
      replace the current versions, which are kept in <library>.fleetkit/backups.
      From a folder of backups, 'latest' selects the newest one, and --at selects the newest one at \
      or before a time. If that backup is damaged, nothing is restored; the message names the newest sound backup \
      before it.

      EXAMPLES
        fleetkit restore nightly.fleetpack --to new.sqlite
        fleetkit restore latest backups/ --to new.sqlite
            the newest backup in a folder
        fleetkit restore backups/ --at 2026-11-20 --to new.sqlite
            the state at the end of that day
        fleetkit restore nightly.fleetpack --to anyfleet.sqlite --replace
        fleetkit restore nightly.fleetpack --into anyfleet.sqlite --title 'MOB*'
        fleetkit restore nightly.fleetpack --into anyfleet.sqlite --type execution \\
            --dry-run

      EXIT STATUS
        0  done
        3  some records were left out
        2  the backup, or one that it needs, is missing or cannot be read
        4  refused: the library exists
        5  the restored data does not match the backup
        6  the backup needs a newer FleetKit
        7  the library is locked by another program
      """)

  @Argument(
    help: ArgumentHelp(
      "The backup, or - for standard input; or 'latest' and a folder; or a folder with --at.",
      valueName: "file"), completion: .file())
  var words: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "From a folder, the newest backup at or before a time: 2026-11-20 (end of day, local time) or 2026-11-20T18:00Z.",
      valueName: "time"))
  var at: String?

  @Option(name: .long, help: "If a folder has backups of several libraries, use those of the library with this name.")
  var library: String?

  @Option(
    name: .long, help: ArgumentHelp("Restore the whole library here.", valueName: "library"), completion: .file())
  var to: String?

  @Option(
    name: .long, help: ArgumentHelp("Restore single records into this library.", valueName: "library"),
    completion: .file())
  var into: String?

  @Flag(name: .long, help: "With --to: replace an existing library, after a backup of it.")
  var replace = false

  @Option(
    name: .long,
    help: "With --into, if the library has another version: replace (with the backup's), keep, newest, merge, fail.",
    completion: .list(OnConflict.allCases.map(\.rawValue)))
  var onConflict: String?

  @Flag(name: .long, help: "Do everything except the final write; nothing is changed.")
  var dryRun = false

  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    let folders = words.filter { $0 != "latest" }
    if words == ["latest"], !FileManager.default.fileExists(atPath: "latest") {
      throw ValidationError("'latest' requires a folder of backups: restore latest DIR --to LIBRARY.")
    }
    if at != nil {
      guard words.count == 1 else { throw ValidationError("--at requires one folder of backups.") }
    } else if words.count > 1 {
      guard words.count == 2, folders.count == 1 else {
        throw ValidationError("Give one backup, or 'latest' and a folder of backups, or a folder and --at TIME.")
      }
    } else if library != nil {
      throw ValidationError("--library requires 'latest' or --at.")
    }
    if let at, BackupChoice.time(at) == nil {
      throw ValidationError("--at must be a day such as 2026-11-20 or a time such as 2026-11-20T18:00Z, not '\(at)'.")
    }
    guard (to == nil) != (into == nil) else {
      throw ValidationError(
        "Give a target: --to LIBRARY for the whole library (with --replace if it exists), or --into LIBRARY and a "
          + "selector for single records.")
    }
    if let onConflict, OnConflict(rawValue: onConflict) == nil {
      let words = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--on-conflict must be \(words), not '\(onConflict)'.")
    }
    if to != nil {
      guard selectors.selection == nil else {
        throw ValidationError(
          "Selectors cannot be used with --to, which restores everything; use --into LIBRARY for single records.")
      }
      if onConflict != nil { throw ValidationError("--on-conflict requires --into.") }
    } else {
      if replace { throw ValidationError("--replace requires --to. With --into, use --on-conflict.") }
      guard selectors.selection != nil else {
        throw ValidationError(
          "--into requires a selector: --id, --title, --tag, --type or --path. "
            + "To restore the whole library, use --to.")
      }
    }
  }

  func run() throws {
    let pipe = words == ["-"] ? try PipedFile(reading: 0) : nil
    let choice = try choice()
    let chosen = try choice?.run()
    if let chosen, !output.quiet, !output.json {
      Terminal.report("Using backup \(TerminalEscaping.escape(chosen.path)) of \(chosen.info.takenAt.wholeSeconds).")
    }
    let backup = chosen?.path ?? pipe?.path ?? words.first ?? ""
    // The pipe's temporary folder is deleted with the object.
    try withExtendedLifetime(pipe) {
      do {
        if let into { return try restoreRecords(into, from: backup) }
        if let to { try restoreLibrary(to, from: backup) }
      } catch let failure as RunFailure where failure.status == .mismatch {
        guard let choice, let chosen else { throw failure }
        throw RunFailure(failure.status, failure.message, advice: BackupChoice.advice(try choice.sound(before: chosen)))
      }
    }
  }

  /// Returns how the backup is chosen from a folder; nil if the backup itself is named.
  private func choice() throws -> BackupChoice? {
    let moment: BackupChoice.Moment
    if let at {
      guard let time = BackupChoice.time(at) else { return nil }
      moment = .at(time)
    } else {
      guard words.count == 2 else { return nil }
      moment = .latest
    }
    let folder = words.first { $0 != "latest" } ?? words[0]
    var choice = BackupChoice(folder, moment)
    choice.library = library
    return choice
  }

  // MARK: Whole library

  private func restoreLibrary(_ library: String, from backup: String) throws {
    var restore = LibraryRestore(backup, to: library)
    restore.replaces = replace
    restore.dryRun = dryRun
    restore.onProgress = output.quiet ? nil : Progress("").steps
    let (info, isReplaced) = try restore.plan()
    if isReplaced, !dryRun {
      try Terminal.confirm(
        "Replace \(library) with the backup of \(info.name) of \(info.takenAt.wholeSeconds)? The current library is "
          + "backed up first.",
        yes: confirmation.yes, doing: "restore to '\(library)'")
    }
    do {
      let report = try restore.run()
      Progress.clear()
      try output.print(RestoreReport(report, target: library, dryRun: dryRun))
    } catch let failure as RunFailure where failure.status == .mismatch {
      Progress.clear()
      if !output.json, !output.quiet {
        SummaryRenderer.findings(restore.findings, verbose: output.verbose)
      }
      throw failure
    }
  }

  // MARK: Single records

  private func restoreRecords(_ library: String, from backup: String) throws {
    var job = try BackupImport(backup, into: library).job
    job.onConflict = onConflict.flatMap(OnConflict.init(rawValue:)) ?? .replace
    job.selection = selectors.selection
    job.onProgress = output.quiet ? nil : Progress("Restoring").callback
    let context = RunContext(dryRun: dryRun, now: RunContext.currentTime)
    let named = output.verbose ? 1000 : 10
    let (report, outline) = try job.runNaming(named, context: context)
    Progress.clear()
    try output.print(ImportReport(report, verb: "restore", into: library, dryRun: dryRun, outline: outline))
    throw ExitCode(report.summary.status.rawValue)
  }
}

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
    Terminal.report(
      "\(TerminalEscaping.escape(library)) as of \(takenAt.wholeSeconds)\(from): "
        + "\(Plural.count(records, "record")) compared with the index, no differences.")
    if attachments > 0 {
      Terminal.report("Restored \(Plural.count(attachments, "attachment")).")
    }
    let time = Figures.duration(seconds.value)
    if dryRun {
      let what = replaced ? "replaced" : "created"
      return Terminal.report("Nothing was written (--dry-run); \(name) would be \(what). Checked in \(time).")
    }
    Terminal.report("\(replaced ? "Replaced" : "Created") \(name), \(Figures.bytes(bytes)), in \(time).")
    if wasDamaged, let saved {
      Terminal.report(
        "The previous library was damaged; its files are kept unchanged in \(TerminalEscaping.escape(saved))")
    } else if let saved {
      Terminal.report("The previous library is kept in \(TerminalEscaping.escape(saved))")
    }
  }

}
