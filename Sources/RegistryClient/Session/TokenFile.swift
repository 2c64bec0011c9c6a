import Content
import Foundation
import Interchange
import JSONText

/// A user's file with tokens as JSON, in the form of a sign-in's answer. Renewed tokens are written to it.
package struct TokenFile: TokenStore {
  private let file: SecretFile

  package var name: String { "the token file '\(file.path)'" }

  init(_ file: SecretFile) { self.file = file }

  /// Opens a file that holds only an access token, or JSON with `access_token`, and with `refresh_token` if the session
  /// is to be renewed.
  /// - Throws: `RunFailure` with status 64 when the file is missing, other users can read it, or it contains no token.
  static func open(_ path: String) throws -> any TokenStore {
    let file = SecretFile(path: path)
    guard let bytes = try file.read() else {
      throw RunFailure(.usage, "read tokens from '\(path)': there is no such file", advice: "Check --token-file.")
    }
    if bytes.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") {
      _ = try tokens(bytes, path)
      return TokenFile(file)
    }
    let word = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
    let tokens = SessionTokens(access: word)
    guard tokens.isSendable else { throw holdsNone(path) }
    return EphemeralTokenStore(tokens, name: "the token file '\(path)'")
  }

  package func read() throws -> SessionTokens? {
    try file.read().map { try Self.tokens($0, file.path) }
  }

  package func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer { try file.exclusively(body) }

  package func prepare() throws -> (SessionTokens) throws -> Void {
    let write = try file.prepare()
    return { tokens in
      var text = ByteBuffer(capacity: 4096)
      tokens.append(to: &text)
      text.append("\n")
      try write(text.copy(0..<text.count))
    }
  }

  package func forget() throws -> Bool {
    try file.remove()
    return true
  }

  private static func tokens(_ bytes: [UInt8], _ path: String) throws(RunFailure) -> SessionTokens {
    guard let root = try? JSONDocument(parsing: bytes).root, let tokens = SessionTokens(kept: root) else {
      throw holdsNone(path)
    }
    return tokens
  }

  private static func holdsNone(_ path: String) -> RunFailure {
    RunFailure(
      .usage, "read tokens from '\(path)': it contains no token",
      advice: #"Write only an access token into it, or {"access_token": "…", "refresh_token": "…"}."#)
  }
}
