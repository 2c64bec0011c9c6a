import Content
import JSONText
import Synchronization

/// The tokens of a session. Their values are secret, so descriptions leave them out.
package struct SessionTokens: Sendable, Equatable, CustomStringConvertible, CustomReflectable {
  /// The access token, which is sent with every request; valid for some minutes.
  package var access: String
  /// The refresh token, which can be exchanged for new tokens once; nil if the session cannot be renewed.
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
  /// Returns the time that is this number of seconds later than `now`; nil if it is out of range.
  fileprivate func end(after now: Timestamp) -> Timestamp? {
    let (milliseconds, overflow) = multipliedReportingOverflow(by: 1000)
    let (sum, second) = now.milliseconds.addingReportingOverflow(milliseconds)
    return overflow || second ? nil : Timestamp(milliseconds: sum)
  }
}

extension SessionTokens {
  /// Reads tokens from a credentials file, or from a saved sign-in answer; returns nil if there are none.
  init?(kept value: JSONValue) {
    guard let access = value["access_token"]?.string else { return nil }
    self.init(
      access: access, refresh: value["refresh_token"]?.string,
      expiresAt: value["expires_at"]?.string.flatMap { Timestamp.parse($0)?.0 })
    if let id = value["user"]?["id"]?.string, let name = value["user"]?["username"]?.string {
      user = RegistryUser(id: id, username: name)
    }
    guard isSendable else { return nil }
  }

  /// Appends the tokens as one JSON object.
  func append(to text: inout ByteBuffer) {
    text.append(#"{"access_token":"#)
    text.appendJSONString(access)
    if let refresh {
      text.append(#","refresh_token":"#)
      text.appendJSONString(refresh)
    }
    if let expiresAt {
      text.append(#","expires_at":"#)
      text.appendJSONString(expiresAt.wholeSeconds)
    }
    if let user {
      text.append(#","user":{"id":"#)
      text.appendJSONString(user.id)
      text.append(#","username":"#)
      text.appendJSONString(user.username)
      text.append("}")
    }
    text.append("}")
  }
}

/// A store for a session's tokens between runs.
package protocol TokenStore: Sendable {
  /// The store's name in messages: `the token file 'x.json'`.
  var name: String { get }
  /// Reads the current tokens; returns nil if there are no longer any.
  func read() throws -> SessionTokens?
  /// Runs `body` while preventing other processes from renewing the same session.
  func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer
  /// Makes room for new tokens, so that they can be stored when they arrive.
  /// - Returns: a function that writes the tokens; they are on disk when it returns.
  func prepare() throws -> (SessionTokens) throws -> Void
  /// Removes the tokens.
  /// - Returns: whether the tokens were removed; false if only the user can remove them.
  func forget() throws -> Bool
}

/// A store of tokens that last as long as the process: from the environment, or from a file that holds only a token.
package final class EphemeralTokenStore: TokenStore {
  package let name: String
  private let tokens: Mutex<SessionTokens>

  /// Creates a store of the given tokens.
  package init(_ tokens: SessionTokens, name: String) {
    self.tokens = Mutex(tokens)
    self.name = name
  }

  package func read() throws -> SessionTokens? { tokens.withLock { $0 } }
  package func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer { try body() }
  package func prepare() throws -> (SessionTokens) throws -> Void {
    { next in self.tokens.withLock { $0 = next } }
  }
  package func forget() throws -> Bool { false }
}
