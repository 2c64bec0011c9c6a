import FleetKit

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
    Terminal.say(
      "\(name) has \(from); it will be migrated to version \(plan.to) in \(steps) step\(steps == 1 ? "" : "s").\n")
    for change in plan.tables { Terminal.say("  " + sentence(change)) }
    if verbose {
      var table = Table(["table", "rows", "what changes"], rightAligned: [1])
      for change in plan.tables {
        table.add([change.table, change.isNew ? "–" : "\(change.rows)", words(change)])
      }
      Terminal.say("")
      for line in table.lines(width: 120) { Terminal.say(line) }
    }
    if !plan.unknown.isEmpty {
      Terminal.say("  Kept unchanged, but not used by the app: \(plan.unknown.joined(separator: ", "))")
    }
    if plan.problems.isEmpty {
      Terminal.say(
        "\n  Everything is kept, with its dates, pins, ticks and notes. Nothing is lost or becomes public."
          + (verbose ? "" : " -v lists tables and columns."))
    } else {
      Terminal.say(
        repairs
          ? "\nRepaired first:"
          : "\nRepair these first, with: fleetkit doctor \(TerminalEscaping.shellQuoted(library)) --repair")
      for problem in plan.problems { Terminal.say("  " + TerminalEscaping.escape(problem)) }
    }
    Terminal.say("")
  }

  /// Prints the number of problems that the library has before it is migrated.
  static func problems(_ before: LibraryDoctor.Checkup, repairs: Bool) {
    let count = problems(before)
    guard count > 0 else { return }
    Terminal.say(
      counted(count) + (count == 1 ? " that keeps" : " that keep") + " the app from reading all of it"
        + (repairs ? ": repaired in this run.\n" : "; migrating does not repair them.\n"))
  }

  /// Prints the number of problems before and after the migration.
  static func problems(before: LibraryDoctor.Checkup, after: LibraryDoctor.Checkup, in library: String) {
    let (old, new) = (problems(before), problems(after))
    guard old + new > 0 else { return }
    if new == 0 {
      return Terminal.say("\(counted(old)) \(old == 1 ? "was" : "were") found before the migration; none remain.")
    }
    Terminal.say(
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
    Terminal.say(
      "Migrated \(TerminalEscaping.escape(report.target)) to schema v\(report.plan.to) in "
        + "\(Figures.duration(report.seconds)); all \(rows) rows were compared with the original, value by value.")
    if let backup = report.backup {
      Terminal.say("The original is kept in \(TerminalEscaping.escape(backup))")
      Terminal.say("To undo, run: fleetkit migrate \(TerminalEscaping.shellQuoted(library)) --undo")
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
    Terminal.say(
      "\(TerminalEscaping.escape(library)) was restored to its state before the migration, schema v\(schemaVersion).")
    Terminal.say("The migrated library is kept in \(TerminalEscaping.escape(saved)).")
  }
}
