/// One row of the app's queue: an operation that was sent or waits to be sent to the server.
///
/// Sent rows must be kept, because without them the app skips a later withdrawal.
/// - Source: formats/json-bundle.md, "sync_operation"
public struct SyncOperation: Equatable, Sendable {
  /// The row's number.
  public var id: Int
  /// UUID of the item.
  public var contentID: String
  /// One of `Operation` or a word that the app adds later.
  public var operation: String
  /// The visibility that is sent to the server.
  public var visibilityState: String
  /// The payload as JSON text with numbers as written. Its shape varies between builds of the app.
  public var payload: String?
  /// When it was queued.
  public var createdAt: Timestamp?
  /// How often sending failed.
  public var retryCount: Int
  /// The reason for the last failure.
  public var lastError: String?
  /// When it was sent; nil while it is waiting.
  public var syncedAt: Timestamp?
  /// When sending is tried again.
  public var nextRetryAt: Timestamp?
  /// Members that have no property, including the record's `extras` object.
  public var extras: [ExtraMember]

  /// Makes an operation; everything but its number, item and operation may be left out.
  public init(
    id: Int, contentID: String, operation: String, visibilityState: String = LibraryItem.Visibility.private,
    payload: String? = nil, createdAt: Timestamp? = nil, retryCount: Int = 0, lastError: String? = nil,
    syncedAt: Timestamp? = nil, nextRetryAt: Timestamp? = nil, extras: [ExtraMember] = []
  ) {
    self.id = id
    self.contentID = contentID
    self.operation = operation
    self.visibilityState = visibilityState
    self.payload = payload
    self.createdAt = createdAt
    self.retryCount = retryCount
    self.lastError = lastError
    self.syncedAt = syncedAt
    self.nextRetryAt = nextRetryAt
    self.extras = extras
  }
}

extension SyncOperation: ModelObject {
  init() { self.init(id: 0, contentID: "", operation: "") }

  mutating func visit<Visitor: MemberVisitor & ~Copyable>(_ visitor: inout Visitor) throws(ModelError) {
    try visitor.member("id", &id)
    try visitor.member("content_id", &contentID)
    try visitor.member("operation", &operation)
    try visitor.member("visibility_state", &visibilityState)
    try visitor.json("payload", &payload)
    try visitor.member("created_at", &createdAt)
    try visitor.member("retry_count", &retryCount)
    try visitor.member("last_error", &lastError)
    try visitor.member("synced_at", &syncedAt)
    try visitor.member("next_retry_at", &nextRetryAt)
    try visitor.extras(&extras)
  }
}
