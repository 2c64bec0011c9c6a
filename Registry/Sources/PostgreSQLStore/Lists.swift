import Content
import RegistryModel
import RegistryStore

extension PostgreSQLStore {
  /// Returns a page of the public items, newest first, with the waiting views.
  public func list(_ query: PublicQuery) async throws -> ContentPage {
    try requireOpen()
    guard let list = ListQuery(query, process: views.process) else { return ContentPage(items: [], next: nil) }
    return try await page(list, isPublic: true, time: \.createdAt)
  }

  /// Returns a page of at most 1,000 of an owner's items, by the time of their last change.
  public func list(
    ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?, limit: Int
  ) async throws -> ContentPage {
    try requireOpen()
    return try await page(
      ListQuery(ownedBy: owner, since: since, after: after, limit: limit, process: views.process), isPublic: false,
      time: \.updatedAt)
  }

  /// Reads one row more than requested, to find out whether there is a next page; adds the waiting views.
  private func page(
    _ list: ListQuery, isPublic: Bool, time: KeyPath<PublicationHead, Timestamp> & Sendable
  ) async throws -> ContentPage {
    for attempt in 1... {
      let rows =
        isPublic ? try await readPublic { try list.rows(in: $0) } : try await read { try list.rows(in: $0) }
      let shown = Array(rows.prefix(list.limit))
      let views = views.missing(from: shown)
      if views == nil, attempt < 3 { continue }
      let next = rows.count > list.limit ? shown.last?.head : nil
      return ContentPage(
        items: shown.map(\.head), adding: views ?? [],
        next: next.map { PagePosition(time: $0[keyPath: time], id: $0.id) })
    }
    throw StoreProblem.damaged
  }
}

/// The SQL query of a list. A user's text is only ever a parameter.
struct ListQuery: Sendable {
  let limit: Int
  private let sql: String
  private let parameters: [PostgreSQLValue]
  /// Whether the best plan depends on the values: a common word is found by reading the newest items, a rare one by the
  /// index of words.
  private let isPlannedForValues: Bool

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
    var conditions: [String] = []
    if let type = query.contentType { conditions.append("c.content_type = \(parameter(.text(type)))") }
    if let language = query.language {
      conditions.append("c.language_base = \(parameter(.text(language.firstSubtag)))")
      if language.firstSubtag.utf8.count < language.utf8.count {
        conditions.append("c.language = \(parameter(.text(language)))")
      }
    }
    if let author = query.author { conditions.append("c.user_id = \(parameter(.id(author)))") }
    if let words = query.text.flatMap({ SearchWords.query($0, parameter) }) {
      conditions.append("c.words @@ (\(words))")
    }
    // The entries of one tag are already in the list's order.
    let isByTag = tags.count == 1 && conditions.isEmpty
    if !tags.isEmpty, !isByTag { conditions.append("c.folded_tags @> \(parameter(.texts(tags)))") }
    isPlannedForValues =
      conditions.count > 1 || !tags.isEmpty && !isByTag || query.text != nil || query.author != nil
    let source = isByTag ? "content_tags c" : "shared_content c"
    conditions.append(isByTag ? "c.tag = \(parameter(.text(tags[0])))" : "c.deleted_at IS NULL")
    if let after = query.after {
      conditions.append("(c.created_at, c.id) < (\(parameter(.time(after.time))), \(parameter(.id(after.id))))")
    }
    // The order and the offset need only an index; the rows of the page are read afterwards.
    let offset = query.offset > 0 ? " OFFSET \(parameter(.integer(Int64(query.offset))))" : ""
    sql = """
      SELECT \(ContentRow.columns)
      FROM (SELECT c.id FROM \(source) WHERE \(conditions.joined(separator: " AND "))
        ORDER BY c.created_at DESC, c.id DESC LIMIT \(limit + 1)\(offset)) p
      JOIN shared_content c ON c.id = p.id \(ContentRow.joins(process: "$1"))
      ORDER BY c.created_at DESC, c.id DESC
      """
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
    isPlannedForValues = false
  }

  func rows(in connection: PostgreSQLConnection) throws -> [ContentRow] {
    let rows = try connection.query(sql, parameters, isPlannedForValues: isPlannedForValues)
    return try (0..<rows.count).map { try ContentRow(rows, $0) }
  }
}
