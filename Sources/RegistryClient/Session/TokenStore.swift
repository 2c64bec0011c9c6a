/// Where the tokens of a session are stored between runs.
package protocol TokenStore: Sendable {
  /// Its name in messages: `the token file 'x.json'`.
  var name: String { get }
  /// Reads the current tokens; nil when there are none any more.
  func read() throws -> SessionTokens?
  /// Runs `body` while no other process renews the same session.
  func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer
  /// Makes room for new tokens, so that they can be stored when they arrive.
  /// - Returns: a function that writes them; they are on disk when it returns.
  func prepare() throws -> (SessionTokens) throws -> Void
  /// Removes the tokens.
  /// - Returns: whether they are removed; false when only the user can do that.
  func forget() throws -> Bool
}
