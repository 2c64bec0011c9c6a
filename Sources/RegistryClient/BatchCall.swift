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
