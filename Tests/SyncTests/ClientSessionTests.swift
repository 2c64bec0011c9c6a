import Content
import Foundation
import Interchange
import JSONText
import RegistryClient
import Synchronization
import TestSupport
import Testing

/// Sessions: the sources of tokens, and how tokens are renewed.
@Suite struct ClientSessionTests {
  private static let user = #"{"id":"3f0d0a6e-5b0c-4d8f-9b0e-1a2b3c4d5e6f","email":null,"username":"captain"}"#

  private static func tokens(_ access: String, _ refresh: String, seconds: Int = 900) -> String {
    #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","token_type":"bearer","expires_in":\#(seconds),"user":\#(user)}"#
  }

  private static func connection(
    _ url: String, file: String? = nil, timeout: Double = 5, _ environment: [String: String] = [:]
  ) throws -> RegistryConnection {
    RegistryConnection(
      try RegistryAddress(url), tokenFile: file, timeout: timeout,
      environment: ["HOME": "/nowhere"].merging(environment) { $1 })
  }

  private static func secret(_ scratch: Scratch, _ text: String, mode: Int = 0o600) throws -> String {
    let path = try scratch.write("token", text)
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    return path
  }

  private static func mode(_ path: String) throws -> Int {
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    return try #require(mode)
  }

  /// Returns a registry that accepts only the token from its renewal endpoint.
  private static func renewing() throws -> ScriptedServer {
    try ScriptedServer { request in
      if request.path.hasSuffix("/auth/refresh") {
        return .late(50, 200, tokens("new", "refresh-2"))
      }
      return request.field("Authorization") == "Bearer new"
        ? .answer(200, [], user) : .answer(401, [], #"{"status":401,"code":"unauthorized","detail":"Expired."}"#)
    }
  }

  @Test func manyThreadsMeetOneRenewal() throws {
    let server = try Self.renewing()
    let client = try Self.connection(server.url, ["FLEETKIT_TOKEN": "old", "FLEETKIT_REFRESH_TOKEN": "refresh-1"])
      .client()
    let good = Atomic<Int>(0)
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      if (try? client.me())?.username == "captain" { good.add(1, ordering: .relaxed) }
    }
    #expect(good.load(ordering: .relaxed) == 64)
    let renewals = server.requests.filter { $0.path.hasSuffix("/auth/refresh") }
    #expect(renewals.count == 1)
    #expect(renewals.first.map { String(decoding: $0.body, as: UTF8.self) } == #"{"refresh_token":"refresh-1"}"#)
    #expect(renewals.first?.field("Authorization") == nil)
  }

  @Test(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason))
  func aSessionOfTheRealRegistryRenewsAgainAndAgain() throws {
    let registry = try LocalRegistry()
    var tokens = try registry.signIn()
    tokens.access = "x.y.z"
    let scratch = Scratch()
    let path = try Self.secret(
      scratch, #"{"access_token":"x.y.z","refresh_token":"\#(try #require(tokens.refresh))"}"#)
    for _ in 0..<3 {
      #expect(try Self.connection(registry.url, file: path).client().me().username.hasPrefix("captain"))
      // Make it look as if the access token had expired meanwhile.
      let root = try JSONDocument(parsing: try scratch.text("token")).root
      #expect(root["access_token"]?.string != "x.y.z" && root["user"]?["username"]?.string != nil)
      let refresh = try #require(root["refresh_token"]?.string)
      _ = try Self.secret(scratch, #"{"access_token":"x.y.z","refresh_token":"\#(refresh)"}"#)
    }
    #expect(scratch.names == ["token", "token.lock"])
  }

  @Test(.enabled(if: LocalRegistry.isThere, LocalRegistry.reason))
  func sessionsThatShareAFileDoNotEndEachOther() throws {
    let registry = try LocalRegistry()
    let scratch = Scratch()
    let tokens = try registry.signIn()
    let path = try Self.secret(
      scratch, #"{"access_token":"x.y.z","refresh_token":"\#(try #require(tokens.refresh))"}"#)
    // Eight independent sessions, as in eight processes.
    let clients = try (0..<8).map { _ in try Self.connection(registry.url, file: path).client() }
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: 8) { index in
      do {
        for _ in 0..<5 { _ = try clients[index].me() }
      } catch {
        errors.withLock { $0.append("\(error)") }
      }
    }
    #expect(errors.withLock { $0 } == [])
    #expect(try Self.mode(path) == 0o600)
  }

  @Test func aTokenIsRenewedBeforeItEnds() throws {
    let server = try Self.renewing()
    let scratch = Scratch()
    let path = try Self.secret(
      scratch, #"{"access_token":"old","refresh_token":"r","expires_at":"2020-01-01T00:00:00Z"}"#)
    _ = try Self.connection(server.url, file: path).client().me()
    #expect(server.requests.map(\.path) == ["/api/v1/auth/refresh", "/api/v1/users/me"])
  }

  @Test func aSecondNoIsTheEnd() throws {
    let server = try ScriptedServer { request in
      request.path.hasSuffix("/auth/refresh")
        ? .answer(200, [], Self.tokens("new", "refresh-2")) : .answer(401, [], #"{"detail":"No."}"#)
    }
    let client = try Self.connection(server.url, ["FLEETKIT_TOKEN": "old", "FLEETKIT_REFRESH_TOKEN": "r"]).client()
    #expect(Self.isSignInNeeded { _ = try client.me() })
    #expect(server.requests.count == 3)
    // Without a refresh token, the original access token is used, and its refusal is final.
    let poor = try Self.connection(server.url, ["FLEETKIT_TOKEN": "old"]).client()
    #expect(Self.isSignInNeeded { _ = try poor.me() })
    #expect(server.requests.count == 4)
  }

  @Test func aRenewalWhoseAnswerIsLostIsAskedForAgain() throws {
    for reply in [ScriptedServer.Reply.hang, .close, .reset, .answer(200, [], "<html>"), .answer(502)] {
      let count = Atomic<Int>(0)
      let server = try ScriptedServer { request in
        if request.path.hasSuffix("/auth/refresh") {
          let isFirst = count.wrappingAdd(1, ordering: .relaxed).newValue == 1
          return isFirst ? reply : .answer(200, [], Self.tokens("new", "r2"))
        }
        return request.field("Authorization") == "Bearer new" ? .answer(200, [], Self.user) : .answer(401)
      }
      let client = try Self.connection(
        server.url, timeout: 2, ["FLEETKIT_TOKEN": "old", "FLEETKIT_REFRESH_TOKEN": "r"]
      ).client()
      #expect(try client.me().username == "captain")
      let bodies = server.requests.filter { $0.path.hasSuffix("/auth/refresh") }.map(\.body)
      #expect(bodies.count == 2 && bodies[0] == bodies[1], "\(reply)")
    }
  }

  @Test func aRenewalThatIsNeverAnsweredLeavesTheTokensAsTheyAre() throws {
    let isAway = Atomic<Bool>(true)
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/auth/refresh") {
        return isAway.load(ordering: .relaxed) ? .close : .answer(200, [], Self.tokens("new", "r2"))
      }
      return request.field("Authorization") == "Bearer new" ? .answer(200, [], Self.user) : .answer(401)
    }
    let client = try Self.connection(server.url, ["FLEETKIT_TOKEN": "old", "FLEETKIT_REFRESH_TOKEN": "r"]).client()
    #expect(Self.unreachable { _ = try client.me() }?.contains("renewed") == true)
    isAway.store(false, ordering: .relaxed)
    #expect(try client.me().username == "captain")
  }

  @Test func aRegistryThatIsBusyIsAskedToRenewAgainLater() throws {
    let isBusy = Atomic<Bool>(true)
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/auth/refresh") {
        return isBusy.load(ordering: .relaxed)
          ? .answer(503, ["Retry-After: 3"], #"{"detail":"Busy."}"#) : .answer(200, [], Self.tokens("new", "r2"))
      }
      return request.field("Authorization") == "Bearer new" ? .answer(200, [], Self.user) : .answer(401)
    }
    let client = try Self.connection(server.url, ["FLEETKIT_TOKEN": "old", "FLEETKIT_REFRESH_TOKEN": "r"]).client()
    #expect(throws: RegistryError.refused(RegistryRefusal(status: 503, detail: "Busy.", retryAfter: 3))) {
      _ = try client.me()
    }
    isBusy.store(false, ordering: .relaxed)
    #expect(try client.me().username == "captain")
  }

  @Test func newTokensAreOnDiskBeforeTheyAreUsed() throws {
    let scratch = Scratch()
    let path = try Self.secret(scratch, #"{"access_token":"old","refresh_token":"r","note":1}"#)
    let seen = Mutex<[String]>([])
    let server = try ScriptedServer { request in
      if request.path.hasSuffix("/auth/refresh") { return .answer(200, [], Self.tokens("new", "r2")) }
      if request.field("Authorization") != "Bearer new" { return .answer(401) }
      seen.withLock { $0.append((try? scratch.text("token")) ?? "") }
      return .answer(200, [], Self.user)
    }
    _ = try Self.connection(server.url, file: path).client().me()
    let kept = try #require(seen.withLock { $0.first })
    let root = try JSONDocument(parsing: kept).root
    #expect(root["access_token"]?.string == "new" && root["refresh_token"]?.string == "r2")
    #expect(try Self.mode(path) == 0o600)
  }

  @Test func whatOnePersonBeganIsNotGoneOnWithByAnother() throws {
    let scratch = Scratch()
    let path = try Self.secret(scratch, #"{"access_token":"first","refresh_token":"r1"}"#)
    let server = try ScriptedServer { request in
      request.field("Authorization") == "Bearer \((try? scratch.text("takes")) ?? "first")"
        ? .answer(200, [], Self.user) : .answer(401, [], #"{"detail":"Expired."}"#)
    }
    let client = try Self.connection(server.url, file: path).client()
    #expect(try client.me().username == "captain")
    _ = try scratch.write("takes", "second")
    _ = try Self.secret(
      scratch,
      #"{"access_token":"second","user":{"id":"00000000-0b7e-4c5d-8a51-6d1f0c3e7a10","username":"mate"}}"#)
    #expect(Self.isSignInNeeded { _ = try client.me() })
    #expect(server.requests.allSatisfy { $0.field("Authorization") == "Bearer first" })
    // The same user is accepted again, and the run continues.
    _ = try Self.secret(scratch, #"{"access_token":"second","user":\#(Self.user)}"#)
    #expect(try client.me().username == "captain")
  }

  @Test func aLinkToATokenFileStaysALink() throws {
    let scratch = Scratch()
    let path = try Self.secret(scratch, #"{"access_token":"old","refresh_token":"r"}"#)
    try FileManager.default.createSymbolicLink(atPath: scratch["link"], withDestinationPath: path)
    let server = try Self.renewing()
    _ = try Self.connection(server.url, file: scratch["link"]).client().me()
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: scratch["link"]) == path)
    #expect(try scratch.text("token").contains(#""access_token":"new""#))
  }

  @Test func filesThatOthersCanReadAreRefused() throws {
    let scratch = Scratch()
    for mode in [0o644, 0o640, 0o606] {
      let path = try Self.secret(scratch, "token", mode: mode)
      #expect { _ = try Self.connection("http://127.0.0.1:1", file: path).client() } throws: { error in
        let failure = error as? RunFailure
        return failure?.status == .usage && failure?.advice?.contains("chmod 600 '\(path)'") == true
      }
    }
    for text in ["", "two words", "{}", #"{"access_token":7}"#, "{\"access_token\":\"a\\nb\"}"] {
      let path = try Self.secret(scratch, text)
      #expect(throws: RunFailure.self, "\(text)") {
        _ = try Self.connection("http://127.0.0.1:1", file: path).client()
      }
    }
    #expect(throws: RunFailure.self) {
      _ = try Self.connection("http://127.0.0.1:1", file: scratch["none"]).client()
    }
    #expect(throws: RunFailure.self) {
      _ = try Self.connection("http://127.0.0.1:1", ["FLEETKIT_TOKEN": "a b"]).client()
    }
  }

  @Test func plainTokenFilesMayEndWithALineBreak() throws {
    let server = try ScriptedServer {
      $0.field("Authorization") == "Bearer abc" ? .answer(200, [], Self.user) : .answer(401)
    }
    let scratch = Scratch()
    let path = try Self.secret(scratch, "abc\r\n")
    #expect(try Self.connection(server.url, file: path).client().me().username == "captain")
  }

  @Test func tokensDoNotShowWhenTheyArePrinted() {
    let tokens = SessionTokens(
      access: "secret-1", refresh: "secret-2", user: RegistryUser(id: "1", username: "captain"))
    var dumped = ""
    dump(tokens, to: &dumped)
    dump([tokens], to: &dumped)
    for text in ["\(tokens)", String(reflecting: tokens), "\([tokens])", "\(Optional(tokens) as Any)", dumped] {
      #expect(!text.contains("secret"), "\(text)")
    }
  }

  private static func unreachable(_ body: () throws -> Void) -> String? {
    do {
      try body()
    } catch RegistryError.unreachable(let words) {
      return words
    } catch {
      Issue.record("\(error)")
    }
    return nil
  }

  private static func isSignInNeeded(_ body: () throws -> Void) -> Bool {
    do {
      try body()
    } catch RegistryError.signInNeeded {
      return true
    } catch {
      Issue.record("\(error)")
    }
    return false
  }
}
