import JSONText

/// A payload that says only which publication is meant: `{"public_id":"…"}`.
///
/// That is all of a withdrawal, and of a synced publication whose content is unknown.
package enum PublicIDPayload {
  /// The payload as JSON text.
  package static func text(of publicID: String) -> String {
    var out = ByteBuffer(capacity: 128)
    out.append("{\"public_id\":")
    out.appendJSONString(publicID)
    out.append("}")
    return String(decoding: out.bytes, as: UTF8.self)
  }

  /// Whether a payload says that and no more.
  package static func isWhole(_ payload: JSONNode?) -> Bool {
    payload?.kind == .object && payload?.token.count == 1 && payload?.member("public_id")?.kind == .string
  }

  /// Whether a payload of the queue says that and no more.
  package static func isWhole(_ payload: String?) -> Bool {
    guard let root = payload.flatMap({ try? JSONDocument(parsing: $0).root }) else { return false }
    return root.kind == .object && root.members.count == 1 && root["public_id"]?.kind == .string
  }
}
