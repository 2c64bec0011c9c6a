import ArgumentParser
import FleetKit

/// `fleetkit restore`.
struct RestoreVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Give a library back from a backup, all of it or single records, with proof.",
    discussion: """
      --to puts the whole library back. It is put together in a temporary place first, every record is compared with \
      the backup's index, and only then it gets its name. A library that is there stays unless you say --replace; it \
      is backed up before it goes, and kept as it is when it is damaged.
      --into brings single records back into a library that stays: with their ids and their state of publication, over \
      what the library has of them now. What is written over is kept in <library>.fleetkit/backups.

      EXAMPLES
        fleetkit restore nightly.fleetpack --to new.sqlite
        fleetkit restore nightly.fleetpack --to anyfleet.sqlite --replace
        fleetkit restore nightly.fleetpack --into anyfleet.sqlite --title 'MOB*'
        fleetkit restore nightly.fleetpack --into anyfleet.sqlite --type execution \\
            --dry-run

      EXIT STATUS
        0  done
        3  some records were left out
        2  it, or a backup that it needs, is missing or cannot be read
        4  refused: a library is there
        5  something did not come back as it was
        6  it is newer than this FleetKit
        7  another program uses the library
      """)

  @Argument(
    help: ArgumentHelp("The backup; - for one that comes through a pipe.", valueName: "file"), completion: .file())
  var file: String

  @Option(
    name: .long, help: ArgumentHelp("The library that it becomes.", valueName: "library"), completion: .file())
  var to: String?

  @Option(
    name: .long, help: ArgumentHelp("A library that gets single records back.", valueName: "library"),
    completion: .file())
  var into: String?

  @Flag(name: .long, help: "With --to: replace a library that is there, after a backup of it.")
  var replace = false

  @Option(
    name: .long,
    help: "With --into, when the library has another version: replace (the backup's), keep, newest, merge, fail.",
    completion: .list(OnConflict.allCases.map(\.rawValue)))
  var onConflict: String?

  @Flag(name: .long, help: "Do everything except the last step: nothing is written.")
  var dryRun = false

  @OptionGroup(title: "Selecting records") var selectors: SelectorOptions
  @OptionGroup(title: "Output") var output: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    guard (to == nil) != (into == nil) else {
      throw ValidationError(
        "Say where: --to LIBRARY for the whole library, or --into LIBRARY and a selector for single records.")
    }
    if let onConflict, OnConflict(rawValue: onConflict) == nil {
      let words = OnConflict.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("--on-conflict takes \(words), not '\(onConflict)'.")
    }
    if to != nil {
      guard selectors.selection == nil else {
        throw ValidationError("--to restores everything. Single records go --into a library that is there.")
      }
      if onConflict != nil { throw ValidationError("--on-conflict belongs to --into.") }
    } else {
      if replace { throw ValidationError("--replace belongs to --to. With --into, --on-conflict says what wins.") }
      guard selectors.selection != nil else {
        throw ValidationError(
          "--into needs to know which records: --id, --title, --tag, --type or --path. "
            + "The whole library comes back with --to.")
      }
    }
  }

  func run() throws {
    let pipe = file == "-" ? try PipedFile(reading: 0) : nil
    let backup = pipe?.path ?? file
    // What is piped in lies in a folder that goes with its owner.
    try withExtendedLifetime(pipe) {
      if let into { return try restoreRecords(into, from: backup) }
      if let to { try restoreLibrary(to, from: backup) }
    }
  }

  // MARK: All of it

  private func restoreLibrary(_ library: String, from backup: String) throws {
    var restore = LibraryRestore(backup, to: library)
    restore.replaces = replace
    restore.dryRun = dryRun
    restore.onProgress = output.quiet ? nil : Progress("").steps
    let (info, isReplaced) = try restore.plan()
    if isReplaced, !dryRun {
      try Terminal.confirm(
        "Replace \(library) by the backup of \(info.name) of \(info.takenAt.wholeSeconds)? What is in it now is backed up first.",
        yes: confirmation.yes, doing: "restore to '\(library)'")
    }
    do {
      let report = try restore.run()
      Progress.clear()
      try output.print(RestoreReport(report, target: library, dryRun: dryRun))
    } catch let failure as RunFailure where failure.status == .mismatch {
      Progress.clear()
      if !output.json, !output.quiet {
        SummaryText.findings(restore.findings, verbose: output.verbose)
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
    let report = try job.run(context: RunContext(dryRun: dryRun, now: RunContext.currentTime))
    Progress.clear()
    try output.print(ImportReport(report, verb: "restore", into: library, dryRun: dryRun))
    throw ExitCode(report.summary.status.rawValue)
  }
}
