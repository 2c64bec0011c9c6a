import Foundation
import PostgreSQLStore
import RegistryTestSupport
import Testing

/// Compares the sharding plan in docs/registry-at-scale.md with the catalogue of a migrated database.
@Suite struct ShardingPlanTests {
  @Test func `each unique index contains the slug, or the plan has a lookup for it`() throws {
    let database = try ScratchDatabase()
    try PostgreSQLMigration(database.address).run { _ in }
    let catalogue = try database.query(
      """
      SELECT t.relname || ': ' || string_agg(coalesce(a.attname, pg_get_indexdef(i.indexrelid, k.place::int, true)), ', '
        ORDER BY k.place)
      FROM pg_index i JOIN pg_class t ON t.oid = i.indrelid
      CROSS JOIN LATERAL unnest(i.indkey) WITH ORDINALITY k (number, place)
      LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number AND k.number > 0
      WHERE (i.indisunique OR i.indisexclusion) AND t.relnamespace = 'public'::regnamespace
      GROUP BY t.relname, i.indexrelid
      HAVING NOT bool_or(a.attname IS NOT DISTINCT FROM 'public_id')
      """)
    let page = try String(
      contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
        path: "../../../docs/registry-at-scale.md"), encoding: .utf8)
    let plan = page.matches(of: /\n\| `(\w+)` \| `([\w, ]+)` \| [^|\n]+ \|/).map { "\($0.1): \($0.2)" }
    #expect(plan.sorted() == catalogue.split(separator: "\n").map(String.init).sorted())
    // The slug is unique in one table, by itself.
    let slug = try database.query(
      """
      SELECT count(*) FROM pg_index WHERE indisunique AND indrelid = 'shared_content'::regclass AND indkey::text =
        (SELECT attnum::text FROM pg_attribute WHERE attrelid = 'shared_content'::regclass AND attname = 'public_id')
      """)
    #expect(slug == "1")
  }
}
