/// One operation of a batch.
public struct BatchCall: Sendable, Equatable {
  /// `publish`, `publish_update` or `unpublish`, as in the app's queue.
  public var operation: String
  /// UTF-8 of one JSON object; it names the `public_id`.
  public var payload: [UInt8]
  /// The digest that the item must have for this to happen; nil when any will do.
  public var ifMatch: String?

  /// Makes it of its parts.
  public init(operation: String, payload: [UInt8], ifMatch: String? = nil) {
    self.operation = operation
    self.payload = payload
    self.ifMatch = ifMatch
  }
}

/// What became of one operation of a batch.
public enum BatchResult: Sendable, Equatable {
  /// Published or changed.
  case done(PublicationReceipt)
  /// Withdrawn.
  case withdrawn
  /// The registry said no to this one.
  case refused(RegistryRefusal)
}
