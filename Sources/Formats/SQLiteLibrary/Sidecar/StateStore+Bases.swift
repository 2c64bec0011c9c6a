import Interchange
import SQLiteIO

/// Keeps the texts of the last imports as small as they can be.
extension StateStore {
  /// Removes blocks whose texts nobody asks for any more, and writes the rest anew when it is less than half of what is
  /// kept, in a transaction of its own.
  ///
  /// A text is asked for by the ledger of the last import and by that of the one before, to which an import that comes to
  /// nothing goes back.
  /// - Parameter run: the run that blocks belong to which are written anew.
  func collectBases(run: Int64) throws {
    // To look for what is asked for costs a look at all; it is worth that when there are more texts than the ledger can
    // ask for.
    let kept = try connection.number("SELECT sum(count) FROM bases")
    guard kept > max(Self.fewTexts, 2 * (try connection.number("SELECT count(*) FROM ledger"))) else { return }
    try connection.execute("BEGIN IMMEDIATE")
    try connection.execute(
      """
      DROP TABLE IF EXISTS temp.asked;
      CREATE TEMP TABLE asked (old INTEGER PRIMARY KEY, new INTEGER);
      INSERT OR IGNORE INTO asked (old) SELECT base FROM ledger WHERE base IS NOT NULL;
      INSERT OR IGNORE INTO asked (old) SELECT old_base FROM ledger WHERE old_base IS NOT NULL;
      DELETE FROM bases WHERE id NOT IN (SELECT old >> 16 FROM asked)
      """, as: "tidy up the store")
    let asked = try connection.number("SELECT count(*) FROM asked")
    if try asked * 2 < connection.number("SELECT sum(count) FROM bases") { try rewriteBases(run) }
    try connection.execute("DROP TABLE temp.asked; COMMIT", as: "tidy up the store")
  }

  /// Below this nobody cares.
  private static let fewTexts: Int64 = 64

  private func rewriteBases(_ run: Int64) throws {
    let texts = try BaseTexts(self, run: run)
    let move = try connection.prepare("UPDATE asked SET new = ? WHERE old = ?")
    let old = try connection.rows(
      """
      SELECT id FROM bases JOIN (SELECT old >> 16 AS block, count(*) AS live FROM asked GROUP BY 1) ON block = id
      WHERE live * 2 < count ORDER BY id
      """
    ).compactMap { $0[0].flatMap(Int64.init) }
    for block in old {
      try Interruption.check()
      guard let entries = try texts.entries(of: block) else { continue }
      let live = try connection.rows(
        "SELECT old FROM asked WHERE old BETWEEN \(block << 16) AND \(block << 16 | 65535) ORDER BY old & 32767")
      for reference in live.compactMap({ $0[0].flatMap(Int64.init) }).map(BaseTexts.Reference.init)
      where reference.number < entries.count {
        move.bind(try texts.copy(entries, reference).value, at: 1)
        move.bind(reference.value, at: 2)
        try move.run()
      }
    }
    try texts.flush()
    for column in ["base", "old_base"] {
      try connection.execute(
        """
        UPDATE ledger SET \(column) = (SELECT new FROM asked WHERE old = \(column))
        WHERE \(column) IN (SELECT old FROM asked WHERE new IS NOT NULL)
        """, as: "tidy up the store")
    }
    let list = old.map(String.init).joined(separator: ", ")
    try connection.execute("DELETE FROM bases WHERE id IN (\(list))", as: "tidy up the store")
  }
}
