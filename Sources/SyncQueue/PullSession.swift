import Content
import Interchange
import JSONText
import Publishing
import RegistryClient
import SQLiteIO
import SQLiteLibrary

/// A library that changes are about to be pulled into, and its owner. While the session exists, no sync is running on
/// the library.
package final class PullSession {
  /// The user who is signed in.
  package let user: RegistryUser
  private let lock: SyncLock?

  /// Asks the registry who is signed in, and checks that the library belongs to this registry and account. Binds a
  /// library that does not belong to a registry yet, except in a dry run.
  /// - Throws: `RunFailure`: 2 if the file is not a library, 4 if the library belongs to another registry or
  ///   account or its schema is old, 6 if its schema is newer, 7 if a sync is running, 69 and 77 if the registry
  ///   cannot be asked.
  package init(_ library: String, _ registry: any RegistryCalls, at address: String, isDryRun: Bool) throws {
    let store = try QueueStore(library, isDryRun ? .look : .change)
    let old = try store.binding()
    // Another registry is refused before a request is made to it.
    try Self.refuseOther(old, address, nil, library)
    lock = isDryRun ? nil : try SyncLock(of: library)
    do throws(RegistryError) {
      user = try registry.me()
    } catch {
      throw error.failure("pull into '\(library)'", at: address)
    }
    try Self.refuseOther(old, address, user, library)
    if old == nil, !isDryRun {
      try store.bind(to: RegistryBinding(registry: address, userID: user.id, username: user.username))
    }
  }

  private static func refuseOther(
    _ old: RegistryBinding?, _ address: String, _ user: RegistryUser?, _ library: String
  ) throws(RunFailure) {
    guard let old else { return }
    if old.registry != address {
      throw RunFailure(
        .refused, "pull into '\(library)': it belongs to \(old.registry), not to \(address); nothing was changed",
        advice: "If this is intended, run: fleetkit queue rebind '\(library)' --registry \(address)")
    }
    if let user, old.userID.lowercased() != user.id.lowercased() {
      throw RunFailure(
        .refused,
        "pull into '\(library)': it belongs to the account '\(old.username)', but '\(user.username)' is signed in; "
          + "nothing was changed",
        advice: "Sign in as '\(old.username)', or run: fleetkit queue rebind '\(library)' --registry \(address)")
    }
  }
}

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
