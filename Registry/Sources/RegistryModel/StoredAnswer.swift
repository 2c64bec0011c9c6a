/// An answer stored for an idempotency key, so that the same request gets the same answer.
public struct StoredAnswer: Sendable, Equatable {
  /// The HTTP status.
  public let status: Int
  /// The headers that are part of the answer itself.
  public let headers: [Header]
  /// The body, unchanged.
  public let body: [UInt8]

  /// A header of an answer.
  public struct Header: Sendable, Equatable {
    /// The name.
    public let name: String
    /// The value.
    public let value: String

    /// Makes a header.
    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes an answer.
  public init(status: Int, headers: [Header], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
