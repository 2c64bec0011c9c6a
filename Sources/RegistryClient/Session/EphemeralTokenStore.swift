import Synchronization

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
