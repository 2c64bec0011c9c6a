import Content
import JSONText
import Publishing
import SQLiteIO
import SQLiteLibrary

/// The publications that a library and its sidecar have recorded. For each, the index has the item with its slug, the
/// registry's last answer about the item, and whether an operation waits for it.
///
/// Memory grows with the number of published items, not with the library. Not thread-safe.
package final class LocalPublicationIndex {
  /// An item that is or was published from this library.
  package struct Item: Sendable {
    /// The item's id in the library.
    package let id: String
    /// Whether the item is stored in the sidecar.
    package let isDeck: Bool
    /// The slug in the item itself; nil while it is not public.
    package var publicID: String?
    /// The item's sync state; nil if it has none.
    package var status: String?
  }

  private let library: SQLiteConnection
  private let state: SQLiteConnection?
  private let lookup: LibraryLookup
  private var bySlug: [String: Item] = [:]
  private var known: [String: KnownPublication] = [:]
  private let live: Set<String>

  /// Reads through connections that may be inside a transaction.
  /// - Parameter state: the sidecar's database; nil if there is none.
  package init(
    _ library: SQLiteConnection, _ schema: LibrarySchema, path: String, state: SQLiteConnection?
  ) throws(SQLiteError) {
    self.library = library
    self.state = state
    lookup = try LibraryLookup(library, schema, path: path)
    var live = Set<String>()
    for connection in [library] + (state.map { [$0] } ?? []) {
      let rows = try connection.rows(
        "SELECT DISTINCT contentID FROM sync_queue WHERE syncedAt IS NULL AND retryCount < \(QueueOperation.tries)")
      for row in rows { live.insert(row[0] ?? "") }
    }
    self.live = live
    if let state {
      for row in try state.rows("SELECT content_id, public_id, registry_id, digest FROM publications") {
        let (id, slug) = (row[0] ?? "", row[1] ?? "")
        known[id] = KnownPublication(publicID: slug, registryID: row[2], digest: row[3])
        let isDeck = try state.number("SELECT count(*) FROM records WHERE kind = 'item' AND id = ?", [id]) > 0
        let isHere = isDeck ? true : try hasRow(id)
        if isHere { bySlug[slug] = Item(id: id, isDeck: isDeck, publicID: nil) }
      }
      let decks = try state.prepare(
        "SELECT id, line FROM records WHERE kind = 'item' AND instr(line, CAST('\"public_id\":\"' AS BLOB)) > 0")
      while try decks.step() {
        let line = Array(decks.blob(at: 1))
        guard let root = (try? JSONDocument(parsing: line))?.root, let slug = root["public_id"]?.string else {
          continue
        }
        bySlug[slug] = Item(
          id: decks.text(at: 0) ?? "", isDeck: true, publicID: slug, status: root["sync_status"]?.string)
      }
    }
    // The slug in the item itself takes precedence.
    for row in try library.rows("SELECT id, publicID, syncStatus FROM library_content WHERE publicID IS NOT NULL") {
      let (id, slug) = (row[0] ?? "", row[1] ?? "")
      bySlug[slug] = Item(id: id, isDeck: false, publicID: slug, status: row[2])
    }
    for (slug, item) in bySlug where item.publicID == nil {
      // The item may now be public under another slug.
      bySlug[slug]?.publicID = try publicID(of: item)
    }
  }

  private func hasRow(_ id: String) throws(SQLiteError) -> Bool {
    try library.number("SELECT count(*) FROM library_content WHERE id = ?", [id]) > 0
  }

  private func publicID(of item: Item) throws(SQLiteError) -> String? {
    guard let line = try line(of: item) else { return nil }
    return (try? JSONDocument(parsing: line))?.root["public_id"]?.string
  }

  /// Returns the item with a slug; nil if the library has none.
  package func item(slug: String) -> Item? { bySlug[slug] }

  /// Returns the item with an id; nil if the library has none.
  package func item(id: String) throws(SQLiteError) -> Item? {
    let isDeck =
      try state.map { state throws(SQLiteError) in
        try state.number("SELECT count(*) FROM records WHERE kind = 'item' AND id = ?", [id]) > 0
      } ?? false
    let isHere = isDeck ? true : try hasRow(id)
    guard isHere else { return nil }
    var item = Item(id: id, isDeck: isDeck, publicID: nil)
    item.publicID = try publicID(of: item)
    return item
  }

  /// Returns the registry's last answer about an item.
  package func publication(of id: String) -> KnownPublication? { known[id] }

  /// Whether an operation waits for an item.
  package func hasWaiting(_ id: String) -> Bool { live.contains(id) }

  /// Returns an item's canonical record.
  package func line(of item: Item) throws(SQLiteError) -> [UInt8]? {
    if item.isDeck, let state {
      let select = try state.prepare("SELECT line FROM records WHERE kind = 'item' AND id = ?")
      select.bind(item.id, at: 1)
      return try select.step() ? Array(select.blob(at: 0)) : nil
    }
    let id = Array(item.id.utf8)
    return try id.withUnsafeBufferPointer { id throws(SQLiteError) in
      try lookup.record(.item, id: id.span).map { Array($0) }
    }
  }

  /// Returns the item's payload that the registry last accepted from this library; nil if this library has sent none.
  package func lastSent(_ item: Item) throws(SQLiteError) -> String? {
    guard let connection = item.isDeck ? state : library else { return nil }
    let select = try connection.prepare(
      """
      SELECT payload FROM sync_queue WHERE contentID = ? AND syncedAt IS NOT NULL AND payload IS NOT NULL
      AND operation IN ('publish', 'publish_update') ORDER BY createdAt DESC, id DESC
      """)
    select.bind(item.id, at: 1)
    while try select.step() {
      if let payload = select.text(at: 0), !PublicIDPayload.isWhole(payload) { return payload }
    }
    return nil
  }
}

/// Compares library items with the registry's versions, ignoring state and times. Not thread-safe.
package final class PublishedEquality {
  private let writer: PayloadWriter

  /// Compiles the schemas.
  package init() throws { writer = try PayloadWriter() }

  /// Returns the meaning of a request, without its state and times.
  package static func of(_ request: PublishRequest) -> [UInt8] { request.meaning }

  /// Returns the request that the library would send for an item; nil if a registry would refuse it.
  package func request(of line: [UInt8], publicID: String, now: Timestamp) throws -> PublishRequest? {
    let document = try JSONDocument(parsing: line)
    let outcome = try document.withRoot { try writer.payload(of: $0, publicID: publicID, now: now) }
    guard case .written(let payload) = outcome else { return nil }
    return payload.request
  }

  /// Returns the request in a queued payload, regardless of the build that wrote it; nil if a registry would refuse
  /// it.
  package func request(payload: String, now: Timestamp) -> PublishRequest? { writer.meaning(of: payload, now: now) }
}
