import Content
import Interchange
import SQLiteIO
import SQLiteLibrary

/// The registry and the account that a library belongs to.
public struct RegistryBinding: Sendable, Equatable {
  /// The registry's normalised address.
  public var registry: String
  /// The registry's id of the account.
  public var userID: String
  /// The account's public name.
  public var username: String

  /// Creates an instance from its members.
  public init(registry: String, userID: String, username: String) {
    self.registry = registry
    self.userID = userID
    self.username = username
  }
}

/// The registry's last answer about an item.
package struct KnownPublication: Sendable, Equatable {
  /// The slug.
  package var publicID: String
  /// The registry's id of the item; nil if no answer contained it.
  package var registryID: String?
  /// The digest of the public version; nil if the next change may replace any version.
  package var digest: String?

  package init(publicID: String, registryID: String? = nil, digest: String? = nil) {
    self.publicID = publicID
    self.registryID = registryID
    self.digest = digest
  }
}

extension QueueStore {
  /// Returns the registry and the account that this library belongs to; nil while it belongs to none.
  package func binding() throws -> RegistryBinding? {
    guard let beside else { return nil }
    return try read {
      let unsettled = try isReadOnly ? StateStore.unsettledBinding(beside.connection, library.connection) : nil
      return try (unsettled ?? beside.connection.rows("SELECT registry, user_id, username FROM registry_binding").first)
        .map {
          RegistryBinding(registry: $0[0] ?? "", userID: $0[1] ?? "", username: $0[2] ?? "")
        }
    }
  }

  /// Binds the library to a registry and an account, replacing any earlier binding.
  ///
  /// The answers that another registry gave about the items, or that concern another account, do not apply to the new
  /// binding and are deleted.
  package func bind(to binding: RegistryBinding) throws {
    guard let beside else { return }
    let old = try self.binding()
    try change([.beside]) {
      if let old, !old.isSame(as: binding) {
        try beside.connection.execute(
          "DELETE FROM publications; DELETE FROM tried_versions; DELETE FROM earlier_states")
      }
      try write(binding)
    }
  }

  /// Writes the library's owner. Call it inside a transaction on the sidecar's queue.
  func write(_ binding: RegistryBinding) throws(SQLiteError) {
    _ = try beside?.connection.rows(
      "INSERT OR REPLACE INTO registry_binding (one, registry, user_id, username, bound_at) VALUES (1, ?, ?, ?, ?)",
      [binding.registry, binding.userID, binding.username, Self.now])
  }

  /// Returns the registry's last answer about an item.
  func publication(of contentID: String) throws(SQLiteError) -> KnownPublication? {
    guard let beside else { return nil }
    let query = try beside.statement("SELECT public_id, registry_id, digest FROM publications WHERE content_id = ?1")
    query.bind(contentID, at: 1)
    defer { query.reset() }
    guard try query.step() else { return nil }
    return KnownPublication(publicID: query.text(at: 0) ?? "", registryID: query.text(at: 1), digest: query.text(at: 2))
  }

  /// Records the registry's answer about an item; nil means that the registry no longer has the item. A known registry
  /// id is kept.
  func write(_ publication: KnownPublication?, of contentID: String, at now: String) throws(SQLiteError) {
    guard let beside else { return }
    // The registry has answered: the public version is known again.
    let forget = try beside.statement("DELETE FROM tried_versions WHERE content_id = ?1")
    forget.bind(contentID, at: 1)
    try forget.run()
    guard let publication else {
      let delete = try beside.statement("DELETE FROM publications WHERE content_id = ?1")
      delete.bind(contentID, at: 1)
      return try delete.run()
    }
    let insert = try beside.statement(
      """
      INSERT INTO publications (content_id, public_id, registry_id, digest, synced_at) VALUES (?1, ?2, ?3, ?4, ?5)
      ON CONFLICT (content_id) DO UPDATE SET digest = excluded.digest, synced_at = excluded.synced_at,
      registry_id = coalesce(
        excluded.registry_id, iif(public_id = excluded.public_id, registry_id, NULL)), public_id = excluded.public_id
      """)
    insert.bind(contentID, at: 1)
    insert.bind(publication.publicID, at: 2)
    for (index, text) in [publication.registryID, publication.digest].enumerated() {
      if let text { insert.bind(text, at: index + 3) } else { insert.bindNull(at: index + 3) }
    }
    insert.bind(now, at: 5)
    try insert.run()
  }

  /// Returns how often failed operations were reset for another try. This number is part of the idempotency keys of
  /// requests, so that an answer that the registry stored earlier is not mistaken for a current one.
  func epoch() throws(SQLiteError) -> Int64 {
    guard let beside else { return 0 }
    return try beside.connection.number("SELECT number FROM sync_epoch")
  }

  /// Begins a new epoch. Call it inside a transaction on the sidecar's queue.
  func beginEpoch() throws(SQLiteError) {
    try beside?.connection.execute(
      "INSERT INTO sync_epoch (one, number) VALUES (1, 1) ON CONFLICT (one) DO UPDATE SET number = number + 1")
  }
}
