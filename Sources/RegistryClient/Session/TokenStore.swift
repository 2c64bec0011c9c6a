/// A store for a session's tokens between runs.
package protocol TokenStore: Sendable {
  /// The store's name in messages: `the token file 'x.json'`.
  var name: String { get }
  /// Reads the current tokens; returns nil when there are none any more.
  func read() throws -> SessionTokens?
  /// Runs `body` while preventing other processes from renewing the same session.
  func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer
  /// Makes room for new tokens, so that they can be stored when they arrive.
  /// - Returns: a function that writes the tokens; they are on disk when it returns.
  func prepare() throws -> (SessionTokens) throws -> Void
  /// Removes the tokens.
  /// - Returns: whether the tokens were removed; false when only the user can remove them.
  func forget() throws -> Bool
}
