import JSONText
import Publishing
import RegistryModel

/// One operation of a batch, parsed but not yet checked.
struct BatchEntry {
  /// The position of the operation: `/operations/3`.
  let pointer: JSONPointer
  let kind: Kind
  /// The precondition in `if_match`.
  let precondition: ContentOperation.Precondition?

  /// The kind of operation.
  enum Kind {
    case publish(JSONValue)
    case update(publicID: String, JSONValue)
    case unpublish(publicID: String)
    case refused(Problem)
  }

  /// Parses the operations of a body.
  /// - Throws: `Problem` 422 when the body is not a batch, or contains more than `limit` operations. An error within a
  ///   payload refuses only its own operation.
  static func read(_ root: JSONValue, limit: Int) throws -> [BatchEntry] {
    guard let operations = root["operations"], root.kind == .object, operations.kind == .array else {
      throw Problem.invalidContent([
        finding(
          JSONPointer(root.kind == .object ? [.member("operations")] : []), "`operations` must be an array",
          why: "a batch is a list of operations in their order", fix: "send {\"operations\": [ … ]}")
      ])
    }
    let elements = operations.elements
    guard elements.count <= limit else {
      throw Problem.invalidContent([
        finding(
          JSONPointer([.member("operations"), .element(limit)]),
          "the batch has \(elements.count) operations; the limit is \(limit)",
          why: "a batch is one transaction, and other requests wait for it", fix: "send the rest in another batch")
      ])
    }
    var findings: [IntakeFinding] = []
    let entries = elements.enumerated().compactMap { position, value in
      BatchEntry(value, at: JSONPointer([.member("operations"), .element(position)]), &findings)
    }
    if !findings.isEmpty { throw Problem.invalidContent(findings) }
    return entries
  }

  private init?(_ value: JSONValue, at pointer: JSONPointer, _ findings: inout [IntakeFinding]) {
    self.pointer = pointer
    let tag = value["if_match"]
    precondition = tag?.string.map { EntityTag.precondition($0) }
    func refuse(_ member: String?, _ message: String, why: String, fix: String) {
      let place = member.map { pointer.appending(.member($0)) } ?? pointer
      findings.append(Self.finding(place, message, why: why, fix: fix))
    }
    guard value.kind == .object else {
      refuse(
        nil, "an operation must be an object", why: "it contains the operation and its payload",
        fix: "send {\"operation\": …, \"payload\": { … }}")
      return nil
    }
    if let tag, !tag.isNull, tag.string == nil {
      refuse(
        "if_match", "`if_match` must be a string", why: "it is an entity tag, quotes included",
        fix: "send the `etag` of an earlier answer unchanged")
      return nil
    }
    guard let payload = value["payload"], payload.kind == .object else {
      refuse(
        "payload", "`payload` must be an object", why: "it is the body of the single request",
        fix: "send the request's members in `payload`")
      return nil
    }
    let slug = payload["public_id"]?.string
    switch value["operation"]?.string {
    case "publish": kind = .publish(payload)
    case "publish_update", "update", "unpublish":
      guard let slug, ContentHandlers.isSlug(slug) else {
        kind = .refused(
          .invalidContent([
            Self.finding(
              pointer.appending(.member("payload")).appending(.member("public_id")),
              "`public_id` must be 1 to 255 of A-Z, a-z, 0-9 and -", why: "it identifies the item",
              fix: "send the slug under which the item was published")
          ]))
        return
      }
      kind = value["operation"]?.string == "unpublish" ? .unpublish(publicID: slug) : .update(publicID: slug, payload)
    default:
      refuse(
        "operation", "`operation` must be `publish`, `publish_update` or `unpublish`",
        why: "a batch uses the names of the operations in the app's queue", fix: "send one of these")
      return nil
    }
  }

  private static func finding(_ pointer: JSONPointer, _ message: String, why: String, fix: String) -> IntakeFinding {
    IntakeFinding(code: "REG0301", pointer: pointer, message: message, why: why, fix: fix)
  }
}
