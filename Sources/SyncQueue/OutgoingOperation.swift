import Content
import Interchange
import JSONText
import Publishing
import RegistryClient
import Validation

/// An operation that is ready to be sent: checked, complete, and with its key.
struct OutgoingOperation {
  let claimed: ClaimedOperation
  /// The slug.
  let publicID: String
  /// The request body, one JSON object in UTF-8.
  let body: [UInt8]
  /// The digest that the item must have at the registry; nil for any.
  let ifMatch: String?
  /// The digest that the item has after the operation; nil if nothing is published.
  let digest: String?
  /// The type of the published content.
  let contentType: ContentType?
  /// The idempotency key, which identifies this operation with this row and this body; it is the same after a crash.
  let key: String

  var kind: QueueOperation { claimed.kind }

  /// Whether the registry's last answer already concerned this version.
  ///
  /// If a run is killed between its two commits, the answer is stored, but the row still waits. If the row were sent
  /// again with the new entity tag, it would succeed a second time.
  var isProbablyPublic: Bool {
    kind == .publishUpdate && claimed.row.mayHaveArrived && digest != nil && digest == claimed.known?.digest
  }

  var call: BatchCall { BatchCall(operation: kind.rawValue, payload: body, ifMatch: ifMatch) }

  /// Makes one key for several operations in the given order.
  static func key(of operations: [OutgoingOperation]) -> String {
    if operations.count == 1 { return "fk1-b-" + operations[0].key.dropFirst(4) }
    var text = ByteBuffer(capacity: operations.count * 70)
    for operation in operations {
      text.append(utf8: operation.key)
      text.append("\n")
    }
    return "fk1-b-" + Digest.hex(Digest.sha256(text.bytes.span))
  }
}

/// Checks operations just before they are sent and makes their requests. Not thread-safe.
final class OutgoingCheck {
  private let intake: PublishIntake

  init() throws {
    do {
      intake = try PublishIntake()
    } catch {
      throw RunFailure(.internalError, "the schema of publish requests cannot be used: \(error)")
    }
  }

  /// Returns the operation, ready to be sent, or the reason why it will never be sent.
  func check(_ claimed: ClaimedOperation) -> Result<OutgoingOperation, Refused> {
    guard let payload = claimed.row.payload else {
      return .failure(Refused("the operation has no payload", "'fleetkit doctor --repair' finds its item."))
    }
    var document: JSONDocument
    do throws(JSONError) {
      document = try JSONDocument(parsing: payload)
      if let converted = withTextTimes(document) { document = try JSONDocument(parsing: converted) }
    } catch {
      return .failure(Refused("the payload is not JSON: \(error.message)", "Publish the item again."))
    }
    guard let slug = Payload.publicID(payload) else {
      return .failure(
        Refused("the payload has no public_id", "'fleetkit doctor --repair' finds its item."))
    }
    if claimed.kind == .unpublish {
      var body = ByteBuffer(capacity: 300)
      body.append("{\"public_id\":")
      body.appendJSONString(slug)
      body.append("}")
      return .success(outgoing(claimed, slug, Array(body.bytes), nil, nil, nil))
    }
    if let problem = PublishCheck.problems(
      inPayload: document.root, rules: PublishCheck.askedBeforeSending
    ).first(where: { $0.severity == .error }) {
      return .failure(refused(problem.pointer.description, problem.message, problem.fix))
    }
    switch intake.publication(document.root, now: QueueStore.timestamp) {
    case .refused(let findings):
      let first = findings.first
      return .failure(refused(first?.pointer.description ?? "", first?.message ?? "not valid", first?.fix ?? ""))
    case .taken(let request):
      let body = body(of: document, claimed)
      return .success(
        outgoing(
          claimed, slug, body, claimed.kind == .publishUpdate ? claimed.known?.digest : nil, Digest.hex(request.digest),
          request.contentType))
    }
  }

  /// Converts numeric times to strings in the payload of a build up to January 2026; nil for other payloads.
  private func withTextTimes(_ document: JSONDocument) -> [UInt8]? {
    let times = ["createdAt", "updatedAt"].map { document.root["content_data"]?[$0]?.kind }
    guard times.contains(.number),
      case .taken(let request) = intake.publication(document.root, now: QueueStore.timestamp)
    else { return nil }
    return document.withRoot { root in
      var out = ByteBuffer(capacity: root.raw.count + 64)
      var separator = UInt8(ascii: "{")
      root.forEachMember { name, value in
        out.append(separator)
        separator = UInt8(ascii: ",")
        out.append(name.raw.span)
        out.append(":")
        if name.equals("content_data") {
          out.append(request.contentData.span)
        } else {
          out.append(value.raw.span)
        }
      }
      out.append("}")
      return Array(out.bytes)
    }
  }

  /// The reason why an operation will never be sent.
  struct Refused: Error {
    let reason: SendOutcome.Reason

    init(_ text: String, _ advice: String) { reason = SendOutcome.Reason("invalid", text, advice: advice) }
  }

  private func refused(_ pointer: String, _ message: String, _ fix: String) -> Refused {
    let place = pointer.isEmpty ? "" : " at \(pointer)"
    let sentence = fix.isEmpty ? "" : fix.prefix(1).uppercased() + fix.dropFirst() + (fix.hasSuffix(".") ? "" : ".")
    return Refused(
      "not sent, the payload breaks a rule\(place): \(message)",
      sentence + (sentence.isEmpty ? "" : " ") + "Then publish or update the item again.")
  }

  /// Returns the request body for a payload: the payload plus `can_fork` (for a publication), the original's id in the
  /// registry, and the original author. A registry credits that author if it does not have the original.
  private func body(of document: JSONDocument, _ claimed: ClaimedOperation) -> [UInt8] {
    document.withRoot { root in
      var body = ByteBuffer(capacity: root.raw.count + 64)
      body.append("{")
      var isFirst = true
      root.forEachMember { name, value in
        if name.equals("can_fork") { return }
        if !isFirst { body.append(",") }
        isFirst = false
        body.append(name.raw.span)
        body.append(":")
        if let parent = claimed.parentID, name.equals("forked_from_id") {
          body.appendJSONString(parent)
        } else {
          body.append(value.raw.span)
        }
      }
      if claimed.kind == .publish {
        if !isFirst { body.append(",") }
        body.append(claimed.row.canFork ? "\"can_fork\":true" : "\"can_fork\":false")
        if let author = claimed.row.originalAuthor, root.member("forked_from_id")?.kind == .string,
          root.member("original_author_username") == nil
        {
          body.append(",\"original_author_username\":")
          body.appendJSONString(author)
        }
      }
      body.append("}")
      return Array(body.bytes)
    }
  }

  private func outgoing(
    _ claimed: ClaimedOperation, _ slug: String, _ body: [UInt8], _ ifMatch: String?, _ digest: String?,
    _ type: ContentType?
  ) -> OutgoingOperation {
    var text = ByteBuffer(capacity: body.count + 256)
    text.append(
      utf8: """
        \(claimed.row.id)
        \(claimed.row.contentID)
        \(claimed.row.operation)
        \(claimed.epoch)
        \(ifMatch ?? "")

        """)
    text.append(body.span)
    var claimed = claimed
    claimed.digest = digest
    return OutgoingOperation(
      claimed: claimed, publicID: slug, body: body, ifMatch: ifMatch, digest: digest, contentType: type,
      key: "fk1-" + Digest.hex(Digest.sha256(text.bytes.span)))
  }
}
