import Content
import RegistryModel
import RegistryStore

/// Reads all public items of a registry from one snapshot.
package enum RegistryDump {
  /// The number of items that are read at a time.
  private static let page = 500

  /// Calls `body` with the canonical line of each public item, in the order of publication.
  ///
  /// An item has the id of its document. If several items have documents with the same id, the later ones have the
  /// registry's ids.
  /// - Throws: `StoreFailure`, and the errors of `body`.
  package static func forEachLine(of address: String, _ body: (String) throws -> Void) throws {
    do {
      let connection = try PostgreSQLConnection(address, session: ["jit = off"], isWritable: false)
      let found = try StoreSchema.find(connection)
      try StoreSchema.check(found)
      try connection.run("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      try connection.query(
        """
        DECLARE dump NO SCROLL CURSOR FOR
        SELECT \(ContentRow.columns), d.document,
          row_number() OVER (PARTITION BY c.content_data ->> 'id' ORDER BY c.number)
        FROM shared_content c \(ContentRow.joins(process: "NULL")) JOIN content_documents d ON d.number = c.number
        WHERE c.deleted_at IS NULL ORDER BY c.number
        """, isPlannedForValues: true)
      while true {
        let rows = try connection.query("FETCH \(page) FROM dump", isPlannedForValues: true)
        if rows.count == 0 { break }
        for row in 0..<rows.count {
          guard let document = rows.bytes(row, ContentRow.columnCount),
            let repetition = rows.integer(row, ContentRow.columnCount + 1)
          else { throw StoreProblem.damaged }
          try body(try line(ContentRow(rows, row).head, document, hasDocumentID: repetition == 1))
        }
      }
      try connection.run("COMMIT")
    } catch let error as PostgreSQLError { throw StoreProblem.failure(error) }
  }

  private static func line(_ head: PublicationHead, _ document: [UInt8], hasDocumentID: Bool) throws -> String {
    do {
      var item = try LibraryItem(SharedContent(head: head, contentData: document))
      if !hasDocumentID { item.id = head.id.text.uppercased() }
      return try TypedRecord.item(item).canonicalLine()
    } catch {
      throw StoreFailure.unavailable(
        "dump: the document of '\(head.publicID)' cannot be written to a bundle: \(error)")
    }
  }
}
