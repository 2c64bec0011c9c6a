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
        Terminal.report(
          "\(TerminalEscaping.escape(library)) already has the current schema, v\(plan.to); nothing to do.")
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
      if !outputOptions.quiet, !outputOptions.json { Terminal.report("Nothing was changed (--dry-run).") }
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
      if let lost = SummaryRenderer.partsLost(partsLost), !outputOptions.quiet { Terminal.report(lost) }
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
      Terminal.report("")
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

/// Renders a migration's plan and its result.
enum MigrationRenderer {
  /// Prints the plan: how charters, checklists, guides and ticks change.
  /// - Parameters:
  ///   - repairs: whether the library is repaired before it is migrated.
  ///   - verbose: whether tables and columns are listed.
  static func plan(_ plan: MigrationPlan, library: String, repairs: Bool = false, verbose: Bool = false) {
    let name = TerminalEscaping.escape(library)
    let from = plan.from.map { "version \($0) of the app's data" } ?? "no recorded data version"
    let steps = plan.steps.count
    Terminal.report(
      "\(name) has \(from); it will be migrated to version \(plan.to) in \(steps) step\(steps == 1 ? "" : "s").\n")
    for change in plan.tables { Terminal.report("  " + sentence(change)) }
    if verbose {
      var table = Table(["table", "rows", "what changes"], rightAligned: [1])
      for change in plan.tables {
        table.add([change.table, change.isNew ? "–" : "\(change.rows)", words(change)])
      }
      Terminal.report("")
      for line in table.lines(width: 120) { Terminal.report(line) }
    }
    if !plan.unknown.isEmpty {
      Terminal.report("  Kept unchanged, but not used by the app: \(plan.unknown.joined(separator: ", "))")
    }
    if plan.problems.isEmpty {
      Terminal.report(
        "\n  Everything is kept, with its dates, pins, ticks and notes. Nothing is lost or becomes public."
          + (verbose ? "" : " -v lists tables and columns."))
    } else {
      Terminal.report(
        repairs
          ? "\nRepaired first:"
          : "\nRepair these first, with: fleetkit doctor \(TerminalEscaping.shellQuoted(library)) --repair")
      for problem in plan.problems { Terminal.report("  " + TerminalEscaping.escape(problem)) }
    }
    Terminal.report("")
  }

  /// Prints the number of problems that the library has before it is migrated.
  static func problems(_ before: LibraryDoctor.Checkup, repairs: Bool) {
    let count = problems(before)
    guard count > 0 else { return }
    Terminal.report(
      counted(count) + (count == 1 ? " that keeps" : " that keep") + " the app from reading everything"
        + (repairs ? ": repaired in this run.\n" : "; migrating does not repair them.\n"))
  }

  /// Prints the number of problems before and after the migration.
  static func problems(before: LibraryDoctor.Checkup, after: LibraryDoctor.Checkup, in library: String) {
    let (old, new) = (problems(before), problems(after))
    guard old + new > 0 else { return }
    if new == 0 {
      return Terminal.report("\(counted(old)) \(old == 1 ? "was" : "were") found before the migration; none remain.")
    }
    Terminal.report(
      "\(counted(old)) \(old == 1 ? "was" : "were") found before the migration"
        + (new == old ? " and \(new == 1 ? "remains" : "remain")" : ", \(new) \(new == 1 ? "remains" : "remain")")
        + ". Run 'fleetkit doctor \(TerminalEscaping.shellQuoted(library)) --repair' before you copy it back.")
  }

  /// Returns the number of problems that keep the app from reading content. A lost part is not counted separately from
  /// its damaged text.
  fileprivate static func problems(_ checkup: LibraryDoctor.Checkup) -> Int {
    checkup.findings.count(.error) - (checkup.findings.counts[.partLost] ?? 0)
  }

  private static func counted(_ count: Int) -> String { Plural.count(count, "problem") }

  /// Describes how the records of one table change.
  private static func sentence(_ change: MigrationPlan.TableChange) -> String {
    let (one, many) = nouns[change.table] ?? (change.table, change.table)
    if change.isNew { return "New, empty table for \(many)." }
    var text = change.rows == 0 ? "No \(many)" : "\(change.rows) \(change.rows == 1 ? one : many): kept"
    var parts: [String] = []
    let fields = room(change.addedColumns)
    if !fields.isEmpty { parts.append("new and empty: \(fields.joined(separator: ", "))") }
    if !change.renamedColumns.isEmpty { parts.append("columns of a test version of the app are renamed") }
    if change.creatorsToNobody > 0 {
      let count = change.creatorsToNobody
      parts.append("\(count) without an author: a placeholder id is replaced by an empty value")
    }
    if parts.isEmpty { text += change.rows == 0 ? "" : " unchanged" }
    return ([text] + parts).joined(separator: "; ") + "."
  }

  /// The names of the records in the app's tables.
  private static let nouns: [String: (one: String, many: String)] = [
    "charters": ("charter", "charters"),
    "library_content": ("entry of the library's list", "entries of the library's list"),
    "checklists": ("checklist", "checklists"),
    "practice_guides": ("practice guide", "practice guides"),
    "checklistExecutionStates": ("checklist with ticks", "checklists with ticks"),
    "sync_queue": ("change waiting to be sent", "changes waiting to be sent"),
  ]

  /// Returns the purposes of new columns, and the number of columns whose purpose is unknown.
  private static func room(_ columns: [String]) -> [String] {
    let named = purposes.filter { purpose in columns.contains { purpose.columns.contains($0) } }
    let others = columns.count { column in !purposes.contains { $0.columns.contains(column) } }
    return named.map(\.words) + (others > 0 ? ["\(others) more field\(others == 1 ? "" : "s")"] : [])
  }

  private static let purposes: [(columns: Set<String>, words: String)] = [
    (["visibility"], "visibility to others"),
    (["serverID", "needsSync", "lastSyncedAt"], "sync with the app's server"),
    (["latitude", "longitude", "locationPlaceID"], "map position"),
    (["onBehalfOfVirtualCaptainID"], "another captain"),
    (["isPinned", "pinnedOrder"], "pins"),
    (["publishedAt", "publicID", "publicMetadata"], "publication"),
    (["originalAuthorUsername", "originalContentPublicID", "originalAuthorUserId"], "the author of a copy's original"),
    (["nextRetryAt"], "the time of the next try"),
  ]

  private static func words(_ change: MigrationPlan.TableChange) -> String {
    if change.isNew { return "new, empty" }
    var parts: [String] = []
    if !change.addedColumns.isEmpty {
      let count = change.addedColumns.count
      parts.append("\(Plural.count(count, "new column")): \(change.addedColumns.joined(separator: ", "))")
    }
    if !change.renamedColumns.isEmpty {
      parts.append("\(change.renamedColumns.count) columns of an early build are renamed")
    }
    if change.creatorsToNobody > 0 { parts.append("an all-zero creator id becomes NULL") }
    return parts.isEmpty ? "no changes" : parts.joined(separator: "; ")
  }

  /// Prints the result.
  static func done(_ report: LibraryMigration.Report, library: String) {
    let rows = report.plan.tables.reduce(0) { $0 + $1.rows }
    Terminal.report(
      "Migrated \(TerminalEscaping.escape(report.target)) to schema v\(report.plan.to) in "
        + "\(Figures.duration(report.seconds)); all \(rows) rows were compared with the original, value by value.")
    if let backup = report.backup {
      Terminal.report("The original is kept in \(TerminalEscaping.escape(backup))")
      Terminal.report("To undo, run: fleetkit migrate \(TerminalEscaping.shellQuoted(library)) --undo")
    }
  }
}

/// The report of `migrate`. For people, each step is printed as it happens; see `MigrationRenderer`.
struct MigrationReport: Encodable {
  struct Table: Encodable {
    let table: String
    let rows: Int
    let new: Bool
    let addedColumns: [String]
    let renamedColumns: Members<String>
    let creatorsToNull: Int

    init(_ change: MigrationPlan.TableChange) {
      (table, rows, new, addedColumns) = (change.table, change.rows, change.isNew, change.addedColumns)
      renamedColumns = Members(change.renamedColumns.map { ($0.from, $0.to) })
      creatorsToNull = change.creatorsToNobody
    }
  }

  let command = "migrate"
  let status: ExitStatus
  let library: String
  let dryRun, migrated: Bool
  let from: String?
  let to: String
  let steps: [String]
  let tables: [Table]
  let keptUnknown, problems: [String]
  @IfPresent var problemsBefore: Int?
  @IfPresent var problemsAfter: Int?
  @Inlined var repair: Repair?
  let target, backup: String?
  let seconds: Seconds

  struct Repair: Encodable {
    let repaired: Int
    let quarantine, originals: String?
  }

  init(
    _ plan: MigrationPlan, library: String, dryRun: Bool, report: LibraryMigration.Report? = nil,
    before: LibraryDoctor.Checkup? = nil, after: LibraryDoctor.Checkup? = nil, repaired: LibraryDoctor.Repair? = nil,
    status: ExitStatus = .success
  ) {
    (self.status, self.library) = (plan.problems.isEmpty ? status : .refused, library)
    (self.dryRun, migrated, from, to, steps) = (dryRun, report != nil, plan.from, plan.to, plan.steps)
    (tables, keptUnknown, problems) = (plan.tables.map(Table.init), plan.unknown, plan.problems)
    (problemsBefore, problemsAfter) = (before.map(MigrationRenderer.problems), after.map(MigrationRenderer.problems))
    repair = repaired.map {
      Repair(repaired: $0.before.repairable, quarantine: $0.quarantine, originals: $0.originals)
    }
    (target, backup, seconds) = (report?.target, report?.backup, Seconds(report?.seconds ?? 0))
  }
}

/// The report of `migrate --undo`.
struct MigrationUndoReport: Report {
  let command = "migrate"
  let status = ExitStatus.success
  let library: String
  let undone = true
  let schemaVersion, backup, saved: String

  func render(_ output: OutputOptions) {
    if output.quiet { return }
    Terminal.report(
      "\(TerminalEscaping.escape(library)) was restored to its state before the migration, schema v\(schemaVersion).")
    Terminal.report("The migrated library is kept in \(TerminalEscaping.escape(saved)).")
  }
}
