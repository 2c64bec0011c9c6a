import Content
import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  /// Returns a page of the public items, with the waiting views.
  public func list(_ query: PublicQuery) async throws -> ContentPage {
    try requireOpen()
    guard let list = ListQuery(query) else { return ContentPage(items: [], next: nil) }
    // Reading a first page from an index takes microseconds, less than changing threads.
    return try await page(limit: list.limit, isShort: list.isShort, position: query.order.position) {
      try list.rows(in: $0)
    }
  }

  /// Returns a page of at most 1,000 of an owner's items, by the time of their last change.
  public func list(
    ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int
  ) async throws -> ContentPage {
    let limit = min(max(1, limit), 1000)
    return try await page(limit: limit, position: { PagePosition(time: $0.updatedAt, id: $0.id) }) { db in
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
  }

  /// Reads one row more than requested, to find out whether there is a next page; adds the waiting views.
  private func page(
    limit: Int, isShort: Bool = false, position: (PublicationHead) -> PagePosition,
    rows: @escaping @Sendable (Database) throws -> [ContentRow]
  ) async throws -> ContentPage {
    for attempt in 1... {
      let found = isShort ? try read(rows) : try await readPage(rows)
      let shown = Array(found.prefix(limit))
      let views = views.missing(from: shown)
      if views == nil, attempt < 3 { continue }
      let next = found.count > limit ? shown.last?.head : nil
      return ContentPage(items: shown.map(\.head), adding: views ?? [], next: next.map(position))
    }
    throw StoreProblem.damaged
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
    // The table that has the index for the list's order.
    var table = "c"
    let texts = query.tags + [query.contentType, query.language].compactMap { $0 }
    guard !texts.contains(where: \.holdsNUL) else { return nil }
    let isSubtag = query.language.map { $0.firstSubtag.utf8.count < $0.utf8.count } ?? false
    let isByForks = query.order == .mostForked
    isShort =
      texts.count <= (isByForks ? 0 : 1) && query.text == nil && query.author == nil && !isSubtag
      && query.offset <= 1000
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
      if !isByForks { table = "t" }
    }
    for tag in query.tags.dropFirst(words == nil ? 1 : 0) {
      conditions.append("EXISTS (SELECT 1 FROM content_tags o WHERE o.number = c.number AND o.tag = ?)")
      arguments += [tag]
    }
    // The sign keeps SQLite from sorting all items of a type or language: it reads the items in the order of copies.
    let sign = isByForks ? "+" : ""
    if let type = query.contentType {
      conditions.append("\(sign)c.content_type = ?")
      arguments += [type]
    }
    if let language = query.language {
      conditions.append("\(sign)c.language_base = ?")
      arguments += [language.firstSubtag]
      if language.firstSubtag.utf8.count < language.utf8.count {
        conditions.append("c.language = ?")
        arguments += [language]
      }
    }
    if let author = query.author {
      conditions.append("c.user_id = ?")
      arguments += [author.text]
    }
    let columns = (isByForks ? ["c.fork_count"] : []) + ["\(table).created_at", "\(table).id"]
    let isAscending = query.order == .oldest
    let order = columns.map { isAscending ? $0 : $0 + " DESC" }.joined(separator: ", ")
    if let after = query.after {
      let values = columns.map { _ in "?" }.joined(separator: ", ")
      conditions.append("(\(columns.joined(separator: ", "))) \(isAscending ? ">" : "<") (\(values))")
      if isByForks { arguments += [after.forks ?? 0] }
      arguments += [after.time.milliseconds, after.id.text]
    }
    let rest = "WHERE \(conditions.joined(separator: " AND ")) ORDER BY \(order) LIMIT ? OFFSET ?"
    // A word or tag may occur in every item: in that case only the order's columns are sorted, and only the remaining
    // rows are read.
    sql =
      words == nil && !(isByForks && !query.tags.isEmpty)
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
