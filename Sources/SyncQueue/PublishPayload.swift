import Content
import Interchange
import JSONText
import Publishing

/// The queued payload of a publication or an update: the publish request without `can_fork`.
package struct PublishPayload: Sendable {
  /// The payload, one JSON object.
  package let text: String
  /// The request that the payload contains, as a registry parses it.
  package let request: PublishRequest

  init(_ request: PublishRequest) {
    self.request = request
    var out = ByteBuffer(capacity: request.contentData.count + 1024)
    out.append("{\"title\":")
    out.appendJSONString(request.title)
    if let description = request.description {
      out.append(",\"description\":")
      out.appendJSONString(description)
    }
    out.append(",\"content_type\":")
    out.appendJSONString(request.contentType.rawValue)
    out.append(",\"content_data\":")
    out.append(request.contentData.span)
    out.append(",\"tags\":[")
    for (index, tag) in request.tags.enumerated() {
      if index > 0 { out.append(",") }
      out.appendJSONString(tag)
    }
    out.append("],\"language\":")
    out.appendJSONString(request.language)
    out.append(",\"public_id\":")
    out.appendJSONString(request.publicID)
    if let parent = request.forkedFromID {
      out.append(",\"forked_from_id\":")
      // Ids are written as in the app, in upper case; registries accept both cases.
      out.appendJSONString(parent.uppercased())
    }
    out.append("}")
    text = String(decoding: out.bytes, as: UTF8.self)
  }
}

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
    let document = try JSONDocument(parsing: body.bytes.span)
    switch intake.publication(document.root, now: now) {
    case .taken(let request): return .written(PublishPayload(request))
    case .refused(let findings): return .refused(findings)
    }
  }

  /// Returns the request in a queued payload, regardless of the build that wrote it; nil if a registry would refuse
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
      body.append(value.raw.span)
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
    guard !missing.isEmpty else { return body.append(document.raw.span) }
    var separator: StaticString = "{"
    for (_, around, key) in missing {
      guard let time = item.member(around) else { continue }
      body.append(separator)
      body.append(key)
      body.append(time.raw.span)
      separator = ","
    }
    document.forEachMember { name, value in
      if missing.contains(where: { name.equals($0.0) }) { return }
      body.append(separator)
      body.append(name.raw.span)
      body.append(":")
      body.append(value.raw.span)
      separator = ","
    }
    body.append("}")
  }
}

extension PublishRequest {
  /// The digest of what readers see: title, description, type, tags, language, and the document without its state and
  /// times. Of two requests with the same meaning, only one needs to be sent.
  var meaning: [UInt8] {
    PublicationDigest.sha256(
      title: title, description: description, contentType: contentType, contentData: Self.content(contentData),
      tags: tags, language: language)
  }

  private static func content(_ document: [UInt8]) -> [UInt8] {
    guard let parsed = try? JSONDocument(parsing: document) else { return document }
    return parsed.withRoot { root in
      var out = ByteBuffer(capacity: document.count)
      root.forEachMember { name, value in
        if name.equals("createdAt") || name.equals("updatedAt") || name.equals("syncStatus") { return }
        out.append(name.raw.span)
        out.append(":")
        out.append(value.raw.span)
        out.append(",")
      }
      return Array(out.bytes)
    }
  }
}

/// Reads payloads, which may come from any program.
enum Payload {
  /// Returns the slug that a payload names; nil if it names none.
  static func publicID(_ payload: [UInt8]?) -> String? {
    guard let payload, let document = try? JSONDocument(parsing: payload) else { return nil }
    return document.withRoot { root in
      root.kind == .object ? root.member("public_id")?.string.flatMap { $0.isEmpty ? nil : $0 } : nil
    }
  }

  /// Returns the id of the original that a payload names; nil if it names none.
  static func parent(_ payload: [UInt8]) -> String? {
    guard let document = try? JSONDocument(parsing: payload) else { return nil }
    return document.withRoot { root in root.kind == .object ? root.member("forked_from_id")?.string : nil }
  }

  /// Whether the payload contains the key `forked_from_id`: a fast check before parsing.
  static func mentionsParent(_ payload: [UInt8]) -> Bool {
    let word = Array("\"forked_from_id\"".utf8)
    return payload.withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, bytes.count >= word.count else { return false }
      var at = 0
      while at <= bytes.count - word.count {
        guard let found = memchr(start + at, 0x22, bytes.count - word.count - at + 1) else { return false }
        if memcmp(found, word, word.count) == 0 { return true }
        at = start.distance(to: found) + 1
      }
      return false
    }
  }
}

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif
