/// An answer that is kept for an idempotency key, so that the same request has the same answer.
public struct StoredAnswer: Sendable, Equatable {
  public let status: Int
  public let headers: [Header]
  public let body: [UInt8]

  /// A header of an answer.
  public struct Header: Sendable, Equatable {
    public let name: String
    public let value: String

    public init(name: String, value: String) {
      self.name = name
      self.value = value
    }
  }

  public init(status: Int, headers: [Header], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
