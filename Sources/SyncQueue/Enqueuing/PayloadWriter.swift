import Content
import Interchange
import JSONText
import Publishing

/// Writes item payloads in the form in which a registry stores them, so that the registry accepts them unchanged.
///
/// Use one writer per thread.
/// - Source: the app's publish request: the whole document as an object, camelCase, ids in upper case, times in whole
///   seconds; never the review state of cards
package final class PayloadWriter {
  private let intake: PublishIntake
  private var body = ByteBuffer(capacity: 16 * 1024)

  /// The result for an item.
  package enum Outcome: Sendable {
    /// The payload may be sent, as far as FleetKit can check.
    case written(PublishPayload)
    /// A registry would refuse the payload. Places are relative to the request, whose members are in the same positions
    /// as the item's.
    case refused([IntakeFinding])
  }

  /// Compiles the schemas.
  /// - Throws: the errors of `PublishIntake`.
  package init() throws { intake = try PublishIntake() }

  /// Writes the payload of an item.
  /// - Parameters:
  ///   - item: an item's canonical record.
  ///   - publicID: the slug that the item has or will get.
  ///   - now: the value of the times that the item does not have.
  package func payload(of item: JSONNode, publicID: String, now: Timestamp) throws -> Outcome {
    writeRequest(item, publicID)
    let document = try JSONDocument(parsing: body.bytes)
    switch intake.publication(document.root, now: now) {
    case .taken(let request): return .written(PublishPayload(request))
    case .refused(let findings): return .refused(findings)
    }
  }

  /// Returns the request in a queued payload, regardless of the build that wrote it; nil when a registry would refuse
  /// it.
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

  /// The item's times that are sent even if its document does not repeat them.
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
