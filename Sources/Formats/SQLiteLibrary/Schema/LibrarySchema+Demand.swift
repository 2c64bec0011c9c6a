import Interchange
import SQLiteIO

extension LibrarySchema {
  /// Refuses a library that is not of today's schema, table by table.
  /// - Parameters:
  ///   - doing: what errors begin with: `import into 'x.sqlite'`.
  ///   - path: the library as the user named it.
  ///   - outcome: what to say about the rest: `nothing was imported`.
  /// - Throws: `RunFailure`: 6 when a newer app wrote it, 4 when it is older or lacks a column.
  package func demandNewest(_ doing: String, _ path: String, outcome: String) throws {
    if isNewer {
      throw RunFailure(
        .newer, "\(doing): a newer app wrote it (\(unknownMigrations.joined(separator: ", ")))",
        advice: "Update FleetKit.")
    }
    if version != AppSchema.newestVersion {
      throw RunFailure(
        .refused,
        "\(doing): its schema is \(version.map { "v\($0)" } ?? "of no version"), today's is "
          + "v\(AppSchema.newestVersion); \(outcome)",
        advice: "Run 'fleetkit migrate \(path)' first.")
    }
    let newest: AppSchema
    do { newest = try AppSchema.newest() } catch { throw WritableLibrary.failure(error, path) }
    for table in AppSchema.contentTables {
      let columns = newest.columns[table] ?? []
      guard let missing = columns.first(where: { !(tables[table] ?? []).contains($0) }) else { continue }
      throw RunFailure(
        .refused, "\(doing): '\(table)' has no column '\(missing)'; \(outcome)",
        advice: "Run 'fleetkit doctor \(path)'.")
    }
  }
}
