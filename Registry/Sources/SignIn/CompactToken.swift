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

  /// Splits a token; returns nil if it does not have three parts, or is too long, or its signature is not base64url.
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

  /// Returns the JSON object in a part; nil if the part is not an object, or has a name twice (readers disagree about
  /// which one counts).
  static func object(in part: ArraySlice<UInt8>) -> JSONValue? {
    guard
      let bytes = Base64URL.decode(part), let root = try? JSONDocument(parsing: bytes).root,
      root.kind == .object, root.duplicateName == nil
    else { return nil }
    return root
  }
}

/// Base64 with the URL-safe alphabet and without padding (RFC 4648 §5), as tokens use it.
enum Base64URL {
  /// Encodes `bytes` as text.
  static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var text: [UInt8] = []
    text.reserveCapacity((bytes.count * 4 + 2) / 3)
    var held: UInt32 = 0
    var bits = 0
    for byte in bytes {
      held = held << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        text.append(alphabet[Int(held >> UInt32(bits) & 63)])
      }
      held &= (1 << UInt32(bits)) - 1
    }
    if bits > 0 { text.append(alphabet[Int(held << UInt32(6 - bits) & 63)]) }
    return text
  }

  /// Decodes text; returns nil for anything that `encode` would not have written, so that every token has only one
  /// spelling.
  static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard text.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.count * 3 / 4)
    var held: UInt32 = 0
    var bits = 0
    for character in text {
      let value = values[Int(character)]
      guard value < 64 else { return nil }
      held = held << 6 | UInt32(value)
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: held >> UInt32(bits)))
        held &= (1 << UInt32(bits)) - 1
      }
    }
    return held == 0 ? bytes : nil
  }

  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 255, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()
}
