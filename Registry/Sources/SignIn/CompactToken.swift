import JSONText

/// A signed token in its compact form, split into its parts, none of which is trusted yet (RFC 7515 §7.1).
struct CompactToken {
  /// The maximum length of an accepted token, in bytes; Apple's tokens have about 1,000.
  static let longest = 8192

  /// The first part as received.
  let header: ArraySlice<UInt8>
  /// The second part as received.
  let payload: ArraySlice<UInt8>
  /// The bytes that are signed: the first two parts with the dot between them.
  let signed: ArraySlice<UInt8>
  let signature: [UInt8]

  /// Splits a token; returns nil when it does not have three parts, or is too long, or its signature is not base64url.
  init?(_ token: [UInt8]) {
    guard token.count <= Self.longest else { return nil }
    let dots = token.indices.filter { token[$0] == UInt8(ascii: ".") }
    guard dots.count == 2, let signature = Base64URL.decode(token[(dots[1] + 1)...]), !signature.isEmpty else {
      return nil
    }
    header = token[..<dots[0]]
    payload = token[(dots[0] + 1)..<dots[1]]
    signed = token[..<dots[1]]
    self.signature = signature
  }

  /// Returns the JSON object in a part; nil when the part is not an object, or has a name twice (readers disagree about
  /// which one counts).
  static func object(in part: ArraySlice<UInt8>) -> JSONValue? {
    guard
      let bytes = Base64URL.decode(part), let root = try? JSONDocument(parsing: bytes).root,
      root.kind == .object, root.duplicateName == nil
    else { return nil }
    return root
  }
}
