import FleetKit
import Foundation
import TestSupport
import Testing

/// All content of a library and its sidecar, as the `sqlite3` shell reads it.
struct LibraryImage: Equatable {
  /// The text of every row, and the row numbers.
  let library: String
  /// The content of the sidecar's database.
  let beside: String
  /// The names of the attachment files.
  let media: [String]

  init(_ library: String) throws {
    let tables = try SQLiteShell.tables(library).filter { !$0.hasPrefix("sqlite_") }
    let rows = tables.map { "SELECT '\($0)', rowid, * FROM \"\($0)\" ORDER BY rowid;" }.joined(separator: "\n")
    self.library = try SQLiteShell.run(library, "PRAGMA integrity_check;\n.dump\n.mode quote\n" + rows)
    #expect(self.library.hasPrefix("ok\n"))
    beside = try Self.beside(library)
    let folder = library + ".fleetkit/media"
    media = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
  }

  /// Returns the sidecar's rows. For the ledger, the result includes only the rows in use, without the remains of the
  /// previous run.
  static func beside(_ library: String) throws -> String {
    try SQLiteShell.run(
      library + ".fleetkit/state.sqlite",
      """
      PRAGMA integrity_check;
      .mode quote
      SELECT * FROM records ORDER BY kind, id;
      SELECT * FROM packs ORDER BY name;
      SELECT name FROM sources ORDER BY name;
      SELECT sources.name, path FROM files JOIN sources ON sources.id = source ORDER BY 1, 2;
      SELECT sources.name, files.path, kind, ledger.id, target, hash, run FROM ledger
      JOIN sources ON sources.id = ledger.source JOIN files ON files.id = file ORDER BY 1, 2, 3, 4;
      SELECT count(*) FROM ledger;
      SELECT count(*) FROM staged_records;
      SELECT count(*) FROM witnesses;
      """)
  }

  /// Returns the first line in which two images differ, for a test's message.
  func difference(_ other: LibraryImage) -> String {
    for (left, right) in [(library, other.library), (beside, other.beside)] where left != right {
      let first = left.split(separator: "\n")
      let second = right.split(separator: "\n")
      for index in 0..<max(first.count, second.count) {
        let one = index < first.count ? first[index].prefix(300) : "(end)"
        let two = index < second.count ? second[index].prefix(300) : "(end)"
        if one != two { return "\(one)\n≠ \(two)" }
      }
    }
    return media == other.media ? "none" : "\(media) ≠ \(other.media)"
  }
}
