import Content
import Foundation
import Interchange
import JSONText

/// The sessions that `login` stores: one file per user, with one session for each registry.
///
/// The file is `~/.config/fleetkit/credentials.json` with mode 0600, in a folder with mode 0700.
package struct CredentialsFile: TokenStore {
  private let file: SecretFile
  private let registry: String

  /// The path of the file.
  package var path: String { file.path }
  package var name: String { "'\(file.path)'" }

  /// Locates the file; it need not exist.
  /// - Parameter environment: the environment variables; XDG_CONFIG_HOME or else HOME names the settings folder.
  /// - Throws: `RunFailure` with status 64 if there is no home folder.
  package init(environment: [String: String], registry: RegistryAddress) throws(RunFailure) {
    file = SecretFile(path: try Self.path(environment))
    self.registry = registry.text
  }

  private static func path(_ environment: [String: String]) throws(RunFailure) -> String {
    let home: String
    if let folder = environment["XDG_CONFIG_HOME"], folder.hasPrefix("/") {
      home = folder
    } else if let folder = environment["HOME"], folder.hasPrefix("/") {
      home = folder + "/.config"
    } else {
      throw RunFailure(.usage, "find the credentials: HOME is not set", advice: "Set HOME, or use --token-file.")
    }
    return home + "/fleetkit/credentials.json"
  }

  /// Returns the user who is signed in on this device; nil if there is no such user or more than one, or if the file
  /// cannot be used.
  static func onlyUser(environment: [String: String]) -> RegistryUser? {
    guard let path = try? path(environment),
      let sessions = try? CredentialsFile(file: SecretFile(path: path), registry: "").sessions(), sessions.count == 1
    else { return nil }
    return SessionTokens(kept: sessions[0].value)?.user
  }

  private init(file: SecretFile, registry: String) {
    self.file = file
    self.registry = registry
  }

  package func read() throws -> SessionTokens? {
    try sessions().first { $0.registry == registry }.flatMap { SessionTokens(kept: $0.value) }
  }

  package func exclusively<Answer>(_ body: () throws -> Answer) throws -> Answer {
    try makeFolder()
    return try file.exclusively(body)
  }

  package func prepare() throws -> (SessionTokens) throws -> Void {
    let write = try file.prepare()
    return { tokens in try write(self.text(replacing: tokens)) }
  }

  package func forget() throws -> Bool {
    try exclusively {
      // When the last session is removed, the file is removed too.
      if try sessions().contains(where: { $0.registry != registry }) {
        try file.prepare()(text(replacing: nil))
      } else {
        try file.remove()
      }
    }
    return true
  }

  /// Returns all sessions, in the order of the file.
  private func sessions() throws(RunFailure) -> [(registry: String, value: JSONValue)] {
    guard let bytes = try file.read() else { return [] }
    guard let root = try? JSONDocument(parsing: bytes).root, root.kind == .object, root["version"]?.integer == 1 else {
      throw RunFailure(
        .usage, "read '\(file.path)': it was not written by FleetKit", advice: "Remove the file, and sign in again.")
    }
    return (root["registries"]?.members ?? []).map { (registry: $0.name, value: $0.value) }
  }

  private func text(replacing tokens: SessionTokens?) throws -> [UInt8] {
    var text = ByteBuffer(capacity: 4096)
    text.append(#"{"version":1,"registries":{"#)
    var isFirst = true
    let begin = { (text: inout ByteBuffer, name: String) in
      text.append(isFirst ? "\n" : ",\n")
      isFirst = false
      text.appendJSONString(name)
      text.append(":")
    }
    for session in try sessions() where session.registry != registry {
      begin(&text, session.registry)
      session.value.withNode { text.append($0.raw.span) }
    }
    if let tokens {
      begin(&text, registry)
      tokens.append(to: &text)
    }
    text.append("\n}}\n")
    return text.copy(0..<text.count)
  }

  private func makeFolder() throws {
    let folder = URL(fileURLWithPath: file.path).deletingLastPathComponent().path
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw RunFailure(.failed, "make the folder '\(folder)': \(error.localizedDescription)")
    }
  }
}
