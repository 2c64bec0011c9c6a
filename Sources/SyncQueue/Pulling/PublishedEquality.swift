import Content
import JSONText
import Publishing

/// Compares library items with the registry's versions, ignoring state and times. Not thread-safe.
package final class PublishedEquality {
  private let writer: PayloadWriter

  /// Compiles the schemas.
  package init() throws { writer = try PayloadWriter() }

  /// Returns the meaning of a request, without its state and times.
  package static func of(_ request: PublishRequest) -> [UInt8] { request.meaning }

  /// Returns the request that the library would send for an item; nil when a registry would refuse it.
  package func request(of line: [UInt8], publicID: String, now: Timestamp) throws -> PublishRequest? {
    let document = try JSONDocument(parsing: line)
    let outcome = try document.withRoot { try writer.payload(of: $0, publicID: publicID, now: now) }
    guard case .written(let payload) = outcome else { return nil }
    return payload.request
  }

  /// Returns the request in a queued payload, regardless of the build that wrote it; nil when a registry would refuse
  /// it.
  package func request(payload: String, now: Timestamp) -> PublishRequest? { writer.meaning(of: payload, now: now) }
}
