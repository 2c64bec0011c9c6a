import Foundation
import TestSupport
import Testing

/// Proxies, certificates and machines without libcurl, configured through the environment of a process.
@Suite struct ClientNetworkTests {
  private static let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","username":"captain"}"#

  /// Requests the signed-in user in a process with exactly this environment.
  private func ask(_ url: String, _ environment: [String: String], _ more: [String] = []) throws -> Answer {
    let clean = [
      "HOME": "/nowhere", "XDG_CONFIG_HOME": "", "FLEETKIT_TOKEN": "secret-1", "FLEETKIT_REFRESH_TOKEN": "",
      "http_proxy": "", "https_proxy": "", "HTTPS_PROXY": "", "ALL_PROXY": "", "all_proxy": "", "NO_PROXY": "",
      "no_proxy": "", "SSL_CERT_FILE": "",
    ]
    let answer = try Shell.run(
      Paths.command, ["login", "--status", "--timeout", "5", "--registry", url] + more,
      environment: clean.merging(environment) { $1 })
    #expect(!(answer.output + answer.errors).contains("secret-"), "\(answer)")
    return answer
  }

  @Test func theProxyVariablesCount() throws {
    let proxy = try ScriptedServer { _ in .answer(200, [], Self.user) }
    let plain = ["--insecure-http"]
    let through = try ask("http://registry.invalid:8080", ["http_proxy": proxy.url], plain)
    #expect(through.status == 0 && through.output == "captain\n", "\(through)")
    #expect(proxy.requests.map(\.line) == ["GET http://registry.invalid:8080/api/v1/users/me HTTP/1.1"])
    #expect(try ask("http://registry.invalid", ["ALL_PROXY": proxy.url], plain).status == 0)
    #expect(proxy.requests.count == 2)
    let around = try ask(
      "http://registry.invalid", ["http_proxy": proxy.url, "NO_PROXY": "other.org,registry.invalid"], plain)
    #expect(around.status == 69 && proxy.requests.count == 2, "\(around)")
  }

  @Test func whatIsSentInATunnelIsNotShownToTheProxy() throws {
    for variable in ["https_proxy", "HTTPS_PROXY", "ALL_PROXY"] {
      let proxy = try ScriptedServer { _ in .answer(403) }
      let answer = try ask("https://registry.invalid", [variable: proxy.url])
      #expect(answer.status == 69, "\(answer)")
      #expect(proxy.requests.map(\.line) == ["CONNECT registry.invalid:443 HTTP/1.1"])
      #expect(proxy.requests.first?.field("Authorization") == nil)
    }
    let gone = try ScriptedServer { _ in .close }
    gone.end()
    #expect(try ask("https://registry.invalid", ["https_proxy": gone.url]).status == 69)
  }

  @Test func thisMachineIsReachedDirectly() throws {
    let proxy = try ScriptedServer { _ in .close }
    let server = try ScriptedServer { _ in .answer(200, [], Self.user) }
    for host in ["127.0.0.1", "localhost"] {
      #expect(
        try ask("http://\(host):\(server.port)", ["http_proxy": proxy.url, "ALL_PROXY": proxy.url]).status == 0)
    }
    #expect(proxy.requests.isEmpty)
  }

  @Test(.enabled(if: Shell.has("openssl"), "openssl is not installed"))
  func certificatesAreChecked() throws {
    let scratch = Scratch()
    let made = try Shell.run(
      "openssl",
      [
        "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost", "-keyout", scratch["key"], "-out", scratch["cert"],
      ])
    try #require(made.status == 0, "\(made.errors)")
    let free = try ScriptedServer { _ in .close }
    free.end()
    let server = Process()
    server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    server.arguments = [
      "openssl", "s_server", "-quiet", "-www", "-accept", "127.0.0.1:\(free.port)", "-cert", scratch["cert"], "-key",
      scratch["key"],
    ]
    server.standardInput = FileHandle.nullDevice
    server.standardOutput = FileHandle.nullDevice
    server.standardError = FileHandle.nullDevice
    try server.run()
    // A milder signal would be ignored: the thread that starts the server blocks SIGTERM, and the server inherits this.
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    let url = "https://localhost:\(free.port)"
    // The server returns a page that is not a registry's answer. A client that reads it has accepted the certificate.
    let believed = ["SSL_CERT_FILE": scratch["cert"]]
    let end = ContinuousClock.now + .seconds(300)
    while try !ask(url, believed).errors.contains("JSON"), ContinuousClock.now < end { usleep(50_000) }
    let good = try ask(url, believed)
    #expect(good.status == 69 && good.errors.contains("JSON"), "\(good)")
    let stranger = try ask(url, [:])
    #expect(stranger.status == 69 && stranger.errors.contains("certificate"), "\(stranger)")
    let otherName = try ask("https://127.0.0.1:\(free.port)", believed)
    #expect(otherName.status == 69 && otherName.errors.contains("certificate"), "\(otherName)")
    let missing = try ask(url, ["SSL_CERT_FILE": scratch["none"]])
    #expect(missing.status == 69 && missing.errors.contains("certificate"), "\(missing)")
  }

  #if os(Linux)
    @Test func withoutLibcurlItIsSaidHowToGetIt() throws {
      let scratch = Scratch()
      for name in ["libcurl.so.4", "libcurl-gnutls.so.4"] { _ = try scratch.write(name, "no library") }
      let answer = try ask("http://127.0.0.1:1", ["LD_LIBRARY_PATH": scratch.path])
      #expect(answer.status == 64)
      #expect(answer.errors.contains("apt-get install libcurl4"), "\(answer)")
      // A command that sends nothing does not need libcurl.
      #expect(try Shell.run(Paths.command, ["formats"], environment: ["LD_LIBRARY_PATH": scratch.path]).status == 0)
    }

    @Test func aStartDoesNotLoadIt() throws {
      let answer = try Shell.run(Paths.command, ["--version"], environment: ["LD_DEBUG": "libs"])
      #expect(answer.status == 0 && !answer.errors.contains("libcurl"))
    }
  #endif
}
