import Content
import HTTPTypes
import Hummingbird
import JSONText

/// The header fields of public reads, which caches between the registry and its clients may store.
///
/// A shared cache may use an answer for ten seconds, and for ten more while it fetches a new one, so a change is visible
/// everywhere after 20 seconds. If the registry does not answer, the limit is a minute. Clients ask each time
/// (`max-age=0`), with the entity tag that they have. Answers to requests with a token are never stored
/// (`SecurityFields`), and with `Vary`, a stored answer is never used for such a request: owners see their own changes
/// immediately.
/// - Source: RFC 9111, 4.2.4, 5.2; RFC 5861
enum PublicRead {
  static let cacheControl = "public, max-age=0, s-maxage=10, stale-while-revalidate=10, stale-if-error=60"
  static let vary = "Authorization"

  /// Returns the fields of an answer.
  static func fields(tag: String, vary: String = vary) -> HTTPFields {
    [.cacheControl: cacheControl, .vary: vary, .eTag: tag]
  }
}

extension Response {
  /// Makes the answer to a public read without an entity tag of its own: the tag is the digest of the body.
  static func publicRead(_ request: Request, _ body: borrowing JSONOutput) -> Response {
    let digest = Digest.sha256(body.bytes.span)
    let fields = PublicRead.fields(tag: EntityTag.text(digest))
    return EntityTag.isKnown(digest, request.headers) ? .notModified(fields) : .json(.ok, body, headers: fields)
  }

  /// Makes the answer to a public read of a page or a file, whose entity tag is the digest of its bytes.
  static func publicRead(
    _ request: Request, _ body: [UInt8], type: String, headers: HTTPFields = HTTPFields(),
    vary: String = PublicRead.vary
  ) -> Response {
    let digest = Digest.sha256(body.span)
    var fields = PublicRead.fields(tag: EntityTag.text(digest), vary: vary)
    fields.append(contentsOf: headers)
    if EntityTag.isKnown(digest, request.headers) { return .notModified(fields) }
    fields[.contentType] = type
    return Response(status: .ok, headers: fields, body: .init(byteBuffer: .init(bytes: body)))
  }
}
