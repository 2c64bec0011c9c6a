import Foundation
import TestSupport
import Testing

/// A token is sent only to the registry that the user named or signed in to. It is not sent to a registry that a
/// library names, or to the target of a redirect.
@Suite struct TokenScopeTests {
  private static let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","username":"captain"}"#
  private let scratch = Scratch()

  private func server() throws -> ScriptedServer {
    try ScriptedServer { request in
      request.path.hasSuffix("/users/me")
        ? .answer(200, [], Self.user) : .answer(200, [], #"{"items":[],"results":[]}"#)
    }
  }

  private func run(_ arguments: [String], _ environment: [String: String] = [:]) throws -> Answer {
    let clean = [
      "HOME": scratch.path, "XDG_CONFIG_HOME": "", "FLEETKIT_TOKEN": "", "FLEETKIT_REFRESH_TOKEN": "",
    ]
    return try Shell.run(Paths.command, arguments, environment: clean.merging(environment) { $1 })
  }

  /// Creates another person's library, whose store names a registry.
  private func library(naming url: String) throws -> SyncLibrary {
    let library = try SyncLibrary()
    try library.publish(1)
    #expect(try run(["import", Paths.root + "/samples/ci", "--into", library.path]).status == 0)
    try SQLiteShell.run(
      library.path + ".fleetkit/state.sqlite",
      """
      INSERT INTO registry_binding (one, registry, user_id, username, bound_at)
      VALUES (1, '\(url)', '3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f', 'captain', '2026-01-05 10:11:12.000');
      """)
    return library
  }

  /// Returns the sources of a token other than `login`: options and variables.
  private func tokens() throws -> [([String], [String: String])] {
    let plain = try scratch.write("token.txt", "secret-1")
    let json = try scratch.write("token.json", #"{"access_token":"secret-1","refresh_token":"secret-2"}"#)
    for file in [plain, json] { chmod(file, 0o600) }
    return [
      (["--token-file", plain], [:]), (["--token-file", json], [:]), ([], ["FLEETKIT_TOKEN": "secret-1"]),
      ([], ["FLEETKIT_TOKEN": "secret-1", "FLEETKIT_REFRESH_TOKEN": "secret-2"]),
    ]
  }

  @Test func aLibraryDoesNotSayWhereTokensGo() throws {
    let evil = try server()
    let library = try library(naming: evil.url)
    let verbs = [
      ["sync", library.path], ["pull", library.path], ["logout", library.path],
      ["update", library.path, "--id", SyncLibrary.id(1), "--take", "remote"],
    ]
    for (options, variables) in try tokens() {
      for verb in verbs {
        let answer = try run(verb + options, variables)
        #expect(answer.status == 77, "\(verb): \(answer)")
        #expect(answer.errors.contains("--registry \(evil.url)"), "\(verb): \(answer.errors)")
        #expect(!(answer.output + answer.errors).contains("secret-"))
      }
      // Nothing is sent, so no token is refused.
      #expect(try run(["sync", library.path, "--dry-run"] + options, variables).status == 0)
      // These commands call the registry without a session.
      _ = try run(["fork", "fire-0D0939BC", "--into", library.path] + options, variables)
      _ = try run(["lineage", library.path, "--id", SyncLibrary.id(1)] + options, variables)
    }
    #expect(evil.requests.allSatisfy { $0.field("Authorization") == nil })
    #expect(evil.requests.allSatisfy { !String(decoding: $0.body, as: UTF8.self).contains("secret-") })
    #expect(!evil.requests.contains { $0.path.hasPrefix("/api/v1/auth") })
    evil.end()
  }

  @Test func aRegistryThatIsNamedGetsTheToken() throws {
    let named = try server()
    let library = try library(naming: named.url)
    for (options, variables) in try tokens() {
      _ = try run(["sync", library.path, "--no-wait", "--registry", named.url] + options, variables)
    }
    #expect(named.requests.contains { $0.field("Authorization") == "Bearer secret-1" })
    named.end()
  }

  @Test func aRegistryThatTheUserSignedInToGetsTheToken() throws {
    let known = try server()
    let library = try library(naming: known.url)
    let folder = scratch[".config/fleetkit"]
    try FileManager.default.createDirectory(
      atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let kept = try scratch.write(
      ".config/fleetkit/credentials.json",
      #"{"version":1,"registries":{"\#(known.url)":{"access_token":"kept"}}}"#)
    chmod(kept, 0o600)
    _ = try run(["sync", library.path, "--no-wait"])
    _ = try run(["sync", library.path, "--no-wait"], ["FLEETKIT_TOKEN": "secret-1"])
    let sent = known.requests.compactMap { $0.field("Authorization") }
    #expect(sent.contains("Bearer kept") && sent.contains("Bearer secret-1"), "\(sent)")
    // A stored token belongs only to its registry.
    let other = try server()
    let foreign = try self.library(naming: other.url)
    #expect(try run(["sync", foreign.path, "--no-wait"]).status == 77)
    #expect(other.requests.allSatisfy { $0.field("Authorization") == nil })
    known.end()
    other.end()
  }

  @Test func aRedirectIsNotFollowed() throws {
    let target = try server()
    for status in [302, 307] {
      let first = try ScriptedServer { _ in .answer(status, ["Location: \(target.url)/api/v1/users/me"]) }
      let library = try library(naming: first.url)
      for verb in [["sync", library.path, "--no-wait"], ["pull", library.path], ["login", "--status"]] {
        let answer = try run(verb + ["--registry", first.url], ["FLEETKIT_TOKEN": "secret-1"])
        #expect(answer.status == 69, "\(verb): \(answer)")
      }
      #expect(first.requests.contains { $0.field("Authorization") == "Bearer secret-1" })
      first.end()
    }
    #expect(target.requests.isEmpty)
    target.end()
  }
}
