import Content
import Interchange
import JSONText
import Publishing

/// Writes payloads of items: what a registry would store of an item is what is sent, so that it is taken unchanged.
///
/// One writer serves one thread.
/// - Source: the app's publish request: the whole document as an object, camelCase, ids in upper case, times in whole
///   seconds; never the reviews of cards
package final class PayloadWriter {
  private let intake: PublishIntake
  private var body = ByteBuffer(capacity: 16 * 1024)

  /// What came of an item.
  package enum Outcome: Sendable {
    /// It may be sent, as far as a registry can tell.
    case written(PublishPayload)
    /// A registry would not take it; places count from the request, which has its members where the item has them.
    case refused([IntakeFinding])
  }

  /// Compiles the schemas.
  /// - Throws: what `PublishIntake` throws.
  package init() throws { intake = try PublishIntake() }

  /// Writes the payload of an item.
  /// - Parameters:
  ///   - item: an item's canonical record.
  ///   - publicID: the slug that it has, or gets.
  ///   - now: stands in for times that the item does not say.
  package func payload(of item: JSONNode, publicID: String, now: Timestamp) throws -> Outcome {
    writeRequest(item, publicID)
    let document = try JSONDocument(parsing: body.bytes)
    switch intake.publication(document.root, now: now) {
    case .taken(let request): return .written(PublishPayload(request))
    case .refused(let findings): return .refused(findings)
    }
  }

  /// What a payload from the queue means, whichever build wrote it; nil when a registry would not take it.
  package func meaning(of payload: String, now: Timestamp) -> PublishRequest? {
    guard let document = try? JSONDocument(parsing: payload),
      case .taken(let request) = intake.publication(document.root, now: now)
    else { return nil }
    return request
  }

  private func writeRequest(_ item: JSONNode, _ publicID: String) {
    body.removeAll()
    body.append("{\"public_id\":")
    body.appendJSONString(publicID)
    for (name, key) in Self.members {
      guard let value = item.member(name), !value.isNull else { continue }
      body.append(key)
      body.append(value.raw)
    }
    body.append(",\"content_data\":")
    writeDocument(item)
    body.append("}")
  }

  private static let members: [(StaticString, StaticString)] = [
    ("title", ",\"title\":"), ("description", ",\"description\":"), ("content_type", ",\"content_type\":"),
    ("tags", ",\"tags\":"), ("language", ",\"language\":"), ("forked_from_id", ",\"forked_from_id\":"),
  ]

  /// Times that an item has travel with it, also where its document does not say them again.
  private static let times: [(StaticString, StaticString, StaticString)] = [
    ("createdAt", "created_at", "\"createdAt\":"), ("updatedAt", "updated_at", "\"updatedAt\":"),
  ]

  private func writeDocument(_ item: JSONNode) {
    guard let document = item.member("content_data"), document.kind == .object else { return body.append("null") }
    let missing = Self.times.filter { own, around, _ in
      document.member(own)?.isNull ?? true && item.member(around)?.isNull == false
    }
    guard !missing.isEmpty else { return body.append(document.raw) }
    var separator: StaticString = "{"
    for (_, around, key) in missing {
      guard let time = item.member(around) else { continue }
      body.append(separator)
      body.append(key)
      body.append(time.raw)
      separator = ","
    }
    document.forEachMember { name, value in
      if missing.contains(where: { name.equals($0.0) }) { return }
      body.append(separator)
      body.append(name.raw)
      body.append(":")
      body.append(value.raw)
      separator = ","
    }
    body.append("}")
  }
}
