import Diagnostics
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The changes that migrating a library to the current schema makes, table by table.
public struct MigrationPlan: Sendable, Equatable {
  /// The changes to one table.
  public struct TableChange: Sendable, Equatable {
    /// The app's name of the table.
    public let table: String
    /// The number of the table's rows. All of them are kept.
    public let rows: Int
    /// Whether the library does not have the table yet.
    public let isNew: Bool
    /// Columns that are added, with their default values.
    public let addedColumns: [String]
    /// Columns of an early build that get their current names.
    public let renamedColumns: [Renaming]
    /// The number of rows whose creator is all zeros. The old schema used this id for "no creator"; the current schema
    /// uses NULL.
    public let creatorsToNobody: Int

    /// Whether the table is not changed.
    public var isUnchanged: Bool {
      !isNew && addedColumns.isEmpty && renamedColumns.isEmpty && creatorsToNobody == 0
    }
  }

  /// A column that gets a new name.
  public struct Renaming: Sendable, Equatable {
    /// The old name.
    public let from: String
    /// The new name.
    public let to: String
  }

  /// The version that was found; nil if no migration is listed.
  public let from: String?
  /// The current version.
  public let to: String
  /// The app's own steps to that version, in order.
  public let steps: [String]
  /// Every table, in the app's order.
  public let tables: [TableChange]
  /// Tables and columns that are not part of the app's schema. They are kept unchanged.
  public let unknown: [String]
  /// Problems that must be repaired first, with `doctor --repair`.
  public let problems: [String]

  /// Sizes and times of the files when the plan was made.
  let fileState: [Int]

  /// Whether the library already has the current schema.
  public var isEmpty: Bool { steps.isEmpty && problems.isEmpty && tables.allSatisfy { $0.renamedColumns.isEmpty } }

  /// Examines a library.
  /// - Throws: `SQLiteError` if the library cannot be read, `RunFailure` if it is newer than this version of FleetKit.
  package init(_ connection: SQLiteConnection, _ schema: LibrarySchema, file: String) throws {
    try schema.refuseComputed("migrate '\(file)'")
    if schema.isNewer {
      throw RunFailure(
        .newer,
        "migrate '\(file)': a newer app wrote it (\(schema.unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    fileState = WritableLibrary.fileState(file)
    let newest = try AppSchema.newest()
    from = schema.version
    to = newest.version
    steps = AppSchema.migrations.filter { !schema.migrations.contains($0) }
    var tables: [TableChange] = []
    var unknown = schema.unknownTables.map { "table \($0)" }
    let hasZeroCreators = !schema.migrations.contains("v1.9.0_makeCreatorIDNullable")
    for table in AppSchema.contentTables {
      let columns = newest.columns[table] ?? []
      guard let present = schema.tables[table] else {
        tables.append(
          TableChange(
            table: table, rows: 0, isNew: true, addedColumns: [], renamedColumns: [], creatorsToNobody: 0))
        continue
      }
      let map = TableMaps.all.first { $0.table == table }
      unknown += map.map(schema.unknownColumns)?.map { "column \(table).\($0)" } ?? []
      var renamed: [Renaming] = []
      for column in map?.columns ?? [] {
        if let old = column.oldColumn, present.contains(old), !present.contains(column.column) {
          renamed.append(Renaming(from: old, to: column.column))
        }
      }
      let zeros =
        hasZeroCreators && present.contains("creatorID")
        ? try connection.number("SELECT count(*) FROM \"\(table)\" WHERE creatorID = ?", [Self.zero]) : 0
      tables.append(
        TableChange(
          table: table, rows: Int(try connection.number("SELECT count(*) FROM \"\(table)\"")), isNew: false,
          addedColumns: columns.filter { name in !present.contains(name) && !renamed.contains { $0.to == name } },
          renamedColumns: renamed, creatorsToNobody: Int(zeros)))
    }
    self.tables = tables
    self.unknown = unknown
    problems = try Self.problems(connection, schema, file: file)
  }

  static let zero = "00000000-0000-0000-0000-000000000000"

  /// Returns the problems that prevent the app and FleetKit from migrating.
  private static func problems(
    _ connection: SQLiteConnection, _ schema: LibrarySchema, file: String
  ) throws -> [String] {
    let log = DiagnosticLog()
    schema.report(to: log, file: file)
    var problems = log.kept.filter { $0.code == .migrationsIncomplete || $0.code == .columnMissing }.map(\.message)
    var violations: [String: Int] = [:]
    for row in try connection.rows("PRAGMA foreign_key_check") {
      violations["\(row[0] ?? "") that refer to missing rows of \(row[2] ?? "")", default: 0] += 1
    }
    problems += violations.sorted { $0.key < $1.key }.map { "\($0.value) row\($0.value == 1 ? "" : "s") of \($0.key)" }
    return problems
  }
}
