import JSONText

/// The payload of an operation that takes a publication back: `{"public_id":"…"}`.
package enum WithdrawalPayload {
  /// The payload as JSON text.
  package static func text(of publicID: String) -> String {
    var out = ByteBuffer(capacity: 128)
    out.append("{\"public_id\":")
    out.appendJSONString(publicID)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }
}
