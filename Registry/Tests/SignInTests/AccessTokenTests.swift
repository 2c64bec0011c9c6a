import Content
import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@testable import SignIn

@Suite("Access tokens")
struct AccessTokenTests {
  static let secret = "0123456789abcdef0123456789abcdef"
  let settings = TokenSettings()
  let claims = AccessClaims(userID: RegistryID(), sessionID: RegistryID(), issuedAt: 1_000_000, expiresAt: 1_000_900)

  private func tokens(_ secret: String = secret) async throws -> AccessTokens {
    try await AccessTokens(try SigningKeys(secret: secret), settings)
  }

  @Test("A signed token is accepted until it expires")
  func good() async throws {
    let tokens = try await tokens()
    let token = Array(try tokens.sign(claims).utf8)
    #expect(try tokens.verify(token, now: 1_000_000) == claims)
    #expect(try tokens.verify(token, now: 1_000_899) == claims)
    #expect(throws: SignInFailure.expired) { try tokens.verify(token, now: 1_000_900) }
    #expect(try tokens.verify(token, now: 999_940) == claims)
    #expect(throws: SignInFailure.invalid) { try tokens.verify(token, now: 999_939) }
  }

  @Test("It has the claims that the interface's documents describe")
  func members() async throws {
    let token = try await tokens().sign(claims)
    let (header, payload) = TokenForge.parts(of: token)
    #expect(header.hasPrefix(#"{"alg":"HS256","typ":"JWT","kid":""#))
    #expect(
      payload
        == #"{"sub":"\#(claims.userID)","sid":"\#(claims.sessionID)","iat":1000000,"exp":1000900,"#
        + #""iss":"fleetkit-registry","aud":"fleetkit-registry-api","typ":"access"}"#)
  }

  @Test("A changed byte anywhere makes it invalid")
  func changed() async throws {
    let tokens = try await tokens()
    let token = Array(try tokens.sign(claims).utf8)
    // This holds even while the token itself is cached.
    #expect(try tokens.verify(token, now: 1_000_000) == claims)
    for position in token.indices {
      for bit in [UInt8(1), 4, 32] {
        var other = token
        other[position] ^= bit
        #expect(throws: SignInFailure.invalid) { try tokens.verify(other, now: 1_000_000) }
      }
    }
  }

  @Test("Other claims under a good signature are refused")
  func otherClaims() async throws {
    let tokens = try await tokens()
    let (header, payload) = TokenForge.parts(of: try tokens.sign(claims))
    let forge = try await TokenForge.shared.value
    func signed(_ payload: String) async throws -> [UInt8] {
      Array(try await forge.hs256(payload, secret: Self.secret, header: header).utf8)
    }
    #expect(try tokens.verify(try await signed(payload), now: 1_000_000) == claims)
    for (old, new) in [
      (#""fleetkit-registry""#, #""fleetkit""#), (#""fleetkit-registry-api""#, #""other""#),
      (#""fleetkit-registry-api""#, #"["fleetkit-registry-api"]"#), (#""access""#, #""refresh""#),
      (#","typ":"access""#, ""), (#""sub""#, #""sub":"x","sub""#), (claims.userID.text, "nobody"),
      (claims.sessionID.text, ""), ("1000900", #""1000900""#), ("1000000", "null"), ("1000900", "1e400"),
    ] {
      let other = payload.replacing(old, with: new)
      #expect(other != payload)
      let token = try await signed(other)
      #expect(throws: SignInFailure.invalid, "\(old) → \(new)") { try tokens.verify(token, now: 1_000_000) }
    }
  }

  @Test("A new key signs, the old one still verifies; a key that went does not")
  func rotation() async throws {
    let other = "fedcba9876543210fedcba9876543210"
    let old = try await tokens()
    let both = try await AccessTokens(try SigningKeys(file: Array("\n \(other)\t\r\n\(Self.secret)\n".utf8)), settings)
    let new = try await tokens(other)
    let before = Array(try old.sign(claims).utf8)
    let after = Array(try both.sign(claims).utf8)
    #expect(try both.verify(before, now: 1_000_000) == claims)
    #expect(try both.verify(after, now: 1_000_000) == claims)
    #expect(try new.verify(after, now: 1_000_000) == claims)
    #expect(throws: SignInFailure.invalid) { try new.verify(before, now: 1_000_000) }
    #expect(throws: SignInFailure.invalid) { try old.verify(after, now: 1_000_000) }
  }

  @Test("A missing or short key is refused")
  func keys() throws {
    #expect(throws: SigningKeyFailure.missing) { try SigningKeys(secret: "") }
    #expect(throws: SigningKeyFailure.missing) { try SigningKeys(file: Array(" \n\n".utf8)) }
    #expect(throws: SigningKeyFailure.short(position: 0, bytes: 31)) {
      try SigningKeys(secret: String(repeating: "k", count: 31))
    }
    #expect(throws: SigningKeyFailure.short(position: 1, bytes: 3)) {
      try SigningKeys(file: Array("\(Self.secret)\nold\n".utf8))
    }
  }

  @Test("No bytes make it trap")
  func noise() async throws {
    let tokens = try await tokens()
    let good = Array(try tokens.sign(claims).utf8)
    var random = SplitMix(seed: 7)
    for round in 0..<3000 {
      var bytes = round % 2 == 0 ? good : (0..<Int.random(in: 0...200, using: &random)).map { _ in random.byte() }
      for _ in 0..<Int.random(in: 1...6, using: &random) where !bytes.isEmpty {
        let position = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: bytes[position] = random.byte()
        case 1: bytes.remove(at: position)
        case 2: bytes.insert(UInt8(ascii: "."), at: position)
        default: bytes.removeSubrange(position...)
        }
      }
      if bytes == good { continue }
      #expect(throws: SignInFailure.invalid) { try tokens.verify(bytes, now: 1_000_000) }
    }
  }

  @Test("Bearer is read in any case, other schemes are ignored")
  func header() {
    #expect(TokenAuthority.bearerToken("Bearer abc") == Array("abc".utf8))
    #expect(TokenAuthority.bearerToken("bEARER   abc") == Array("abc".utf8))
    for other in [nil, "", "Bearer", "Bearer ", "Basic abc", "Bearerabc", "abc", "Bearer\tabc", " Bearer abc"] {
      #expect((TokenAuthority.bearerToken(other) ?? []).isEmpty, "\(other ?? "-")")
    }
  }
}

/// Pseudo-random numbers that are the same in every run.
struct SplitMix: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func byte() -> UInt8 { UInt8(truncatingIfNeeded: next()) }
}
