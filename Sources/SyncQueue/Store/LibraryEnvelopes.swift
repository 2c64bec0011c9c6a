import Content
import JSONText
import SQLiteIO

/// The items in the library itself: rows of `library_content`.
final class LibraryEnvelopes: ItemEnvelopes {
  private let table: QueueTable

  init(_ table: QueueTable) { self.table = table }

  func title(of contentID: String) throws -> String? {
    let query = try table.statement("SELECT title FROM library_content WHERE id = ?1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    return try query.step() ? query.text(at: 0) ?? "" : nil
  }

  func look(_ contentID: String) throws -> ItemEnvelope? {
    let query = try table.statement(
      """
      SELECT title, visibility, syncStatus, publicID, publishedAt, publicMetadata, originalAuthorUsername
      FROM library_content WHERE id = ?1
      """)
    query.bind(contentID, at: 1)
    defer { query.reset() }
    guard try query.step() else { return nil }
    return ItemEnvelope(
      title: query.text(at: 0) ?? "", visibility: query.text(at: 1) ?? "", syncStatus: query.text(at: 2) ?? "",
      publicID: query.text(at: 3), publishedAt: query.text(at: 4).flatMap { Timestamp.parse($0)?.0 },
      publicMetadata: query.text(at: 5).flatMap(Self.metadata), originalAuthor: query.text(at: 6))
  }

  func write(_ envelope: ItemEnvelope, to contentID: String) throws {
    let update = try table.statement(
      """
      UPDATE library_content SET visibility = ?2, syncStatus = ?3, publicID = ?4, publishedAt = ?5, publicMetadata = ?6
      WHERE id = ?1
      """)
    update.bind(contentID, at: 1)
    update.bind(envelope.visibility, at: 2)
    update.bind(envelope.syncStatus, at: 3)
    func bind(_ text: String?, at index: Int) {
      if let text { update.bind(text, at: index) } else { update.bindNull(at: index) }
    }
    bind(envelope.publicID, at: 4)
    bind(envelope.publishedAt?.columnText, at: 5)
    bind(envelope.publicMetadata.map(Self.text), at: 6)
    try update.run()
  }

  /// Writes only the status and leaves the other columns unchanged, whatever they contain.
  func write(status: String, to contentID: String) throws {
    let update = try table.statement("UPDATE library_content SET syncStatus = ?2 WHERE id = ?1")
    update.bind(contentID, at: 1)
    update.bind(status, at: 2)
    try update.run()
  }

  func syncing() throws -> [String] {
    try table.connection.rows("SELECT id FROM library_content WHERE syncStatus = 'syncing'").compactMap { $0[0] }
  }

  func published() throws -> [(id: String, slug: String)] {
    try table.connection.rows("SELECT id, publicID FROM library_content WHERE publicID IS NOT NULL ORDER BY id").map {
      (id: $0[0] ?? "", slug: $0[1] ?? "")
    }
  }

  // MARK: publicMetadata

  /// Reads the app's JSON and keeps members that the app does not define.
  static func metadata(_ text: String) -> PublicMetadata? {
    guard let root = try? JSONDocument(parsing: text).root, root.kind == .object else { return nil }
    var metadata = PublicMetadata(
      publishedAt: root["publishedAt"]?.double, publicID: root["publicID"]?.string, canFork: root["canFork"]?.bool,
      authorUsername: root["authorUsername"]?.string, authorUserID: root["authorUserId"]?.string)
    for (name, value) in root.members where !known.contains(name) {
      metadata.extras.append(ExtraMember(name: name, json: value.text))
    }
    return metadata
  }

  private static let known: Set<String> = ["publishedAt", "publicID", "canFork", "authorUsername", "authorUserId"]

  private static func text(_ metadata: PublicMetadata) -> String {
    var out = ByteBuffer(capacity: 256)
    func member(_ name: StaticString, _ write: (inout ByteBuffer) -> Void) {
      out.append(out.count == 0 ? "{\"" : ",\"")
      out.append(name)
      out.append("\":")
      write(&out)
    }
    if let publishedAt = metadata.publishedAt { member("publishedAt") { $0.append(utf8: "\(publishedAt)") } }
    if let publicID = metadata.publicID { member("publicID") { $0.appendJSONString(publicID) } }
    if let canFork = metadata.canFork { member("canFork") { $0.append(canFork ? "true" : "false") } }
    if let author = metadata.authorUsername { member("authorUsername") { $0.appendJSONString(author) } }
    if let author = metadata.authorUserID { member("authorUserId") { $0.appendJSONString(author) } }
    for extra in metadata.extras {
      out.append(out.count == 0 ? "{" : ",")
      out.appendJSONString(extra.name)
      out.append(":")
      out.append(utf8: extra.json)
    }
    out.append(out.count == 0 ? "{}" : "}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
