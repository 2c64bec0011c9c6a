import ArgumentParser
import FleetKit
import SQLiteLibrary

/// `fleetkit migrate`.
struct MigrateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Migrate a library to the current schema, with a backup and a check, or undo a migration.",
    discussion: """
      First lists the changes to charters, checklists, guides and ticks; -v also lists tables and columns. Then makes \
      a backup, upgrades a copy, compares every value of every row, and only then writes the result into the library, \
      in one transaction. Creation dates, pins, ticks and notes are kept; nothing becomes public. Rows that the app \
      could not read before are counted, but repaired only with --repair. --undo restores the library as it was.

      EXAMPLES
        fleetkit migrate anyfleet.sqlite --dry-run
            show what would change
        fleetkit migrate anyfleet.sqlite
            migrate after confirmation
        fleetkit migrate anyfleet.sqlite -o new.sqlite
            write a new file, leave the original unchanged
        fleetkit migrate anyfleet.sqlite --repair
            also repair content that the app cannot read
        fleetkit migrate anyfleet.sqlite --undo
            undo the last migration
        fleetkit migrate new.sqlite -o old.sqlite --schema-version 1.4.0
            write a library for an older app
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(
    name: .shortAndLong, help: "Write the result to a new file; do not change the library.", completion: .file()
  )
  var output: String?

  @Flag(name: .long, help: "Show what would change; change nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Also repair content that the app cannot read, like 'doctor --repair'.")
  var repair = false

  @Flag(name: .long, help: "Undo the last migration of the library.")
  var undo = false

  @Flag(name: .long, help: "With --undo: undo even if the library was changed since (a backup of it is kept).")
  var discardChanges = false

  @Option(name: .long, help: "With -o: write this older schema; values that it cannot hold are listed.")
  var schemaVersion: String?

  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @OptionGroup(title: "Output") var outputOptions: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if undo, output != nil || dryRun || repair || schemaVersion != nil {
      throw ValidationError("--undo cannot be used with -o, --dry-run, --repair or --schema-version.")
    }
    if discardChanges, !undo { throw ValidationError("--discard-changes requires --undo.") }
    guard let schemaVersion, schemaVersion != SQLiteLibraryFormat.schemaVersions.last else { return }
    guard SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) else {
      throw ValidationError(
        "--schema-version \(schemaVersion): unknown version; the versions are "
          + "\(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
    if repair { throw ValidationError("--repair cannot be used with --schema-version, which always repairs.") }
    if output == nil {
      throw ValidationError("--schema-version \(schemaVersion) requires -o: a library is never downgraded in place.")
    }
  }

  func run() throws {
    if undo { return try runUndo() }
    if let schemaVersion, schemaVersion != SQLiteLibraryFormat.schemaVersions.last {
      return try writeOlder(schemaVersion)
    }
    var migration = LibraryMigration(library)
    migration.output = output
    let progress = outputOptions.quiet ? nil : Progress("").steps
    migration.onProgress = progress
    var plan = try migration.plan(checkingPages: dryRun)
    let before = try examine(library)
    if plan.isEmpty, output == nil, !(repair && before.repairable > 0) {
      if outputOptions.json { try print(MigrationReport(plan, library: library, dryRun: dryRun)) }
      if !outputOptions.quiet, !outputOptions.json {
        Terminal.say("\(TerminalEscaping.escape(library)) already has the current schema, v\(plan.to); nothing to do.")
        MigrationRenderer.problems(before: before, after: before, in: library)
      }
      return
    }
    let isSilent = outputOptions.quiet || outputOptions.json
    if !isSilent {
      MigrationRenderer.plan(
        plan, library: library, repairs: repair && output == nil, verbose: outputOptions.verbose)
      MigrationRenderer.problems(before, repairs: repair)
    }
    if dryRun {
      if outputOptions.json { try print(MigrationReport(plan, library: library, dryRun: true, before: before)) }
      if !outputOptions.quiet, !outputOptions.json { Terminal.say("Nothing was changed (--dry-run).") }
      if !plan.problems.isEmpty, !repair || output != nil { throw ExitCode(ExitStatus.refused.rawValue) }
      return
    }
    let repairsFirst = repair && output == nil
    if plan.problems.isEmpty || repairsFirst, output == nil {
      try Terminal.confirm(
        repair ? "Repair and migrate \(library)?" : "Migrate \(library)?", yes: confirmation.yes,
        doing: "migrate '\(library)'")
    }
    var repaired: LibraryDoctor.Repair?
    if repairsFirst {
      // Undoing the migration restores the repaired library.
      repaired = try runRepair(library, isSilent)
      plan = try migration.plan(checkingPages: false)
    }
    let report = plan.isEmpty && output == nil ? nil : try migration.run(plan)
    Progress.clear()
    if let report, !isSilent { MigrationRenderer.done(report, library: library) }
    if let output, repair { repaired = try runRepair(output, isSilent) }
    let after = try examine(output ?? library)
    let partsLost = (repaired?.partsLost ?? 0) + (after.findings.counts[.partLost] ?? 0)
    let status: ExitStatus = partsLost > 0 ? .partial : .success
    if outputOptions.json {
      try print(
        MigrationReport(
          plan, library: library, dryRun: false, report: report, before: before, after: after, repaired: repaired,
          status: status))
      // A program reads the report, so standard error names the reason for status 3.
      if let lost = SummaryRenderer.partsLost(partsLost), !outputOptions.quiet { Terminal.say(lost) }
    } else if !isSilent {
      MigrationRenderer.problems(before: before, after: after, in: output ?? library)
    }
    throw ExitCode(status.rawValue)
  }

  private func print(_ report: MigrationReport) throws { Terminal.print(try ReportEncoder.encode(report)) }

  private func examine(_ path: String) throws -> LibraryDoctor.Checkup {
    var doctor = LibraryDoctor(path)
    doctor.onProgress = outputOptions.quiet ? nil : Progress("").steps
    defer { Progress.clear() }
    return try doctor.examine()
  }

  private func runRepair(_ path: String, _ isSilent: Bool) throws -> LibraryDoctor.Repair {
    var doctor = LibraryDoctor(path)
    doctor.onProgress = outputOptions.quiet ? nil : Progress("").steps
    let repaired = try doctor.repair(now: RunContext.currentTime)
    Progress.clear()
    if !isSilent {
      RepairReport(repaired, library: path, dryRun: false).render(outputOptions)
      Terminal.say("")
    }
    return repaired
  }

  private func runUndo() throws {
    try Terminal.confirm(
      "Undo the last migration of \(library)?", yes: confirmation.yes,
      doing: "undo the migration of '\(library)'")
    var undo = MigrationUndo(library)
    undo.discardsChanges = discardChanges
    undo.onProgress = outputOptions.quiet ? nil : Progress("").steps
    let report = try undo.run()
    Progress.clear()
    try outputOptions.print(
      MigrationUndoReport(
        library: library, schemaVersion: report.version, backup: report.backup, saved: report.saved))
  }

  /// Writes a library with an older schema, record by record, because an older schema cannot hold everything.
  private func writeOlder(_ version: String) throws {
    guard let output else { return }
    var conversion = Conversion(
      sources: try SourceList([library], format: .library), target: Target(output, schemaVersion: version))
    conversion.targetFormat = .library
    conversion.onProgress = outputOptions.quiet ? nil : Progress("Migrating").callback
    let context = RunContext(noLoss: noLoss, dryRun: dryRun, now: RunContext.currentTime)
    let summary = try conversion.run(context: context)
    Progress.clear()
    try TransferReport(summary, command: "migrate", target: output, dryRun: dryRun).print(outputOptions)
    throw ExitCode(summary.status.rawValue)
  }
}
