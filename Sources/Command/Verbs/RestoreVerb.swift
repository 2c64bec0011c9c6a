import ArgumentParser
import FleetKit
import Foundation

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
      Of a folder of backups, 'latest' takes the newest one and --at the newest one at or before a time. If that one \
      is damaged, nothing is restored, and the newest sound one before it is named.

      EXAMPLES
        fleetkit restore nightly.fleetpack --to new.sqlite
        fleetkit restore latest backups/ --to new.sqlite
            the newest backup of a folder
        fleetkit restore backups/ --at 2026-11-20 --to new.sqlite
            as it was at the end of that day
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
    help: ArgumentHelp(
      "The backup, or - for one that comes through a pipe; or 'latest' and a folder; or a folder with --at.",
      valueName: "file"), completion: .file())
  var words: [String]

  @Option(
    name: .long,
    help: ArgumentHelp(
      "Of a folder, the newest backup at or before a time: 2026-11-20 (its end, local time), or 2026-11-20T18:00Z.",
      valueName: "time"))
  var at: String?

  @Option(name: .long, help: "Of a folder with backups of several libraries, those of the library of this name.")
  var library: String?

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
    let folders = words.filter { $0 != "latest" }
    if words == ["latest"], !FileManager.default.fileExists(atPath: "latest") {
      throw ValidationError("Name the folder of backups: restore latest DIR --to LIBRARY.")
    }
    if at != nil {
      guard words.count == 1 else { throw ValidationError("--at takes one folder of backups.") }
    } else if words.count > 1 {
      guard words.count == 2, folders.count == 1 else {
        throw ValidationError("Name one backup; or 'latest' and a folder of backups; or a folder and --at TIME.")
      }
    } else if library != nil {
      throw ValidationError("--library is for folders of backups: it goes with 'latest' or --at.")
    }
    if let at, BackupChoice.time(at) == nil {
      throw ValidationError("--at takes a day as 2026-11-20 or a time as 2026-11-20T18:00Z, not '\(at)'.")
    }
    guard (to == nil) != (into == nil) else {
      throw ValidationError(
        "Say where: --to LIBRARY for the whole library (--replace if it is there), or --into LIBRARY and a selector for "
          + "single records.")
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
    let pipe = words == ["-"] ? try PipedFile(reading: 0) : nil
    let choice = try choice()
    let chosen = try choice?.run()
    if let chosen, !output.quiet, !output.json {
      Terminal.say("The backup is \(TerminalText.escape(chosen.path)) of \(chosen.info.takenAt.wholeSeconds).")
    }
    let backup = chosen?.path ?? pipe?.path ?? words.first ?? ""
    // What is piped in lies in a folder that goes with its owner.
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

  /// How the backup is chosen from a folder; nil when it is named.
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
    let context = RunContext(dryRun: dryRun, now: RunContext.currentTime)
    let named = output.verbose ? 1000 : 10
    let (report, outline) = try job.runNaming(named, context: context)
    Progress.clear()
    try output.print(ImportReport(report, verb: "restore", into: library, dryRun: dryRun, outline: outline))
    throw ExitCode(report.summary.status.rawValue)
  }
}
