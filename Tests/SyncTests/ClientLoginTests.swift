import Foundation
import JSONText
import RegistryClient
import TestSupport
import Testing

/// `fleetkit login` and `logout`, tested with real processes and the real registry.
@Suite(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason)) struct ClientLoginTests {
  /// Runs the command with its own home folder, and fails if the output contains a word that looks like a token.
  private func run(
    _ home: Scratch, _ arguments: [String], input: String? = nil, _ environment: [String: String] = [:]
  ) throws -> Answer {
    let clean = [
      "HOME": home.path, "XDG_CONFIG_HOME": "", "FLEETKIT_TOKEN": "", "FLEETKIT_REFRESH_TOKEN": "",
      "http_proxy": "", "https_proxy": "", "HTTPS_PROXY": "", "ALL_PROXY": "", "all_proxy": "", "NO_PROXY": "",
      "no_proxy": "",
    ]
    let answer = try Shell.run(
      Paths.command, arguments, input: input, environment: clean.merging(environment) { $1 })
    #expect((answer.output + answer.errors).firstMatch(of: /fkr_|eyJ|secret-/) == nil, "\(answer)")
    return answer
  }

  private func mode(_ path: String) throws -> Int? {
    try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
  }

  @Test func aSessionBeginsLastsAndEnds() throws {
    let registry = try LocalRegistry()
    let home = Scratch()
    let begun = try run(home, ["login", "--registry", registry.url, "--dev-email", "captain@example.com"])
    #expect(begun.status == 0 && begun.output.isEmpty, "\(begun)")
    #expect(begun.errors.contains(registry.url) && begun.errors.contains("captain"))
    #expect(begun.errors.contains(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/))
    let path = home[".config/fleetkit/credentials.json"]
    #expect(try mode(path) == 0o600 && mode(home[".config/fleetkit"]) == 0o700)

    let status = try run(home, ["login", "--registry", registry.url + "/api/v1/", "--status"])
    #expect(status.status == 0 && status.output.hasPrefix("captain"))

    // The access token has expired: the next command renews it, stores the new one, and continues.
    let kept = try String(contentsOfFile: path, encoding: .utf8)
    let old = try #require(JSONDocument(parsing: kept).root["registries"]?[registry.url]?["access_token"]?.string)
    try kept.replacingOccurrences(of: old, with: "x.y.z").write(toFile: path, atomically: false, encoding: .utf8)
    #expect(try run(home, ["login", "--registry", registry.url, "--status"]).status == 0)
    let next = try JSONDocument(parsing: String(contentsOfFile: path, encoding: .utf8)).root
    #expect(next["registries"]?[registry.url]?["access_token"]?.string != "x.y.z")

    let ended = try run(home, ["logout", "--registry", registry.url])
    #expect(ended.status == 0 && ended.errors.contains(registry.url), "\(ended)")
    #expect(!FileManager.default.fileExists(atPath: path))
    #expect(try run(home, ["login", "--registry", registry.url, "--status"]).status == 77)
    let again = try run(home, ["logout", "--registry", registry.url])
    #expect(again.status == 0 && again.errors != ended.errors)
    // The registry has ended the session, too.
    let access = try #require(next["registries"]?[registry.url]?["access_token"]?.string)
    #expect(
      try run(home, ["login", "--registry", registry.url, "--status"], ["FLEETKIT_TOKEN": access]).status == 77)
    #expect(!registry.log.contains(access))
  }

  @Test func everyRegistryHasASessionOfItsOwn() throws {
    let registries = try [LocalRegistry(), LocalRegistry()]
    let home = Scratch()
    for (registry, name) in zip(registries, ["captain", "mate"]) {
      let answer = try run(
        home, ["login", "--json", "--registry", registry.url, "--dev-email", "\(name)@example.com"],
        ["XDG_CONFIG_HOME": home["settings"]])
      let root = try JSONDocument(parsing: answer.output).root
      #expect(root["username"]?.string?.hasPrefix(name) == true && root["renews_itself"]?.bool == true)
      #expect(root["kept_in"]?.string == home["settings/fleetkit/credentials.json"])
    }
    let environment = ["XDG_CONFIG_HOME": home["settings"]]
    #expect(try run(home, ["logout", "--registry", registries[0].url], environment).status == 0)
    #expect(try run(home, ["login", "--status", "--registry", registries[0].url], environment).status == 77)
    let other = try run(home, ["login", "--status", "--registry", registries[1].url], environment)
    #expect(other.output.hasPrefix("mate"), "\(other)")
  }

  @Test func tokensAreForgottenAlsoWhenTheRegistryIsNotThere() throws {
    let registry = try LocalRegistry()
    let home = Scratch()
    _ = try run(home, ["login", "--registry", registry.url, "--dev-email", "captain@example.com"])
    registry.stop()
    let answer = try run(home, ["logout", "--registry", registry.url])
    #expect(answer.status == 69 && answer.errors.contains(registry.url), "\(answer)")
    #expect(!FileManager.default.fileExists(atPath: home[".config/fleetkit/credentials.json"]))
  }

  @Test func aSessionCanBeKeptInAFileOfOnesOwn() throws {
    let registry = try LocalRegistry()
    let home = Scratch()
    let file = home["mine.json"]
    let options = ["--registry", registry.url, "--token-file", file]
    #expect(try run(home, ["login", "--dev-email", "captain@example.com"] + options).status == 0)
    #expect(try mode(file) == 0o600)
    #expect(!FileManager.default.fileExists(atPath: home[".config"]))
    #expect(try run(home, ["login", "--status"] + options).output.hasPrefix("captain"))
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file)
    let open = try run(home, ["login", "--status"] + options)
    #expect(open.status == 64 && open.errors.contains("chmod 600"))
    try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file)
    #expect(try run(home, ["logout"] + options).status == 0)
    #expect(!FileManager.default.fileExists(atPath: file))
  }

  @Test func whatIsNoIdentityIsRefused() throws {
    let registry = try LocalRegistry()
    let home = Scratch()
    let login = ["login", "--registry", registry.url]
    let wrong = try run(home, login + ["--identity-token-file", "-"], input: "secret-a.secret-b.secret-c\n")
    #expect(wrong.status == 77 && !wrong.errors.contains("secret-"), "\(wrong)")
    #expect(try run(home, login + ["--identity-token-file", "-"], input: "").status == 64)
    #expect(try run(home, login + ["--identity-token-file", home["none"]]).status == 64)
    #expect(try run(home, login).status == 64)
    #expect(try run(home, login + ["--dev-email", "a@b.cc", "--status"]).status == 64)
    #expect(try run(home, login + ["--dev-email", "no address"]).status == 64)
    #expect(try run(home, ["login", "--dev-email", "a@b.cc"]).status == 64)
    let password = try run(home, ["login", "--registry", "https://a:secret-x@b.org", "--dev-email", "a@b.cc"])
    #expect(password.status == 64)
    #expect(!FileManager.default.fileExists(atPath: home[".config/fleetkit/credentials.json"]))
  }
}
