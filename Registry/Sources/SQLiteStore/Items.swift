import GRDB
import RegistryModel
import RegistryStore

extension SQLiteStore {
  private static let itemQuery = """
    SELECT \(ContentRow.columns), d.content_data
    FROM \(ContentRow.source) JOIN content_documents d ON d.number = c.number
    WHERE c.public_id = ? AND c.deleted_at IS NULL
    """
  /// The number of readings, each overtaken by the writer, after which a slightly outdated count is accepted.
  private static let attempts = 4

  /// Returns an item with its document and with the waiting views.
  public func content(publicID: String, countingView: Bool) async throws -> SharedContent? {
    guard !publicID.holdsNUL else { return nil }
    for attempt in 1... {
      let found = try read { db -> (ContentRow, [UInt8])? in
        guard let row = try Row.fetchOne(db.cachedStatement(sql: Self.itemQuery), arguments: [publicID]) else {
          return nil
        }
        return (try ContentRow(row), try ContentRow.document(row, at: ContentRow.columnCount))
      }
      guard let (content, document) = found else { return nil }
      var item = SharedContent(head: content.head, contentData: document)
      if countingView {
        guard let (missing, isFirst) = views.count(content) else { continue }
        item.head.viewCount &+= missing
        if isFirst { writer.flushSoon() }
        return item
      }
      let missing = views.missing(from: [content])
      if missing == nil, attempt < Self.attempts { continue }
      item.head.viewCount &+= missing?.first ?? 0
      return item
    }
    return nil
  }

  /// Returns the head of an item, with the waiting views.
  public func head(_ name: ContentName) async throws -> PublicationHead? {
    for attempt in 1... {
      guard let content = try read({ try Self.row(name, in: $0) }), content.head.deletedAt == nil else { return nil }
      let missing = views.missing(from: [content])
      if missing == nil, attempt < Self.attempts { continue }
      var head = content.head
      head.viewCount &+= missing?.first ?? 0
      return head
    }
    return nil
  }

  /// Returns a row by name, even if the item is unpublished.
  static func row(_ name: ContentName, in db: Database) throws -> ContentRow? {
    let (column, value) =
      switch name {
      case .publicID(let text): ("public_id", text)
      case .id(let id): ("id", id.text)
      }
    guard !value.holdsNUL else { return nil }
    let statement = try db.cachedStatement(
      sql: "SELECT \(ContentRow.columns) FROM \(ContentRow.source) WHERE c.\(column) = ?")
    return try Row.fetchOne(statement, arguments: [value]).map(ContentRow.init)
  }

  /// Counts a fork; the count is on disk when the call returns.
  public func countFork(publicID: String) async throws -> ForkOutcome {
    try await write { context -> ForkOutcome in
      guard let content = try Self.row(.publicID(publicID), in: context.db), content.head.deletedAt == nil else {
        return .notFound
      }
      guard content.head.canFork else { return .forbidden }
      try context.execute(
        "UPDATE shared_content SET fork_count = fork_count + 1 WHERE number = ?", [content.number])
      var head = context.counted(content)
      head.forkCount &+= 1
      return .counted(head)
    }
  }

  /// Returns the steps from the original to the item, read in one snapshot.
  public func lineage(_ name: ContentName, depth: Int) async throws -> [ForkStep]? {
    try await readPage { db in
      guard let current = try Self.row(name, in: db), current.head.deletedAt == nil else { return nil }
      var steps: [ForkStep] = []
      var seen: Set<RegistryID> = []
      var next: ContentRow? = current
      while let step = next, steps.count < max(1, depth), seen.insert(step.head.id).inserted {
        steps.append(
          ForkStep(
            title: step.head.deletedAt == nil ? step.head.title : "", creator: step.head.authorUsername,
            createdAt: step.head.createdAt,
            isCurrent: steps.isEmpty))
        next = try step.head.forkedFromID.flatMap { try Self.row(.id($0), in: db) }
      }
      return steps.reversed()
    }
  }
}
