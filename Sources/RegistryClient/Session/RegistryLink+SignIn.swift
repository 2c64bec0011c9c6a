import Content
import JSONText

extension RegistryLink {
  /// Calls `POST /auth/refresh`. The request is sent only once: using a refresh token twice ends its session, unless
  /// the second use follows soon and the new tokens have not been used.
  func renew(_ refresh: String) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/refresh", [("refresh_token", refresh)])
  }

  /// Calls `POST /auth/apple-signin`, which exchanges Apple's identity token for a session.
  /// - Parameter nonce: the nonce that was sent to Apple, if any.
  package func signIn(identityToken: String, nonce: String?) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/apple-signin", [("identity_token", identityToken)] + (nonce.map { [("nonce", $0)] } ?? []))
  }

  /// Calls `POST /auth/test-signin`, which starts a session for an unverified address; only registries in development
  /// mode offer it.
  package func signInForTest(email: String) throws(RegistryError) -> SessionTokens {
    try tokens("/auth/test-signin?email=\(Self.query(email))", [])
  }

  private func tokens(_ path: String, _ members: [(String, String)]) throws(RegistryError) -> SessionTokens {
    var body = ByteBuffer(capacity: 4096)
    body.append("{")
    for (index, member) in members.enumerated() {
      if index > 0 { body.append(",") }
      body.appendJSONString(member.0)
      body.append(":")
      body.appendJSONString(member.1)
    }
    body.append("}")
    let sent = members.isEmpty ? [] : body.copy(0..<body.count)
    return try SessionTokens(send("POST", path, body: sent, isOnce: true).body, now: Self.now)
  }

  private static func query(_ text: String) -> String {
    text.utf8.map { byte in
      switch byte {
      case 0x41...0x5A, 0x61...0x7A, 0x30...0x39, 0x2D, 0x2E, 0x5F, 0x7E: String(Unicode.Scalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }
}
