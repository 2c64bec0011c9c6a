import JSONText
import RegistryModel

/// The claims of an access token.
struct AccessClaims: Sendable, Equatable {
  let userID: RegistryID
  let sessionID: RegistryID
  /// When the token was issued, in seconds since 1970.
  let issuedAt: Int64
  /// When the token expires, in seconds since 1970.
  let expiresAt: Int64

  /// Returns the payload, one JSON object.
  func json(_ settings: TokenSettings) -> [UInt8] {
    var out = ByteBuffer(capacity: 320)
    out.append("{\"sub\":")
    out.appendJSONString(userID.text)
    out.append(",\"sid\":")
    out.appendJSONString(sessionID.text)
    out.append(utf8: ",\"iat\":\(issuedAt),\"exp\":\(expiresAt),\"iss\":")
    out.appendJSONString(settings.issuer)
    out.append(",\"aud\":")
    out.appendJSONString(settings.audience)
    out.append(",\"typ\":\"access\"}")
    return out.copy(0..<out.count)
  }

  init(userID: RegistryID, sessionID: RegistryID, issuedAt: Int64, expiresAt: Int64) {
    self.userID = userID
    self.sessionID = sessionID
    self.issuedAt = issuedAt
    self.expiresAt = expiresAt
  }

  /// Reads a payload whose signature was verified; returns nil when it is not an access token of this issuer for this
  /// audience.
  init?(_ payload: JSONValue, _ settings: TokenSettings) {
    guard
      payload["typ"]?.string.map({ $0.utf8.elementsEqual("access".utf8) }) == true,
      payload["iss"]?.string.map({ $0.utf8.elementsEqual(settings.issuer.utf8) }) == true,
      payload["aud"]?.string.map({ $0.utf8.elementsEqual(settings.audience.utf8) }) == true,
      let userID = payload["sub"]?.string.flatMap(RegistryID.init(_:)),
      let sessionID = payload["sid"]?.string.flatMap(RegistryID.init(_:)),
      let issuedAt = payload["iat"]?.integer, let expiresAt = payload["exp"]?.integer
    else { return nil }
    self.init(userID: userID, sessionID: sessionID, issuedAt: issuedAt, expiresAt: expiresAt)
  }
}
