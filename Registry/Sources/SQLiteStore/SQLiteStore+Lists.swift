import Content
import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  /// Returns a page of the public items, newest first, with the waiting views.
  public func list(_ query: PublicQuery) async throws -> ContentPage {
    try requireOpen()
    let key = PageKey(query)
    if let (page, views) = hot.page(key) { return page.page(views) }
    guard let query = ListQuery(query) else { return ContentPage(items: [], next: nil) }
    // Reading a first page from an index takes microseconds, less than changing threads.
    let isShort = query.isShort
    let epoch = hot.epoch
    let (page, views) = try await page(limit: query.limit, isShort: isShort, time: \.createdAt) {
      try query.rows(in: $0)
    }
    hot.keep(page, for: key, epoch: epoch)
    return page.page(views)
  }

  /// Returns a page that is in memory.
  public func pageAtHand(_ query: PublicQuery) -> ContentPage? {
    guard !isClosed, let (page, views) = hot.page(PageKey(query)) else { return nil }
    return page.page(views)
  }

  /// Returns a page of at most 1,000 of an owner's items, by the time of their last change.
  public func list(
    ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int
  ) async throws -> ContentPage {
    let limit = min(max(1, limit), 1000)
    let (page, views) = try await page(limit: limit, time: \.updatedAt) { db in
      var conditions = "c.user_id = ?"
      var arguments: StatementArguments = [owner.text]
      if let since, after.map({ $0.time < since }) ?? true {
        conditions += " AND c.updated_at > ?"
        arguments += [since.milliseconds]
      }
      if let after {
        conditions += " AND (c.updated_at, c.id) > (?, ?)"
        arguments += [after.time.milliseconds, after.id.text]
      }
      return try ListQuery.rows(
        "SELECT \(ContentRow.columns) FROM \(ContentRow.source) WHERE \(conditions) ORDER BY c.updated_at, c.id LIMIT ?",
        arguments + [limit + 1], in: db)
    }
    return page.page(views, isKept: false)
  }

  /// Reads one row more than requested, to find out whether there is a next page; adds the waiting views.
  private func page(
    limit: Int, isShort: Bool = false, time: KeyPath<PublicationHead, Timestamp> & Sendable,
    rows: @escaping @Sendable (Database) throws -> [ContentRow]
  ) async throws -> (page: CachedPage, views: [Int64]) {
    var attempt = 0
    while true {
      attempt += 1
      let found = isShort ? try read(rows) : try await readPage(rows)
      let page = CachedPage(found, limit: limit, time: time)
      if let views = hot.missing(from: page.numbers, seen: page.seen) { return (page, views) }
      if attempt >= 3 { return (page, []) }
    }
  }
}
