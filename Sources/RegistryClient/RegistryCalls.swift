import Content
import JSONText

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
  /// Calls `HEAD /content/{public_id}`, which is not counted as a view; returns nil if the item does not exist, or no
  /// longer exists.
  func head(_ publicID: String) throws(RegistryError) -> ContentHead?
  /// Calls `GET /content/{public_id}`, which is counted as a view; returns nil if the item does not exist, or no
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
  /// Calls `GET /content/{id}/lineage` and returns the steps from the original to the item; nil if there is no such
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

/// One operation of a batch.
public struct BatchCall: Sendable, Equatable {
  /// The operation: `publish`, `publish_update` or `unpublish`, as in the app's queue.
  public var operation: String
  /// The payload, one JSON object in UTF-8, with the `public_id`.
  public var payload: [UInt8]
  /// The digest that the item must have for the operation to be carried out; nil for any.
  public var ifMatch: String?

  /// Creates an instance from its members.
  public init(operation: String, payload: [UInt8], ifMatch: String? = nil) {
    self.operation = operation
    self.payload = payload
    self.ifMatch = ifMatch
  }
}

/// The result of one operation of a batch.
public enum BatchResult: Sendable, Equatable {
  /// The item was published or changed.
  case done(PublicationReceipt)
  /// The item was withdrawn.
  case withdrawn
  /// The registry refused this operation.
  case refused(RegistryRefusal)
}

extension BatchCall {
  /// Returns the body of a batch request.
  static func body(_ calls: [BatchCall]) -> [UInt8] {
    var body = ByteBuffer(capacity: calls.reduce(64) { $0 + $1.payload.count + 200 })
    body.append(#"{"operations":["#)
    for (index, call) in calls.enumerated() {
      if index > 0 { body.append(",") }
      body.append(#"{"operation":"#)
      body.appendJSONString(call.operation)
      body.append(#","payload":"#)
      body.append(call.payload.span)
      if let digest = call.ifMatch {
        body.append(#","if_match":"#)
        body.appendJSONString("\"\(digest)\"")
      }
      body.append("}")
    }
    body.append("]}")
    return body.copy(0..<body.count)
  }
}

extension BatchResult {
  /// Reads the answer to a batch of `count` operations.
  static func read(_ body: [UInt8], count: Int) throws(RegistryError) -> [BatchResult] {
    let values = try AnswerValue(body, "the answer to a batch")["results"].elements
    guard values.count == count else {
      throw .unreadable("the answer to a batch has \(values.count) results, not \(count)")
    }
    var results: [BatchResult] = []
    results.reserveCapacity(count)
    for value in values { results.append(try BatchResult(value)) }
    return results
  }

  private init(_ value: AnswerValue) throws(RegistryError) {
    switch try value["status"].integer {
    case 204: self = .withdrawn
    case 200...299:
      self = .done(try PublicationReceipt(value["body"], digest: DigestHeader.digest(value.optional("etag")?.string)))
    case let status where (400...599).contains(status):
      self = .refused(RegistryRefusal(status: Int(status), body: try value["body"].object))
    case let status: throw .unreadable("a result of a batch has the invalid status \(status)")
    }
  }
}
