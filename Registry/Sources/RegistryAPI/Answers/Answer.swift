import HTTPTypes
import Hummingbird
import JSONText
import NIOCore
import RegistryModel

extension HTTPField.Name {
  static let idempotencyKey = Self.known("Idempotency-Key")
  static let idempotencyReplayed = Self.known("Idempotency-Replayed")
  static let link = Self.known("Link")
  static let nextCursor = Self.known("X-Next-Cursor")
  static let ownerID = Self.known("X-Owner-Id")
  static let contentDigest = Self.known("X-Content-Digest")

  /// Returns a header name of this interface. `Date` would only be used for a misspelt name, which a test would detect.
  private static func known(_ name: String) -> HTTPField.Name { HTTPField.Name(name) ?? .date }
}

extension Response {
  /// The media type of answers that are not problems.
  static let jsonType = "application/json"

  /// Makes a JSON answer.
  static func json(
    _ status: HTTPResponse.Status = .ok, _ body: borrowing JSONOutput, headers: HTTPFields = HTTPFields()
  ) -> Response {
    var fields = headers
    fields[.contentType] = jsonType
    var buffer = ByteBufferAllocator().buffer(capacity: body.count)
    buffer.writeBytes(UnsafeRawBufferPointer(body.bytes))
    return Response(status: status, headers: fields, body: .init(byteBuffer: buffer))
  }

  /// Returns the answer to a client that already has the item. Its length would be that of the item (RFC 9110, 8.6), so
  /// the answer has none.
  static func notModified(_ headers: HTTPFields) -> Response {
    var response = Response(status: .notModified, headers: headers)
    response.headers[.contentLength] = nil
    return response
  }

  /// Makes an answer from stored bytes.
  init(_ answer: StoredAnswer, replayed: Bool = false) {
    var fields = HTTPFields()
    for header in answer.headers {
      if let name = HTTPField.Name(header.name) { fields[name] = header.value }
    }
    if replayed { fields[.idempotencyReplayed] = "true" }
    // A 204 answer has neither body nor length (RFC 9110, 15.3.5).
    let body = answer.status == 204 ? ResponseBody() : ResponseBody(byteBuffer: .init(bytes: answer.body))
    self.init(status: .init(code: answer.status), headers: fields, body: body)
    if answer.status == 204 { headers[.contentLength] = nil }
  }
}

extension StoredAnswer {
  /// Makes a JSON answer.
  init(status: Int, json: borrowing JSONOutput, headers: [Header] = []) {
    self.init(
      status: status, headers: [Header(name: "Content-Type", value: "application/json")] + headers,
      body: json.copy(0..<json.count))
  }

  /// Makes the answer for a problem.
  init(_ problem: Problem) {
    self.init(
      status: problem.status.code, headers: [Header(name: "Content-Type", value: "application/problem+json")],
      body: problem.body)
  }
}
