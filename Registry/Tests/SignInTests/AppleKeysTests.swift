import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@testable import SignIn

@Suite("Apple's keys")
struct AppleKeysTests {
  let clock = HandClock()
  let scratch = Scratch()

  private func write(_ text: String) throws {
    try Data(text.utf8).write(to: URL(fileURLWithPath: scratch["keys.json"]))
  }

  private var source: KeySource { .file(scratch["keys.json"]) }

  @Test("An unknown name asks the source again, once a minute however many ask")
  func unknownNames() async throws {
    let forge = try await TokenForge.shared.value
    try write(try forge.keySet([.first]))
    let keys = AppleKeys(source, clock: clock.clock)
    _ = try await keys.key("first")
    #expect(await keys.attempts == 1)
    try write(try forge.keySet([.first, .second]))
    for _ in 0..<50 { await #expect(throws: SignInFailure.invalid) { _ = try await keys.key("second") } }
    #expect(await keys.attempts == 1)
    clock.advance(seconds: 60)
    _ = try await keys.key("second")
    #expect(await keys.attempts == 2)
    _ = try await keys.key("first")
    #expect(await keys.attempts == 2)
  }

  @Test("Concurrent callers cause one request")
  func oneQuestion() async throws {
    try write(try await TokenForge.shared.value.keySet())
    let keys = AppleKeys(source, clock: clock.clock)
    await withTaskGroup(of: Bool.self) { group in
      for _ in 0..<50 { group.addTask { (try? await keys.key("first")) != nil } }
      for await found in group { #expect(found) }
    }
    #expect(await keys.attempts == 1)
  }

  @Test("Keys that cannot be fetched again stay valid for three more days")
  func stale() async throws {
    try write(try await TokenForge.shared.value.keySet())
    let keys = AppleKeys(source, clock: clock.clock)
    _ = try await keys.key("first")
    try write("{}")
    clock.advance(seconds: 86_400)
    _ = try await keys.key("first")
    #expect(await keys.attempts == 2)
    clock.advance(seconds: 3 * 86_400)
    await #expect(throws: SignInFailure.keysUnavailable) { _ = try await keys.key("first") }
  }

  @Test("Without a source there are no keys, and the next minute asks again")
  func nothing() async throws {
    let keys = AppleKeys(source, clock: clock.clock)
    await #expect(throws: SignInFailure.keysUnavailable) { _ = try await keys.key("first") }
    try write(try await TokenForge.shared.value.keySet())
    await #expect(throws: SignInFailure.keysUnavailable) { _ = try await keys.key("first") }
    clock.advance(seconds: 61)
    _ = try await keys.key("first")
  }

  @Test("An unusable set gives no keys")
  func badSets() async throws {
    let good = try await TokenForge.shared.value.keySet()
    let short =
      #"{"keys":[{"kty":"RSA","kid":"s","n":"\#(TokenForge.base64URL([UInt8](repeating: 0xC3, count: 128)))","e":"AQAB"}]}"#
    let zero =
      #"{"keys":[{"kty":"RSA","kid":"z","n":"\#(TokenForge.base64URL([UInt8](repeating: 0, count: 256)))","e":"AAAA"}]}"#
    for text in [
      "", "[]", "{}", #"{"keys":7}"#, #"{"keys":[]}"#, #"{"keys":[7,null,[]]}"#, short, zero,
      good.replacing(#""kty":"RSA""#, with: #""kty":"oct""#), good.replacing("RS256", with: "RS512"),
      good.replacing(#""sig""#, with: #""enc""#), good.replacing(#""keys""#, with: #""keys":[],"keys""#),
      good.replacing("AQAB", with: ""), good.replacing("AQAB", with: "AQABAQABAQAB"),
      good + String(repeating: " ", count: KeySet.longest),
    ] {
      #expect(await KeySet(Array(text.utf8)) == nil, "\(text.prefix(80))")
    }
    #expect(await KeySet(Array(good.utf8)) != nil)
  }

  @Test("Addresses without encryption are accepted only on this machine")
  func sources() {
    #expect(KeySource("https://appleid.apple.com/auth/keys") == .apple)
    #expect(KeySource("http://127.0.0.1:8080/keys") == .url("http://127.0.0.1:8080/keys"))
    #expect(KeySource("http://localhost/keys") != nil)
    #expect(KeySource("http://[::1]:9/keys") != nil)
    #expect(KeySource("http://appleid.apple.com/auth/keys") == nil)
    #expect(KeySource("http://localhost.evil.example/keys") == nil)
    #expect(KeySource("http://127.0.0.1@evil.example/keys") == nil)
    #expect(KeySource("ftp://example.com/keys") == nil)
    #expect(KeySource("https://") == nil)
    #expect(KeySource("") == nil)
    #expect(KeySource("/etc/keys.json") == .file("/etc/keys.json"))
    #expect(KeySource("keys.json") == .file("keys.json"))
  }
}
