import Content
import JSONText
import Publishing
import SQLiteIO
import SQLiteLibrary

/// Writes the results of a pull to items: their publication states, and the registry's answers about them. Nothing
/// takes effect before the run commits.
package final class PulledMarks {
  private let connection: SQLiteConnection
  private let shelves: (library: LibraryItemStore, deck: DeckItemStore)
  private let learning: SQLiteStatement
  private let run: Int64
  private let now: Timestamp

  /// Prepares writing inside a run's transactions.
  package init(_ library: WritableLibrary, _ store: StateStore, run: Int64, now: Timestamp) throws(SQLiteError) {
    connection = library.connection
    shelves = (try LibraryItemStore(library, now: now), try DeckItemStore(store, run: run))
    learning = try store.connection.prepare(
      """
      INSERT OR REPLACE INTO staged_publications (run, content_id, public_id, registry_id, digest, synced_at)
      VALUES (?, ?, ?, ?, ?, ?)
      """, as: "record the registry's answer")
    self.run = run
    self.now = now
  }

  /// Writes an item's publication state; nil makes it private.
  package func mark(_ line: [UInt8], isDeck: Bool, _ publication: Publication?, status: String) throws {
    try withItem(line) { try shelf(isDeck).mark($0, publication, status: status) }
  }

  /// Writes only an item's sync state.
  package func mark(_ line: [UInt8], isDeck: Bool, status: String) throws {
    try withItem(line) { try shelf(isDeck).mark($0, status: status) }
  }

  /// Removes failed updates from the queue, which would now replace the pulled version.
  /// - Returns: the number of removed updates.
  package func dropFailedUpdates(of id: String, isDeck: Bool) throws -> Int {
    let failed = try shelf(isDeck).operations(of: id).filter { $0.isUpdate && $0.isGivenUp }
    for row in failed { try shelf(isDeck).cancel(row) }
    return failed.count
  }

  /// Whether an item has failed updates.
  package func hasFailedUpdates(of id: String, isDeck: Bool) throws -> Bool {
    try shelf(isDeck).operations(of: id).contains { $0.isUpdate && $0.isGivenUp }
  }

  /// Records the registry's answer about an item; nil means that the registry no longer has it.
  package func learn(_ id: String, isDeck: Bool, _ publication: KnownPublication?) throws {
    if let publication { try shelf(isDeck).markSent(id, as: publication.publicID) }
    learning.bind(run, at: 1)
    learning.bind(id, at: 2)
    for (index, text) in [publication?.publicID, publication?.registryID, publication?.digest].enumerated() {
      if let text { learning.bind(text, at: index + 3) } else { learning.bindNull(at: index + 3) }
    }
    learning.bind(now.iso8601, at: 6)
    try learning.run()
  }

  private func shelf(_ isDeck: Bool) -> any ItemStore { isDeck ? shelves.deck : shelves.library }

  private func withItem(_ line: [UInt8], _ body: (EnqueuedItem) throws -> Void) throws {
    let document = try JSONDocument(parsing: line)
    let item = document.withRoot { root in line.withUnsafeBufferPointer { EnqueuedItem(root, line: $0) } }
    try body(item)
  }
}
