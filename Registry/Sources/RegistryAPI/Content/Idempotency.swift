import Content
import HTTPTypes
import Hummingbird
import JSONText
import RegistryModel
import RegistryStore

/// Reads the claim of a request with an `Idempotency-Key`.
enum Idempotency {
  /// Returns the claim of a request; nil without the header.
  /// - Throws: `Problem` 422 for a key that is not 1 to 255 visible ASCII characters.
  static func claim(
    _ request: Request, body: [UInt8], render: @escaping @Sendable ([OperationResult]) -> StoredAnswer
  ) throws -> IdempotencyClaim? {
    let values = request.headers[values: .idempotencyKey]
    guard let key = values.first else { return nil }
    let isVisible = key.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    guard values.count == 1, isVisible, !key.isEmpty, key.utf8.count <= 255 else {
      throw Problem.invalidParameters([
        ParameterFinding(
          "Idempotency-Key", code: "REG0104", message: "`Idempotency-Key` must be 1 to 255 visible ASCII characters",
          why: "it is kept for a day and compared byte by byte", fix: "send a UUID, a new one for each change")
      ])
    }
    return IdempotencyClaim(key: key, fingerprint: fingerprint(request, body), render: render)
  }

  /// Returns the SHA-256 of everything that makes two requests equal: method, path, conditions and body.
  private static func fingerprint(_ request: Request, _ body: [UInt8]) -> [UInt8] {
    var text = JSONOutput(capacity: body.count + 256)
    text.append(utf8: request.method.rawValue)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: request.uri.path)
    text.append(UInt8(ascii: "\n"))
    text.append(utf8: request.headers[values: .ifMatch].joined(separator: ","))
    text.append(UInt8(ascii: "\n"))
    if request.headers.contains(.ifNoneMatch) {
      text.append("If-None-Match ")
      text.append(utf8: request.headers[values: .ifNoneMatch].joined(separator: ","))
      text.append(UInt8(ascii: "\n"))
    }
    text.append(raw: body)
    return Digest.sha256(text.bytes)
  }
}

extension Problem {
  /// The problem for a key that was used for another request.
  static var idempotencyKeyReused: Problem {
    Problem(
      .unprocessableContent, "idempotency_key_reused",
      "This `Idempotency-Key` was used for another request: use a new key for each change.")
  }
}
