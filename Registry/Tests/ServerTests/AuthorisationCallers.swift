import Foundation
import RegistryModel
import RegistryTestSupport
import SignIn

/// All kinds of callers, with the headers that they send.
enum AuthorisationCaller: String, CaseIterable, Sendable {
  case nobody, owner, other
  case expired, notYetIssued, revoked, deleted
  case unsigned, unsignedWithOurHeader, signedByAnotherKey, signedByPublicKey, signedByApplesKey
  case wrongAudience, wrongIssuer, wrongType, wrongSession, wrongUser
  case refreshToken, appleToken, basic, garbage, twoTokens

  /// Whether the registry accepts this caller's requests as requests of a user.
  var isSomebody: Bool { self == .owner || self == .other }
}

/// The people and the item in one case, and the requests of each caller.
struct AuthorisationScene: Sendable {
  let server: TestServer
  let forge: TokenForge
  let owner: TestServer.Person
  let slug: String

  /// Makes an owner with one item.
  init(_ server: TestServer, _ forge: TokenForge) async throws {
    self.server = server
    self.forge = forge
    let name = "owner-" + RegistryID().text.prefix(8)
    owner = try await server.person(name)
    slug = "briefing-" + RegistryID().text.prefix(8)
    let answer = try await server.send(
      "POST", "/api/v1/content/share", token: owner.token, body: AuthorisationTable.publication(slug))
    guard answer.status == 201 else { throw Unprepared(answer: answer.text) }
  }

  struct Unprepared: Error {
    let answer: String
  }

  /// Returns a caller's headers.
  func headers(_ caller: AuthorisationCaller) async throws -> [(String, String)] {
    func bearer(_ token: String) -> [(String, String)] { [("Authorization", "Bearer " + token)] }
    let (header, payload) = TokenForge.parts(of: owner.token)
    func signed(_ payload: String) async throws -> [(String, String)] {
      bearer(try await forge.hs256(payload, secret: TestServer.secret, header: header))
    }
    func replacing(_ old: String, _ new: String) throws -> String {
      guard payload.contains(old) else { throw Unprepared(answer: "a token without \(old)") }
      return payload.replacing(old, with: new)
    }
    let now = server.clock.now.milliseconds / 1000
    switch caller {
    case .nobody: return []
    case .owner:
      // These are the owner's own claims, signed again. This proves that the forged tokens below fail because of the
      // changes made to them.
      return try await signed(payload)
    case .other: return bearer(try await server.person("other-" + RegistryID().text.prefix(8)).token)
    case .expired: return try await signed(try replacing(#""exp":\#(now + 900)"#, #""exp":\#(now)"#))
    case .notYetIssued: return try await signed(try replacing(#""iat":\#(now)"#, #""iat":\#(now + 61)"#))
    case .revoked:
      let person = try await server.person("gone-" + RegistryID().text.prefix(8))
      let answer = try await server.send("POST", "/api/v1/auth/logout", token: person.token)
      guard answer.status == 204 else { throw Unprepared(answer: answer.text) }
      return bearer(person.token)
    case .deleted:
      let person = try await server.person("deleted-" + RegistryID().text.prefix(8))
      try await server.registry.store.deleteUser(person.id, at: server.clock.now)
      return bearer(person.token)
    case .unsigned: return bearer(TokenForge.none(payload))
    case .unsignedWithOurHeader: return bearer(TokenForge.unsigned(header, payload) + ".")
    case .signedByAnotherKey:
      return bearer(
        try await forge.hs256(payload, secret: "another-secret-that-is-long-enough-0123456789", header: header))
    case .signedByPublicKey: return bearer(try await forge.hs256(payload, secret: forge.publicPEM(), header: header))
    case .signedByApplesKey: return bearer(try forge.rs256(payload))
    case .wrongAudience: return try await signed(try replacing(#""aud":"fleetkit-registry-api""#, #""aud":"another""#))
    case .wrongIssuer: return try await signed(try replacing(#""iss":"fleetkit-registry""#, #""iss":"another""#))
    case .wrongType: return try await signed(try replacing(#""typ":"access""#, #""typ":"refresh""#))
    case .wrongSession:
      let session = payload.firstMatch(of: /"sid":"([^"]*)"/).map { String($0.output.1) } ?? ""
      return try await signed(try replacing(session, RegistryID().text))
    case .wrongUser: return try await signed(try replacing(owner.id.text, RegistryID().text))
    case .refreshToken: return bearer(owner.grant.refreshToken)
    case .appleToken: return bearer(try forge.rs256(TokenForge.identity(now: server.clock.now)))
    case .basic: return [("Authorization", "Basic " + Data("\(owner.id):x".utf8).base64EncodedString())]
    case .garbage: return bearer("a.b.c")
    case .twoTokens: return bearer(owner.token) + bearer(owner.token)
    }
  }
}
