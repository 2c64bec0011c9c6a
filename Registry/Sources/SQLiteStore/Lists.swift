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
    hot.insert(page, for: key, epoch: epoch)
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

/// The SQL query of a public list. A user's text is only ever an argument.
struct ListQuery: Sendable {
  let limit: Int
  /// Whether one index returns the rows in their order, skipping only a few rows.
  let isShort: Bool
  private let sql: String
  private let arguments: StatementArguments

  /// - Returns: nil if nothing can match.
  init?(_ query: PublicQuery) {
    limit = min(max(1, query.limit), 100)
    var tables = "shared_content c"
    var conditions = ["c.deleted_at IS NULL"]
    var arguments: StatementArguments = []
    // The list's order, in terms of the table that has the index for it.
    var order = "c.created_at DESC, c.id DESC"
    var position = "(c.created_at, c.id)"

    let texts = query.tags + [query.contentType, query.language].compactMap { $0 }
    guard !texts.contains(where: \.holdsNUL) else { return nil }
    let isSubtag = query.language.map { $0.firstSubtag.utf8.count < $0.utf8.count } ?? false
    isShort = texts.count <= 1 && query.text == nil && !isSubtag && query.offset <= 1000
    let words = query.text.flatMap(SearchTerms.expression)
    if let words {
      tables = "content_search s CROSS JOIN shared_content c ON c.number = s.rowid"
      conditions.append("s.content_search MATCH ?")
      arguments += [words]
    } else if let tag = query.tags.first {
      // The first tag's table drives the query: its entries are already in the list's order.
      tables = "content_tags t CROSS JOIN shared_content c ON c.number = t.number"
      conditions.append("t.tag = ?")
      arguments += [tag]
      order = "t.created_at DESC, t.id DESC"
      position = "(t.created_at, t.id)"
    }
    for tag in query.tags.dropFirst(words == nil ? 1 : 0) {
      conditions.append("EXISTS (SELECT 1 FROM content_tags o WHERE o.number = c.number AND o.tag = ?)")
      arguments += [tag]
    }
    if let type = query.contentType {
      conditions.append("c.content_type = ?")
      arguments += [type]
    }
    if let language = query.language {
      conditions.append("c.language_base = ?")
      arguments += [language.firstSubtag]
      if language.firstSubtag.utf8.count < language.utf8.count {
        conditions.append("c.language = ?")
        arguments += [language]
      }
    }
    if let after = query.after {
      conditions.append("\(position) < (?, ?)")
      arguments += [after.time.milliseconds, after.id.text]
    }
    let rest = "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT ? OFFSET ?"
    // A word may occur in every item: in that case only times and ids are sorted, and only the remaining rows are read.
    sql =
      words == nil
      ? "SELECT \(ContentRow.columns) FROM \(tables) \(ContentRow.rootJoin) \(rest)"
      : "SELECT \(ContentRow.columns) FROM (SELECT c.number AS found FROM \(tables) \(rest)) "
        + "CROSS JOIN shared_content c ON c.number = found \(ContentRow.rootJoin) ORDER BY \(order)"
    self.arguments = arguments + [limit + 1, max(0, query.offset)]
  }

  func rows(in db: Database) throws -> [ContentRow] { try Self.rows(sql, arguments, in: db) }

  static func rows(_ sql: String, _ arguments: StatementArguments, in db: Database) throws -> [ContentRow] {
    let cursor = try Row.fetchCursor(db.cachedStatement(sql: sql), arguments: arguments)
    var all: [ContentRow] = []
    while let row = try cursor.next() { all.append(try ContentRow(row)) }
    return all
  }

}

/// The key of a list query, compared by bytes.
struct PageKey: Hashable, Sendable {
  private let contentType: ByteKey?
  private let tags: [ByteKey]
  private let language: ByteKey?
  private let text: ByteKey?
  private let limit: Int
  private let offset: Int
  private let time: Int64?
  private let id: RegistryID?

  init(_ query: PublicQuery) {
    contentType = query.contentType.map(ByteKey.init)
    tags = query.tags.map(ByteKey.init)
    language = query.language.map(ByteKey.init)
    text = query.text.map(ByteKey.init)
    limit = query.limit
    offset = query.offset
    time = query.after?.time.milliseconds
    id = query.after?.id
  }

  /// Whether the result may change when an item is added.
  fileprivate func isTouched(by new: PublicationHead) -> Bool {
    if let contentType, contentType != ByteKey(new.contentType.rawValue) { return false }
    if let language, ByteKey(language.text.firstSubtag) != ByteKey(new.language.firstSubtag) {
      return false
    }
    // A page that begins after an older item cannot contain a newer one.
    if let time, time < new.createdAt.milliseconds { return false }
    let theirs = new.tags.map { ByteKey($0.asciiLowercased) }
    return tags.allSatisfy { theirs.contains(ByteKey($0.text.asciiLowercased)) }
  }

  /// The approximate size of the key, in bytes.
  var cost: Int {
    let texts = tags + [contentType, language, text].compactMap { $0 }
    return texts.reduce(160) { $0 + 16 + $1.text.utf8.count }
  }
}

/// The rows of a page from one snapshot of the file.
final class CachedPage: Sendable {
  let numbers: [Int64]
  /// The value of `store_state.view_flush` in the same snapshot.
  let seen: Int64
  private let heads: [PublicationHead]
  private let next: PagePosition?
  private let memo = Memo()

  /// - Parameter found: the rows that were read, one more than the limit when there is a next page.
  init(_ found: [ContentRow], limit: Int, time: KeyPath<PublicationHead, Timestamp>) {
    let rows = found.prefix(limit)
    heads = rows.map(\.head)
    numbers = rows.map(\.number)
    seen = found.first?.seen ?? .max
    next = found.count > limit ? heads.last.map { PagePosition(time: $0[keyPath: time], id: $0.id) } : nil
  }

  /// Returns the page, with the views that are missing in its rows.
  func page(_ views: [Int64], isKept: Bool = true) -> ContentPage {
    ContentPage(rows: heads, views: views, next: next, memo: isKept ? memo : nil)
  }

  /// The approximate size of the page with its derived values, in bytes.
  var cost: Int {
    heads.reduce(256) { sum, head in
      let texts = head.title.utf8.count + (head.description?.utf8.count ?? 0)
      return sum + 2 * (head.tags.reduce(texts) { $0 + 16 + $1.utf8.count }) + 1200
    }
  }
}

/// The pages that were read since the last change that could affect them. A new item drops the pages on which it may
/// appear; any other change drops all pages.
struct PageCache {
  private var pages: [PageKey: CachedPage] = [:]
  private var bytes = 0
  private let limit: Int

  /// - Parameter limit: the maximum size, in bytes; when it is exceeded, the cache is cleared.
  init(limit: Int) { self.limit = limit }

  subscript(key: PageKey) -> CachedPage? { pages[key] }

  mutating func insert(_ page: CachedPage, for key: PageKey) {
    let cost = key.cost + page.cost
    guard cost <= limit / 8 else { return }
    remove(key)
    if bytes + cost > limit { removeAll() }
    pages[key] = page
    bytes += cost
  }

  mutating func remove(_ key: PageKey) {
    if let page = pages.removeValue(forKey: key) { bytes -= key.cost + page.cost }
  }

  /// Drops the pages on which these items may appear.
  mutating func remove(touchedBy new: [PublicationHead]) {
    for key in pages.keys where new.contains(where: key.isTouched) { remove(key) }
  }

  mutating func removeAll() {
    if !pages.isEmpty { pages = [:] }
    bytes = 0
  }
}
