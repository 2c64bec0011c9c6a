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
  /// - Throws: `RunFailure` with status 64 if the file is missing, other users can read it, or it contains no token.
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

/// A small file with tokens. It is read only if no other user can read it, and it is always replaced as a whole.
struct SecretFile: Sendable {
  let path: String

  /// The maximum number of bytes that are read.
  private static let limit = 1 << 20

  /// Reads the file's bytes; returns nil if there is no such file.
  /// - Throws: `RunFailure` with status 64 if other users can read the file, or if it cannot be read.
  func read() throws(RunFailure) -> [UInt8]? {
    let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard file >= 0 else {
      if errno == ENOENT || errno == ENOTDIR { return nil }
      throw RunFailure(.usage, "read tokens from '\(path)': \(SystemError.last)", advice: "Check the file.")
    }
    defer { close(file) }
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RunFailure(
        .usage, "read tokens from '\(path)': it is not a regular file", advice: "Name a file with a token.")
    }
    guard status.st_mode & 0o077 == 0 else {
      throw RunFailure(
        .usage, "read tokens from '\(path)': other users of this machine can read it",
        advice: "Make it private: chmod 600 '\(path)'")
    }
    var bytes: [UInt8] = []
    while bytes.count <= Self.limit {
      let count = bytes.count
      bytes.append(contentsOf: [UInt8](repeating: 0, count: 16 << 10))
      let got = bytes.withUnsafeMutableBytes { FileRead.some(file, into: .init(rebasing: $0[count...])) }
      bytes.removeLast(16 << 10 - max(0, got))
      guard got >= 0 else {
        throw RunFailure(.usage, "read tokens from '\(path)': \(SystemError.last)", advice: "Check the file.")
      }
      if got == 0 { return bytes }
    }
    throw RunFailure(.usage, "read tokens from '\(path)': it is too large for a file with tokens")
  }

  /// Makes room for new contents. The returned function writes them and renames the file to its final name, with mode
  /// 0600.
  func prepare() throws -> ([UInt8]) throws -> Void {
    // A symbolic link is kept: its target is replaced.
    let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let file = try AtomicFile(target, overwrites: true)
    guard fchmod(file.descriptor, 0o600) == 0 else {
      throw RunFailure(.failed, "store tokens in '\(path)': \(SystemError.last)")
    }
    return { bytes in
      let sink = ByteSink(descriptor: file.descriptor, name: path)
      try sink.write(bytes.span)
      try sink.flush()
      try file.publish()
    }
  }

  /// Removes the file.
  func remove() throws(RunFailure) {
    guard unlink(path) == 0 || errno == ENOENT else {
      throw RunFailure(.failed, "remove '\(path)': \(SystemError.last)", advice: "Remove the file yourself.")
    }
  }

  /// Runs `body` while holding the file's lock, a separate lock file in the same folder, so that no other process uses
  /// the file.
  /// - Throws: `RunFailure` with status 7 if the lock is not free within half a minute.
  func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer {
    let name = path + ".lock"
    let lock = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard lock >= 0 else {
      throw RunFailure(.failed, "lock '\(name)': \(SystemError.last)", advice: "Check the folder.")
    }
    defer { close(lock) }
    var waited = 0
    while flock(lock, LOCK_EX | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR else {
        throw RunFailure(.failed, "lock '\(name)': \(SystemError.last)", advice: "Check the folder.")
      }
      guard waited < 1500 else {
        throw RunFailure(.locked, "lock '\(name)': another process holds it", advice: "Try again when it has ended.")
      }
      usleep(20_000)
      waited += 1
    }
    return try body()
  }
}
