import Content

/// What stands for a session. Its texts are secret: descriptions leave them out.
package struct SessionTokens: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// Sent with every request; good for some minutes.
  package var access: String
  /// Exchanged for new tokens, once; nil when there is none to renew the session with.
  package var refresh: String?
  /// When the access token ends; nil when nobody said it.
  package var expiresAt: Timestamp?
  /// Whose session it is; nil when nobody said it.
  package var user: RegistryUser?

  /// Makes it of its parts.
  package init(access: String, refresh: String? = nil, expiresAt: Timestamp? = nil, user: RegistryUser? = nil) {
    self.access = access
    self.refresh = refresh
    self.expiresAt = expiresAt
    self.user = user
  }

  /// Reads the answer to a sign-in or a renewal.
  init(_ body: [UInt8], now: Timestamp) throws(RegistryError) {
    let answer = try AnswerValue(body, "the answer to a sign-in")
    self.init(
      access: try answer["access_token"].string, refresh: try answer.optional("refresh_token")?.string,
      expiresAt: try answer.optional("expires_in")?.integer.end(after: now))
    if let user = answer.optional("user") { self.user = try RegistryUser(user) }
    guard isSendable else { throw .unreadable("the answer to a sign-in has a token with characters of no token") }
  }

  /// Whether the texts can be tokens: visible ASCII without blanks.
  var isSendable: Bool {
    ([access] + (refresh.map { [$0] } ?? [])).allSatisfy { token in
      (1...16_384).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }

  /// Says nothing of the tokens.
  package var description: String { "a session\(user.map { " of \($0.username)" } ?? "")" }
  /// Shows nothing of the tokens.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Int64 {
  /// So many seconds after a time; nil when that is beyond all clocks.
  fileprivate func end(after now: Timestamp) -> Timestamp? {
    let (milliseconds, overflow) = multipliedReportingOverflow(by: 1000)
    let (sum, second) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow || second ? nil : Timestamp(milliseconds: sum)
  }
}
