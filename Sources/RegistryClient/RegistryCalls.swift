import Content

/// The calls to a registry, with or without a signed-in user. `RegistryClient` sends them to a real one.
///
/// Calls block until the answer is there; any number of threads may call at the same time. A call that needs a session
/// renews it once when the registry answers 401, and then repeats the request.
/// - Source: the registry's OpenAPI document, `/api/v1/openapi.json`.
public protocol RegistryCalls: Sendable {
  /// `POST /content/share`.
  /// - Parameters:
  ///   - body: a publish request, UTF-8 of one JSON object.
  ///   - key: the idempotency key; a request that is sent again under the same key has no second effect.
  func publish(_ body: [UInt8], key: String) throws(RegistryError) -> PublicationReceipt
  /// `PUT /content/{public_id}`.
  /// - Parameter ifMatch: the digest that the item must have; nil for any.
  func update(
    _ publicID: String, _ body: [UInt8], ifMatch: String?, key: String
  ) throws(RegistryError) -> PublicationReceipt
  /// `DELETE /content/{public_id}`.
  func withdraw(_ publicID: String, key: String) throws(RegistryError)
  /// `POST /content/batch`: returns as many results as calls, in their order. At most 500.
  func batch(_ calls: [BatchCall], key: String) throws(RegistryError) -> [BatchResult]
  /// `HEAD /content/{public_id}`; nil when there is no such item, or no longer. Counts no view.
  func head(_ publicID: String) throws(RegistryError) -> ContentHead?
  /// `GET /content/{public_id}`; nil when there is no such item, or no longer. Counts a view.
  func item(_ publicID: String) throws(RegistryError) -> PublicItem?
  /// `GET /content/mine`: one page of the user's own items, withdrawn ones included, the oldest change first.
  /// - Parameters:
  ///   - since: only items that changed at or after this time.
  ///   - cursor: the beginning of the page; nil for the first.
  /// - Returns: The items, and the beginning of the next page; nil on the last.
  func mine(since: Timestamp?, cursor: String?) throws(RegistryError) -> (items: [OwnedItem], next: String?)
  /// `POST /content/{public_id}/fork`: counts a copy.
  func countFork(_ publicID: String) throws(RegistryError)
  /// `GET /content/{id}/lineage`: from the original to the item; nil when there is no such item.
  /// - Parameter id: a slug or the registry's id.
  func lineage(_ id: String) throws(RegistryError) -> [LineageStep]?
  /// `GET /users/me`.
  func me() throws(RegistryError) -> RegistryUser
  /// Ends calls of all threads within about a second, and all later ones; each throws `.broken`.
  func stop()
}

extension RegistryCalls {
  /// Does nothing: where calls cannot be ended, they run to completion.
  public func stop() {}
}
