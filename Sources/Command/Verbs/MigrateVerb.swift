import ArgumentParser
import FleetKit
import SQLiteLibrary

/// `fleetkit migrate`.
struct MigrateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a library to today's schema, with a backup and with proof; or take that back.",
    discussion: """
      First lists what becomes of charters, checklists, guides and ticks; -v lists tables and columns, too. Then backs the library up, upgrades a copy, compares every value \
      of every row, and only then writes the result into the library, all at once. Creation dates, pins, ticks and \
      notes stay; nothing becomes public. Rows that the app could not read before are not repaired, but counted; \
      --repair repairs them, too. --undo gives the library back as it was.

      EXAMPLES
        fleetkit migrate anyfleet.sqlite --dry-run
            what would change
        fleetkit migrate anyfleet.sqlite
            ask, then do it
        fleetkit migrate anyfleet.sqlite -o new.sqlite
            leave the original alone
        fleetkit migrate anyfleet.sqlite --repair
            repair what the app cannot read, too
        fleetkit migrate anyfleet.sqlite --undo
            give it back as it was
        fleetkit migrate new.sqlite -o old.sqlite --schema-version 1.4.0
            for an older app
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(
    name: .shortAndLong, help: "Write the result into a new file; the library itself is only read.", completion: .file()
  )
  var output: String?

  @Flag(name: .long, help: "Say what would change; change nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Also repair what the app cannot read, as 'doctor --repair' does.")
  var repair = false

  @Flag(name: .long, help: "Give the library back as it was before its last migration.")
  var undo = false

  @Flag(name: .long, help: "With --undo: even if the library was changed since (a backup of that is kept).")
  var discardChanges = false

  @Option(name: .long, help: "With -o: write this older schema for an older app; what it cannot hold is listed.")
  var schemaVersion: String?

  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @OptionGroup(title: "Output") var outputOptions: OutputOptions
  @OptionGroup(title: "Output") var confirmation: ConfirmationOptions

  func validate() throws {
    if undo, output != nil || dryRun || repair || schemaVersion != nil {
      throw ValidationError("--undo takes neither -o, --dry-run, --repair nor --schema-version.")
    }
    if discardChanges, !undo { throw ValidationError("--discard-changes belongs to --undo.") }
    guard let schemaVersion, schemaVersion != SQLiteLibraryFormat.schemaVersions.last else { return }
    guard SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) else {
      throw ValidationError(
        "--schema-version \(schemaVersion): versions are \(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
    if repair { throw ValidationError("--schema-version \(schemaVersion) repairs what it writes; leave out --repair.") }
    if output == nil {
      throw ValidationError("--schema-version \(schemaVersion) needs -o: a library is never taken back in place.")
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
        Terminal.say("\(TerminalText.escape(library)) has today's schema, v\(plan.to), already: nothing to do.")
        MigrationText.problems(before: before, after: before, in: library)
      }
      return
    }
    let isSilent = outputOptions.quiet || outputOptions.json
    if !isSilent {
      MigrationText.plan(
        plan, library: library, repairs: repair && output == nil, verbose: outputOptions.verbose)
      MigrationText.problems(before, repairs: repair)
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
      // What the migration takes back is the repaired library.
      repaired = try runRepair(library, isSilent)
      plan = try migration.plan(checkingPages: false)
    }
    let report = plan.isEmpty && output == nil ? nil : try migration.run(plan)
    Progress.clear()
    if let report, !isSilent { MigrationText.done(report, library: library) }
    if let output, repair { repaired = try runRepair(output, isSilent) }
    let after = try examine(output ?? library)
    let partsLost = (repaired?.partsLost ?? 0) + (after.findings.counts[.partLost] ?? 0)
    let status: ExitStatus = partsLost > 0 ? .partial : .success
    if outputOptions.json {
      try print(
        MigrationReport(
          plan, library: library, dryRun: false, report: report, before: before, after: after, repaired: repaired,
          status: status))
      // The report goes to a program; standard error gives the reason for the status 3.
      if let lost = SummaryText.partsLost(partsLost), !outputOptions.quiet { Terminal.say(lost) }
    } else if !isSilent {
      MigrationText.problems(before: before, after: after, in: output ?? library)
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
      "Give \(library) back as it was before its last migration?", yes: confirmation.yes,
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

  /// An older schema is written record by record, because it cannot hold everything.
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
