import GRDB
import RegistryTestSupport
import Testing

@testable import SQLiteStore

/// Public queries about a user must cost the same for an author of a hundred thousand items.
@Suite("What profiles are read by")
struct ProfilePlanTests {
  @Test(
    "is an index",
    arguments: [
      (
        "SELECT count(*), coalesce(sum(fork_count), 0) FROM shared_content WHERE user_id = ? AND deleted_at IS NULL",
        "COVERING INDEX shared_content_counts"
      ),
      ("SELECT id FROM users WHERE username = ? COLLATE NOCASE", "INDEX users_by_folded_name"),
      (
        "SELECT 1 FROM shared_content WHERE author_username = ? COLLATE NOCASE AND user_id IS NULL",
        "INDEX shared_content_by_kept_name"
      ),
      (
        "SELECT 1 FROM shared_content WHERE original_author_username = ? COLLATE NOCASE AND original_is_claimed = 0",
        "INDEX shared_content_by_original_name"
      ),
    ])
  func plans(sql: String, index: String) async throws {
    let folder = StoreFolder()
    let store = try SQLiteStore(path: folder["registry.sqlite"])
    let plan = try await store.pool.read { db in
      try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql, arguments: ["a"]).compactMap { $0.text(3) }
    }
    #expect(plan.count == 1 && plan[0].contains("SEARCH") && plan[0].contains(index), "\(plan)")
    try await store.close()
  }
}
