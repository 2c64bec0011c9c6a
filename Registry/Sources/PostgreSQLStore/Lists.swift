import Content
import RegistryModel
import RegistryStore

extension PostgreSQLStore {
  /// Returns a page of the public items, with the waiting views.
  public func list(_ query: PublicQuery) async throws -> ContentPage {
    try requireOpen()
    guard let list = ListQuery(query, process: views.process) else { return ContentPage(items: [], next: nil) }
    return try await page(list, isPublic: true, position: query.order.position)
  }

  /// Returns a page of at most 1,000 of an owner's items, by the time of their last change.
  public func list(
    ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int
  ) async throws -> ContentPage {
    try requireOpen()
    return try await page(
      ListQuery(ownedBy: owner, since: since, after: after, limit: limit, process: views.process), isPublic: false
    ) { PagePosition(time: $0.updatedAt, id: $0.id) }
  }

  /// Reads one row more than requested, to find out whether there is a next page; adds the waiting views.
  private func page(
    _ list: ListQuery, isPublic: Bool, position: (PublicationHead) -> PagePosition
  ) async throws -> ContentPage {
    for attempt in 1... {
      let rows =
        isPublic ? try await readPublic { try list.rows(in: $0) } : try await read { try list.rows(in: $0) }
      let shown = Array(rows.prefix(list.limit))
      let views = views.missing(from: shown)
      if views == nil, attempt < 3 { continue }
      let next = rows.count > list.limit ? shown.last?.head : nil
      return ContentPage(items: shown.map(\.head), adding: views ?? [], next: next.map(position))
    }
    throw StoreProblem.damaged
  }
}

/// The SQL query of a list. A user's text is only ever a parameter.
struct ListQuery: Sendable {
  let limit: Int
  /// Reads the items in their order until the page is full.
  private let sql: String
  private let parameters: [PostgreSQLValue]
  /// The queries that come first if no index has the matching items in their order; nil for other lists.
  private let search: Search?
  private let hasOffset: Bool

  /// A search for items that may be frequent or rare. PostgreSQL cannot tell which: it has no statistics about most
  /// words, and none about combinations. It would read two million items in their order to find the only match.
  private struct Search {
    /// Finds the page among the first items.
    let first: String
    /// Finds all matching items, but not many more than `Search.most`, and puts them in order. The last column is their
    /// number.
    let all: String
    /// Counts the matching items like `all`.
    let count: String

    /// The number of items that `first` reads.
    let window: Int
    /// The number of matching items that are put in order; if there are more, they are read in their order.
    static let most = 1000
    /// If a page can be expected after so many items, they are read without counting the matches.
    static let far = 5000
    /// The number of items among which frequent ones are found. There are few different ones, because each statement
    /// is prepared.
    static func window(limit: Int, offset: Int) -> Int { offset > 0 ? 2000 : max(200, 10 * limit) }
  }

  /// - Returns: nil if nothing can match.
  init?(_ query: PublicQuery, process: RegistryID) {
    let limit = min(max(1, query.limit), 100)
    let texts = query.tags + [query.contentType, query.language].compactMap { $0 }
    guard !texts.contains(where: \.holdsNUL) else { return nil }
    var parameters: [PostgreSQLValue] = [.id(process)]
    func parameter(_ value: PostgreSQLValue) -> String {
      parameters.append(value)
      return "$\(parameters.count)"
    }
    let tags = SearchWords.folded(query.tags)
    var filters: [String] = []
    if let type = query.contentType { filters.append("c.content_type = \(parameter(.text(type)))") }
    if let language = query.language {
      filters.append("c.language_base = \(parameter(.text(language.firstSubtag)))")
      if language.firstSubtag.utf8.count < language.utf8.count {
        filters.append("c.language = \(parameter(.text(language)))")
      }
    }
    if let author = query.author { filters.append("c.user_id = \(parameter(.id(author)))") }
    if let words = query.text.flatMap({ SearchWords.query($0, parameter) }) {
      filters.append("c.words @@ (\(words))")
    }
    // The entries of one tag are already in the list's order, and so are the items of one type or language.
    let isByForks = query.order == .mostForked
    let isByTag = tags.count == 1 && filters.isEmpty && !isByForks
    if !tags.isEmpty, !isByTag { filters.append("c.folded_tags @> \(parameter(.texts(tags)))") }
    let isInOrder =
      filters.isEmpty || filters.count == 1 && (query.contentType ?? query.language) != nil && !isByForks
    var scope = [isByTag ? "c.tag = \(parameter(.text(tags[0])))" : "c.deleted_at IS NULL"]
    let columns = (isByForks ? ["c.fork_count"] : []) + ["c.created_at", "c.id"]
    let isAscending = query.order == .oldest
    if let after = query.after {
      let values =
        (isByForks ? [parameter(.integer(after.forks ?? 0))] : [])
        + [parameter(.time(after.time)), parameter(.id(after.id))]
      scope.append(
        "(\(columns.joined(separator: ", "))) \(isAscending ? ">" : "<") (\(values.joined(separator: ", ")))")
    }
    let offset = query.offset > 0 ? " OFFSET \(parameter(.integer(Int64(query.offset))))" : ""
    let order = "ORDER BY " + columns.map { isAscending ? $0 : $0 + " DESC" }.joined(separator: ", ")
    let page = "\(order) LIMIT \(limit + 1)\(offset)"
    // The order and the offset need only an index; the rows of the page are read afterwards.
    func rows(of found: String) -> String {
      """
      SELECT \(ContentRow.columns) FROM (\(found)) p
      JOIN shared_content c ON c.id = p.id \(ContentRow.joins(process: "$1")) \(order)
      """
    }
    let source = isByTag ? "content_tags c" : "shared_content c"
    let (inScope, matching) = (scope.joined(separator: " AND "), (scope + filters).joined(separator: " AND "))
    // `IS TRUE` keeps the indexes of words and tags out of this query: it reads the items in their order.
    let inOrder = (scope + (isInOrder ? filters : filters.map { "(\($0)) IS TRUE" })).joined(separator: " AND ")
    sql = rows(of: "SELECT c.id FROM \(source) WHERE \(inOrder) \(page)")
    let window = Search.window(limit: limit, offset: query.offset)
    search =
      isInOrder
      ? nil
      : Search(
        first: rows(
          of: """
            SELECT c.id
            FROM (SELECT * FROM \(source) WHERE \(inScope) \(order) LIMIT \(window)) c
            WHERE \(filters.joined(separator: " AND ")) \(page)
            """),
        // The order is not known to the inner query, so that it uses the indexes of words and tags.
        all: """
          WITH m AS MATERIALIZED (
            SELECT \(columns.joined(separator: ", ")) FROM \(source) WHERE \(matching) LIMIT \(Search.most + 1))
          SELECT \(ContentRow.columns), (SELECT count(*) FROM m) FROM (SELECT c.id FROM m c \(page)) p
          JOIN shared_content c ON c.id = p.id \(ContentRow.joins(process: "$1")) \(order)
          """,
        count: "SELECT count(*) FROM (SELECT FROM \(source) WHERE \(matching) LIMIT \(Search.most + 1)) m",
        window: window)
    hasOffset = query.offset > 0
    self.limit = limit
    self.parameters = parameters
  }

  /// The items of an owner, at most 1,000.
  init(ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int, process: RegistryID) {
    let limit = min(max(1, limit), 1000)
    var parameters: [PostgreSQLValue] = [.id(process), .id(owner)]
    var conditions = "c.user_id = $2"
    if let since, after.map({ $0.time < since }) ?? true {
      parameters.append(.time(since))
      conditions += " AND c.updated_at > $\(parameters.count)"
    }
    if let after {
      parameters += [.time(after.time), .id(after.id)]
      conditions += " AND (c.updated_at, c.id) > ($\(parameters.count - 1), $\(parameters.count))"
    }
    sql = """
      SELECT \(ContentRow.columns) FROM shared_content c \(ContentRow.joins(process: "$1"))
      WHERE \(conditions) ORDER BY c.updated_at, c.id LIMIT \(limit + 1)
      """
    self.limit = limit
    self.parameters = parameters
    search = nil
    hasOffset = false
  }

  func rows(in connection: PostgreSQLConnection) throws -> [ContentRow] {
    guard let search else { return try Self.rows(connection.query(sql, parameters)) }
    let first = try connection.query(search.first, parameters)
    if first.count > limit { return try Self.rows(first) }
    if first.count * Search.far < (limit + 1) * search.window {
      let all = try connection.query(search.all, parameters)
      // The number is a column of the rows, so an empty page has to be counted separately.
      let count =
        try all.integer(0, ContentRow.columnCount)
        ?? (hasOffset ? connection.query(search.count, parameters).integer(0, 0) : nil) ?? 0
      if count <= Search.most { return try Self.rows(all) }
    }
    return try Self.rows(connection.query(sql, parameters))
  }

  private static func rows(_ rows: PostgreSQLRows) throws -> [ContentRow] {
    try (0..<rows.count).map { try ContentRow(rows, $0) }
  }
}
