import Content
import JSONText
import Publishing

/// Compares items of a library with the registry's versions, ignoring state and times. Serves one thread.
package final class PublishedEquality {
  private let writer: PayloadWriter

  /// Compiles the schemas.
  package init() throws { writer = try PayloadWriter() }

  /// The meaning of a request, without state and time of change.
  package static func of(_ request: PublishRequest) -> [UInt8] { request.meaning }

  /// The request that the library would send for an item; nil when a registry would refuse it.
  package func request(of line: [UInt8], publicID: String, now: Timestamp) throws -> PublishRequest? {
    let document = try JSONDocument(parsing: line)
    let outcome = try document.withRoot { try writer.payload(of: $0, publicID: publicID, now: now) }
    guard case .written(let payload) = outcome else { return nil }
    return payload.request
  }

  /// The request in a queued payload, whichever build wrote it; nil when a registry would refuse it.
  package func request(payload: String, now: Timestamp) -> PublishRequest? { writer.meaning(of: payload, now: now) }
}
