import Content

/// The tokens of a session. Their texts are secret: descriptions leave them out.
package struct SessionTokens: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// Sent with every request; valid for some minutes.
  package var access: String
  /// Exchanged for new tokens, once; nil when the session cannot be renewed.
  package var refresh: String?
  /// The end of the access token; nil if unknown.
  package var expiresAt: Timestamp?
  /// The user of the session; nil if unknown.
  package var user: RegistryUser?

  /// Makes it from its parts.
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

  /// Whether the texts can be tokens: visible ASCII without blanks.
  var isSendable: Bool {
    ([access] + (refresh.map { [$0] } ?? [])).allSatisfy { token in
      (1...16_384).contains(token.utf8.count) && token.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }
  }

  /// Does not contain the tokens.
  package var description: String { "a session\(user.map { " of \($0.username)" } ?? "")" }
  /// Does not contain the tokens.
  package var customMirror: Mirror { Mirror(self, children: []) }
}

extension Int64 {
  /// The time that is the given number of seconds later; nil when it is out of range.
  fileprivate func end(after now: Timestamp) -> Timestamp? {
    let (milliseconds, overflow) = multipliedReportingOverflow(by: 1000)
    let (sum, second) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow || second ? nil : Timestamp(milliseconds: sum)
  }
}
