import Content

/// The calls to a registry, with or without a signed-in user. `RegistryClient` sends them to a real one.
///
/// Calls block until the answer arrives; any number of threads may make calls at the same time. When the registry
/// answers 401 to a call that needs a session, the call renews the session once and repeats the request.
/// - Source: the registry's OpenAPI document, `/api/v1/openapi.json`.
public protocol RegistryCalls: Sendable {
  /// Calls `POST /content/share`.
  /// - Parameters:
  ///   - body: a publish request, one JSON object in UTF-8.
  ///   - key: the idempotency key; a request that is sent again under the same key has no second effect.
  func publish(_ body: [UInt8], key: String) throws(RegistryError) -> PublicationReceipt
  /// Calls `PUT /content/{public_id}`.
  /// - Parameter ifMatch: the digest that the item must have; nil for any.
  func update(
    _ publicID: String, _ body: [UInt8], ifMatch: String?, key: String
  ) throws(RegistryError) -> PublicationReceipt
  /// Calls `DELETE /content/{public_id}`.
  func withdraw(_ publicID: String, key: String) throws(RegistryError)
  /// Calls `POST /content/batch` with at most 500 calls, and returns one result for each call, in the same order.
  func batch(_ calls: [BatchCall], key: String) throws(RegistryError) -> [BatchResult]
  /// Calls `HEAD /content/{public_id}`, which is not counted as a view; returns nil when the item does not exist, or no
  /// longer exists.
  func head(_ publicID: String) throws(RegistryError) -> ContentHead?
  /// Calls `GET /content/{public_id}`, which is counted as a view; returns nil when the item does not exist, or no
  /// longer exists.
  func item(_ publicID: String) throws(RegistryError) -> PublicItem?
  /// Calls `GET /content/mine` for one page of the user's own items, withdrawn ones included, with the oldest change
  /// first.
  /// - Parameters:
  ///   - since: only items that changed at or after this time.
  ///   - cursor: the beginning of the page; nil for the first page.
  /// - Returns: The items, and the beginning of the next page; nil on the last page.
  func mine(since: Timestamp?, cursor: String?) throws(RegistryError) -> (items: [OwnedItem], next: String?)
  /// Calls `POST /content/{public_id}/fork`, which counts a copy.
  func countFork(_ publicID: String) throws(RegistryError)
  /// Calls `GET /content/{id}/lineage` and returns the steps from the original to the item; nil when there is no such
  /// item.
  /// - Parameter id: a slug or the registry's id.
  func lineage(_ id: String) throws(RegistryError) -> [LineageStep]?
  /// Calls `GET /users/me`.
  func me() throws(RegistryError) -> RegistryUser
  /// Ends the calls of all threads within about a second, and all later ones; each throws `.broken`.
  func stop()
}

extension RegistryCalls {
  /// Does nothing: calls that cannot be ended run to completion.
  public func stop() {}
}
