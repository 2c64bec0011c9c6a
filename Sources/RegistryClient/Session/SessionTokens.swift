import Content

/// The tokens of a session. Their values are secret, so descriptions leave them out.
package struct SessionTokens: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The access token, which is sent with every request; valid for some minutes.
  package var access: String
  /// The refresh token, which can be exchanged for new tokens once; nil when the session cannot be renewed.
  package var refresh: String?
  /// When the access token expires; nil if unknown.
  package var expiresAt: Timestamp?
  /// The user of the session; nil if unknown.
  package var user: RegistryUser?

  /// Creates an instance from its members.
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
    guard isSendable else { throw .unreadable("the answer to a sign-in has a token with invalid characters") }
  }

  /// Whether the values can be tokens: visible ASCII without spaces.
  var isSendable: Bool {
    ([access] + (refresh.map { [$0] } ?? [])).allSatisfy { token in
      (1...16_384).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }

  /// A description without the tokens.
  package var description: String { "a session\(user.map { " of \($0.username)" } ?? "")" }
  /// A mirror without the tokens.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Int64 {
  /// Returns the time that is this number of seconds later than `now`; nil when it is out of range.
  fileprivate func end(after now: Timestamp) -> Timestamp? {
    let (milliseconds, overflow) = multipliedReportingOverflow(by: 1000)
    let (sum, second) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow || second ? nil : Timestamp(milliseconds: sum)
  }
}
