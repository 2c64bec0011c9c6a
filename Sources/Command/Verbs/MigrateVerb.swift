import ArgumentParser
import FleetKit
import SQLiteLibrary

/// `fleetkit migrate`.
struct MigrateVerb: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "migrate",
    abstract: "Bring a library to today's schema, with a backup and with proof; or take that back.",
    discussion: """
      First says what will change, table by table. Then backs the library up, upgrades a copy, compares every value \
      of every row, and only then writes the result into the library, all at once. Creation dates, pins, ticks and \
      notes stay; nothing becomes public. --undo gives the library back as it was.

      EXAMPLES
        fleetkit migrate anyfleet.sqlite --dry-run        what would change
        fleetkit migrate anyfleet.sqlite                  ask, then do it
        fleetkit migrate anyfleet.sqlite -o new.sqlite    leave the original alone
        fleetkit migrate anyfleet.sqlite --undo           give it back as it was
        fleetkit migrate new.sqlite -o old.sqlite --schema-version 1.4.0    for an older app
      """)

  @Argument(help: "The app's SQLite file.", completion: .file())
  var library: String

  @Option(
    name: .shortAndLong, help: "Write the result into a new file; the library itself is only read.", completion: .file()
  )
  var output: String?

  @Flag(name: .long, help: "Say what would change; change nothing.")
  var dryRun = false

  @Flag(name: .long, help: "Give the library back as it was before its last migration.")
  var undo = false

  @Flag(name: .long, help: "With --undo: even if the library was changed since (a backup of that is kept).")
  var discardChanges = false

  @Option(name: .long, help: "With -o: write this older schema for an older app; what it cannot hold is listed.")
  var schemaVersion: String?

  @Flag(name: .long, help: "Write nothing if anything would be lost (exit 4).")
  var noLoss = false

  @OptionGroup(title: "Output") var outputOptions: OutputOptions

  func validate() throws {
    if undo, output != nil || dryRun || schemaVersion != nil {
      throw ValidationError("--undo takes neither -o, --dry-run nor --schema-version.")
    }
    if discardChanges, !undo { throw ValidationError("--discard-changes belongs to --undo.") }
    guard let schemaVersion, schemaVersion != SQLiteLibraryFormat.schemaVersions.last else { return }
    guard SQLiteLibraryFormat.schemaVersions.contains(schemaVersion) else {
      throw ValidationError(
        "--schema-version \(schemaVersion): versions are \(SQLiteLibraryFormat.schemaVersions.joined(separator: ", "))."
      )
    }
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
    let plan = try migration.plan(checkingPages: dryRun)
    if plan.isEmpty, output == nil {
      if outputOptions.json { Terminal.print(MigrationText.json(plan, library: library, dryRun: dryRun)) }
      if !outputOptions.quiet, !outputOptions.json {
        Terminal.say("\(TerminalText.escape(library)) has today's schema, v\(plan.to), already: nothing to do.")
      }
      return
    }
    if !outputOptions.quiet, !outputOptions.json { MigrationText.plan(plan, library: library) }
    if dryRun {
      if outputOptions.json { Terminal.print(MigrationText.json(plan, library: library, dryRun: true)) }
      if !outputOptions.quiet, !outputOptions.json { Terminal.say("Nothing was changed (--dry-run).") }
      if !plan.problems.isEmpty { throw ExitCode(ExitStatus.refused.rawValue) }
      return
    }
    if plan.problems.isEmpty, output == nil {
      try Terminal.confirm("Migrate \(library)?", yes: outputOptions.yes, doing: "migrate '\(library)'")
    }
    let report = try migration.run(plan)
    Progress.clear()
    if outputOptions.json {
      Terminal.print(MigrationText.json(plan, library: library, dryRun: false, report: report))
    } else if !outputOptions.quiet {
      MigrationText.done(report, library: library)
    }
  }

  private func runUndo() throws {
    try Terminal.confirm(
      "Give \(library) back as it was before its last migration?", yes: outputOptions.yes,
      doing: "undo the migration of '\(library)'")
    var undo = MigrationUndo(library)
    undo.discardsChanges = discardChanges
    undo.onProgress = outputOptions.quiet ? nil : Progress("").steps
    let report = try undo.run()
    Progress.clear()
    if outputOptions.json {
      var json = JSONBuilder()
      json.object { json in
        json.string("command", "migrate")
        json.number("status", 0)
        json.string("library", library)
        json.bool("undone", true)
        json.string("schema_version", report.version)
        json.string("backup", report.backup)
        json.string("saved", report.saved)
      }
      Terminal.print(json.result)
    } else if !outputOptions.quiet {
      Terminal.say("\(TerminalText.escape(library)) is as it was, schema v\(report.version).")
      Terminal.say("What it was until now is kept in \(TerminalText.escape(report.saved)).")
    }
  }

  /// An older schema is written record by record, because it cannot hold everything.
  private func writeOlder(_ version: String) throws {
    guard let output else { return }
    var conversion = Conversion(
      sources: try SourceList([library], format: "sqlite"), target: Target(output, schemaVersion: version))
    conversion.targetFormat = "sqlite"
    conversion.onProgress = outputOptions.quiet ? nil : Progress("Migrating").callback
    let context = RunContext(noLoss: noLoss, dryRun: dryRun, now: RunContext.currentTime)
    let summary = try conversion.run(context: context)
    Progress.clear()
    Transfer.report(summary, verb: "migrate", to: output, dryRun: dryRun, output: outputOptions)
    throw ExitCode(summary.status.rawValue)
  }
}
