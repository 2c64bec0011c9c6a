import JSONText
import JWTKit

/// The RS256 keys of a JWK set (RFC 7517), by name. Other keys in the set are ignored.
struct KeySet: Sendable {
  /// The maximum length of an accepted set, in bytes; Apple's set has about 2,000.
  static let longest = 256 * 1024
  /// The maximum number of keys in a set.
  static let most = 64

  /// The keys, by `kid`.
  let keys: [String: any JWTAlgorithm]

  /// Parses a set; returns nil when the bytes are not a key set, or contain no usable key.
  init?(_ text: [UInt8]) async {
    guard
      text.count <= Self.longest, let root = try? JSONDocument(parsing: text).root, root.duplicateName == nil,
      let entries = root["keys"]?.elements, entries.count <= Self.most
    else { return nil }
    var keys: [String: any JWTAlgorithm] = [:]
    for entry in entries {
      guard let (name, key) = await Self.key(entry) else { continue }
      // Two keys with the same name are ambiguous.
      guard keys.updateValue(key, forKey: name) == nil else { return nil }
    }
    guard !keys.isEmpty else { return nil }
    self.keys = keys
  }

  private static func key(_ entry: JSONValue) async -> (String, any JWTAlgorithm)? {
    guard
      entry["kty"]?.string == "RSA", entry["use"].map({ $0.string == "sig" }) ?? true,
      entry["alg"].map({ $0.string == "RS256" }) ?? true,
      let name = entry["kid"]?.string, !name.isEmpty, name.utf8.count <= 255,
      let modulus = entry["n"]?.string, let exponent = entry["e"]?.string,
      // A modulus has 2048 to 8192 bits: shorter keys can be broken, and longer keys keep a server busy.
      let size = Base64URL.decode(Array(modulus.utf8))?.count, (256...1024).contains(size),
      let power = Base64URL.decode(Array(exponent.utf8)), (1...4).contains(power.count)
    else { return nil }
    let identifier = JWKIdentifier(string: name)
    let set = JWTKeyCollection()
    guard
      (try? await set.add(
        jwk: .rsa(.rs256, identifier: identifier, modulus: modulus, exponent: exponent))) != nil,
      let key = try? await set.getKey(for: identifier, alg: "RS256")
    else { return nil }
    return (name, key)
  }
}
