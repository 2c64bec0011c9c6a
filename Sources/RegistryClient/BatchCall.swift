/// One operation of a batch.
public struct BatchCall: Sendable, Equatable {
  /// `publish`, `publish_update` or `unpublish`, as in the app's queue.
  public var operation: String
  /// UTF-8 of one JSON object; it contains the `public_id`.
  public var payload: [UInt8]
  /// The digest that the item must have for this to happen; nil for any.
  public var ifMatch: String?

  /// Makes it from its parts.
  public init(operation: String, payload: [UInt8], ifMatch: String? = nil) {
    self.operation = operation
    self.payload = payload
    self.ifMatch = ifMatch
  }
}

/// The result of one operation of a batch.
public enum BatchResult: Sendable, Equatable {
  /// Published or changed.
  case done(PublicationReceipt)
  /// Withdrawn.
  case withdrawn
  /// The registry refused this operation.
  case refused(RegistryRefusal)
}
