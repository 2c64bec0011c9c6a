/// Where a session's tokens are kept between runs.
package protocol TokenStore: Sendable {
  /// What it is, for words: `the token file 'x.json'`.
  var name: String { get }
  /// The tokens as they are now; nil when there are none any more.
  func read() throws -> SessionTokens?
  /// Does `body` while no other process renews the same session.
  func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer
  /// Makes room for new tokens, so that they can be kept when they come.
  /// - Returns: writes them; they are on disk when it returns.
  func prepare() throws -> (SessionTokens) throws -> Void
  /// Forgets the tokens.
  /// - Returns: whether they are gone; false when only the user can do that.
  func forget() throws -> Bool
}
