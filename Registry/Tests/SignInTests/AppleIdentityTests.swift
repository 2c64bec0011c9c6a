import Content
import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@testable import SignIn

@Suite("Apple's identity tokens")
struct AppleIdentityTests {
  let forge: TokenForge
  let clock = HandClock()
  let scratch = Scratch()
  let tokens: AppleIdentityTokens

  init() async throws {
    forge = try await TokenForge.shared.value
    let path = scratch["keys.json"]
    try Data(try forge.keySet().utf8).write(to: URL(fileURLWithPath: path))
    var settings = TokenSettings()
    settings.appleClientIDs = ["org.example.fleet", "org.example.fleet.beta"]
    tokens = AppleIdentityTokens(keys: AppleKeys(.file(path), clock: clock.clock), settings: settings)
  }

  private func verify(_ token: String, nonce: String? = nil) async throws -> AppleIdentity {
    try await tokens.verify(token, nonce: nonce, now: clock.now.seconds)
  }

  private func verify(_ changes: [String: String?], nonce: String? = nil) async throws -> AppleIdentity {
    try await verify(try forge.rs256(TokenForge.identity(now: clock.now, changes)), nonce: nonce)
  }

  @Test("A token as Apple writes it names the person")
  func good() async throws {
    let identity = try await verify([:])
    #expect(identity.subject == "001234.abcdef.0567")
    #expect(identity.email == "skipper@example.com")
    #expect(!identity.isPrivateEmail)
    let other = try await verify(["aud": #""org.example.fleet.beta""#, "email_verified": "true"])
    #expect(other.email == "skipper@example.com")
  }

  @Test("An address that Apple has not verified is ignored")
  func unverified() async throws {
    for value in [#""false""#, "false", "1", nil] {
      #expect(try await verify(["email_verified": value]).email == nil, "\(value ?? "-")")
    }
  }

  @Test("A relay address is private, with or without a claim")
  func relay() async throws {
    #expect(try await verify(["is_private_email": #""true""#]).isPrivateEmail)
    #expect(try await verify(["is_private_email": "true"]).isPrivateEmail)
    #expect(try await verify(["email": #""k2x@privaterelay.appleid.com""#]).isPrivateEmail)
  }

  @Test(
    "A claim that is missing or another's is refused",
    arguments: [
      ["iss": #""https://appleid.apple.com/""#], ["iss": #""https://evil.example""#], ["iss": nil], ["iss": "7"],
      ["aud": #""org.example.other""#], ["aud": nil], ["aud": "[]"], ["aud": "7"],
      ["aud": #"["org.example.fleet","org.example.other"]"#],
      ["sub": nil], ["sub": #""""#], ["sub": "12"], ["sub": #""a b""#], ["sub": #""test:someone@example.com""#],
      ["iat": nil], ["iat": #""1""#], ["iat": "1e300"], ["exp": nil], ["exp": "null"], ["exp": #""9999999999""#],
      ["exp": "99999999999999999999999999"], ["nbf": "99999999999"], ["nbf": #""x""#], ["nonce": #""n""#],
    ] as [[String: String?]])
  func refused(_ changes: [String: String?]) async throws {
    await #expect(throws: SignInFailure.invalid) { try await verify(changes) }
  }

  @Test("Times: a minute of difference between clocks is nothing, more is")
  func times() async throws {
    let now = clock.now.seconds
    _ = try await verify(["iat": "\(now + 60)"])
    await #expect(throws: SignInFailure.invalid) { try await verify(["iat": "\(now + 61)"]) }
    _ = try await verify(["exp": "\(now - 59)"])
    await #expect(throws: SignInFailure.expired) { try await verify(["exp": "\(now - 60)"]) }
    await #expect(throws: SignInFailure.expired) { try await verify(["exp": "-9223372036854775808"]) }
  }

  @Test("A nonce that was sent must be in the token, raw or hashed; one that was not sent is refused")
  func nonces() async throws {
    let hashed = AppleIdentityTokens.hashed("one-time")
    _ = try await verify(["nonce": #""one-time""#], nonce: "one-time")
    _ = try await verify(["nonce": "\"\(hashed)\""], nonce: "one-time")
    await #expect(throws: SignInFailure.invalid) { try await verify(["nonce": #""other""#], nonce: "one-time") }
    await #expect(throws: SignInFailure.invalid) { try await verify([:], nonce: "one-time") }
    await #expect(throws: SignInFailure.invalid) { try await verify(["nonce": "\"\(hashed)\""]) }
  }

  @Test("Only RS256 by a key of Apple's counts")
  func forged() async throws {
    let payload = TokenForge.identity(now: clock.now)
    let good = try forge.rs256(payload)
    _ = try await verify(good)
    let parts = good.split(separator: ".")
    var forged = [
      "none": TokenForge.none(payload), "None": TokenForge.none(payload, alg: "None"),
      "another key by the same name": try forge.rs256(payload, key: .second, header: #"{"kid":"first","alg":"RS256"}"#),
      "an unknown key": try forge.rs256(payload, key: .second),
      "no kid": try forge.rs256(payload, header: #"{"alg":"RS256"}"#),
      "no alg": try forge.rs256(payload, header: #"{"kid":"first"}"#),
      "alg twice": try forge.rs256(payload, header: #"{"alg":"RS256","kid":"first","alg":"RS256"}"#),
      "an extension that must be understood": try forge.rs256(
        payload, header: #"{"alg":"RS256","kid":"first","crit":["b64"],"b64":false}"#),
      "signature of another payload": "\(parts[0]).\(TokenForge.base64URL(Array("{}".utf8))).\(parts[2])",
      "no signature": "\(parts[0]).\(parts[1]).", "two parts": "\(parts[0]).\(parts[1])",
      "four parts": good + ".AAAA", "padded": good + "=", "payload twice": good + "." + good,
      "no JSON": try forge.rs256("hello"), "an array": try forge.rs256("[]"),
      "a claim twice": try forge.rs256(payload.replacing("{", with: #"{"sub":"x","#, maxReplacements: 1)),
      "long": good + String(repeating: "A", count: 9000), "empty": "", "dots": "..",
    ]
    for alg in ["RS512", "RS384", "PS256", "ES256", "HS256", "rs256"] {
      forged[alg] = try forge.rs256(payload, header: #"{"kid":"first","alg":"\#(alg)"}"#)
    }
    forged["public key as HMAC secret"] = try await forge.hs256(
      payload, secret: forge.publicPEM(), header: #"{"kid":"first","alg":"HS256"}"#)
    forged["public key as HMAC secret, labelled RS256"] = try await forge.hs256(
      payload, secret: forge.publicPEM(), header: #"{"kid":"first","alg":"RS256"}"#)
    for (what, token) in forged {
      await #expect(throws: SignInFailure.invalid, "\(what)") { try await verify(token) }
    }
  }
}
