import FleetKit

/// What `migrate` says about a plan and what became of it.
enum MigrationText {
  /// The plan: what becomes of charters, checklists, guides and ticks.
  /// - Parameters:
  ///   - repairs: whether the library is repaired before it is migrated.
  ///   - verbose: whether tables and columns are listed.
  static func plan(_ plan: MigrationPlan, library: String, repairs: Bool = false, verbose: Bool = false) {
    let name = TerminalText.escape(library)
    let from = plan.from.map { "version \($0) of the app's data" } ?? "no version of the app's data that it names"
    let steps = plan.steps.count
    Terminal.say("\(name) has \(from); it becomes version \(plan.to), in \(steps) step\(steps == 1 ? "" : "s").\n")
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
      Terminal.say("  Kept as it is, though the app does not know it: \(plan.unknown.joined(separator: ", "))")
    }
    if plan.problems.isEmpty {
      Terminal.say(
        "\n  Everything is kept, with its dates, pins, ticks and notes. Nothing is lost, nothing becomes public."
          + (verbose ? "" : " -v lists tables and columns."))
    } else {
      Terminal.say(
        repairs
          ? "\nIs repaired first:"
          : "\nTo be repaired first: fleetkit doctor \(TerminalText.shellQuoted(library)) --repair")
      for problem in plan.problems { Terminal.say("  " + TerminalText.escape(problem)) }
    }
    Terminal.say("")
  }

  /// How many problems the library has before it is migrated.
  static func problems(_ before: LibraryDoctor.Checkup, repairs: Bool) {
    let count = problems(before)
    guard count > 0 else { return }
    Terminal.say(
      counted(count) + (count == 1 ? " that keeps" : " that keep") + " the app from reading all of it"
        + (repairs ? ": repaired in this run.\n" : "; a migration does not repair them.\n"))
  }

  /// How many problems there were before, and what became of them.
  static func problems(before: LibraryDoctor.Checkup, after: LibraryDoctor.Checkup, in library: String) {
    let (old, new) = (problems(before), problems(after))
    guard old + new > 0 else { return }
    if new == 0 {
      return Terminal.say("\(counted(old)) \(old == 1 ? "was" : "were") there before; none is left.")
    }
    Terminal.say(
      "\(counted(old)) \(old == 1 ? "was" : "were") there before"
        + (new == old ? " and \(new == 1 ? "remains" : "remain")" : ", \(new) \(new == 1 ? "remains" : "remain")")
        + ": run 'fleetkit doctor \(TerminalText.shellQuoted(library)) --repair' before you copy it back.")
  }

  /// How much the app cannot read. A part that is lost belongs to the text that is damaged.
  fileprivate static func problems(_ checkup: LibraryDoctor.Checkup) -> Int {
    checkup.findings.count(.error) - (checkup.findings.counts[.partLost] ?? 0)
  }

  private static func counted(_ count: Int) -> String { Plural.count(count, "problem") }

  /// What becomes of the records of one table, in words.
  private static func sentence(_ change: MigrationPlan.TableChange) -> String {
    let (one, many) = nouns[change.table] ?? (change.table, change.table)
    if change.isNew { return "Room for \(many): new, empty." }
    var text = change.rows == 0 ? "No \(many)" : "\(change.rows) \(change.rows == 1 ? one : many): kept"
    var parts: [String] = []
    let fields = room(change.addedColumns)
    if !fields.isEmpty { parts.append("new and empty: \(fields.joined(separator: ", "))") }
    if !change.renamedColumns.isEmpty { parts.append("names of a test version of the app become today's") }
    if change.creatorsToNobody > 0 {
      let count = change.creatorsToNobody
      parts.append("\(count) without an author stay\(count == 1 ? "s" : "") so, in today's form")
    }
    if parts.isEmpty { text += change.rows == 0 ? "" : " as \(change.rows == 1 ? "it is" : "they are")" }
    return ([text] + parts).joined(separator: "; ") + "."
  }

  /// What the records of the app's tables are called.
  private static let nouns: [String: (one: String, many: String)] = [
    "charters": ("charter", "charters"),
    "library_content": ("entry of the library's list", "entries of the library's list"),
    "checklists": ("checklist", "checklists"),
    "practice_guides": ("practice guide", "practice guides"),
    "checklistExecutionStates": ("checklist with ticks", "checklists with ticks"),
    "sync_queue": ("change that waits to be sent", "changes that wait to be sent"),
  ]

  /// What new columns are for; those that nothing is known of are counted.
  private static func room(_ columns: [String]) -> [String] {
    let named = purposes.filter { purpose in columns.contains { purpose.columns.contains($0) } }
    let others = columns.count { column in !purposes.contains { $0.columns.contains(column) } }
    return named.map(\.words) + (others > 0 ? ["\(others) more field\(others == 1 ? "" : "s")"] : [])
  }

  private static let purposes: [(columns: Set<String>, words: String)] = [
    (["visibility"], "visibility to others"),
    (["serverID", "needsSync", "lastSyncedAt"], "exchange with the app's server"),
    (["latitude", "longitude", "locationPlaceID"], "a place on the map"),
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
      parts.append("\(change.renamedColumns.count) columns of an early build take today's names")
    }
    if change.creatorsToNobody > 0 { parts.append("creator \"nobody\" is NULL, not zeros") }
    return parts.isEmpty ? "nothing" : parts.joined(separator: "; ")
  }

  /// What was done.
  static func done(_ report: LibraryMigration.Report, library: String) {
    let rows = report.plan.tables.reduce(0) { $0 + $1.rows }
    Terminal.say(
      "Migrated \(TerminalText.escape(report.target)) to schema v\(report.plan.to) in \(Figures.duration(report.seconds)); "
        + "all \(rows) rows were compared with the original, value by value.")
    if let backup = report.backup {
      Terminal.say("The original is kept in \(TerminalText.escape(backup))")
      Terminal.say("To go back: fleetkit migrate \(TerminalText.shellQuoted(library)) --undo")
    }
  }
}

/// The report of `migrate`. What happens is printed for people as it happens; see `MigrationText`.
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
    (problemsBefore, problemsAfter) = (before.map(MigrationText.problems), after.map(MigrationText.problems))
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
    Terminal.say("\(TerminalText.escape(library)) is as it was, schema v\(schemaVersion).")
    Terminal.say("What it was until now is kept in \(TerminalText.escape(saved)).")
  }
}
