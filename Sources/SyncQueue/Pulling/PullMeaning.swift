import Content
import JSONText
import Publishing

/// Compares items of a library with what a registry has, whatever state and time either says. Serves one thread.
package final class PullMeaning {
  private let writer: PayloadWriter

  /// Compiles the schemas.
  package init() throws { writer = try PayloadWriter() }

  /// What a request means, without state and time of change.
  package static func of(_ request: PublishRequest) -> [UInt8] { request.meaning }

  /// What the library would send of an item; nil when a registry would not take it.
  package func request(of line: [UInt8], publicID: String, now: Timestamp) throws -> PublishRequest? {
    let document = try JSONDocument(parsing: line)
    let outcome = try document.withRoot { try writer.payload(of: $0, publicID: publicID, now: now) }
    guard case .written(let payload) = outcome else { return nil }
    return payload.request
  }

  /// What a payload of the queue asked for, whichever build wrote it; nil when a registry would not take it.
  package func request(payload: String, now: Timestamp) -> PublishRequest? { writer.meaning(of: payload, now: now) }
}
