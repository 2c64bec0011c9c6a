import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@testable import SignIn

@Suite("Parts of tokens and names")
struct PartsTests {
  @Test("Base64url agrees with Foundation's and accepts only one spelling")
  func base64() {
    var random = SplitMix(seed: 3)
    for length in 0..<200 {
      let bytes = (0..<length).map { _ in random.byte() }
      let text = String(decoding: Base64URL.encode(bytes), as: UTF8.self)
      #expect(text == TokenForge.base64URL(bytes))
      #expect(Base64URL.decode(Array(text.utf8)) == bytes)
    }
    for bad in ["A", "AAAAA", "AB", "AAB", "AA==", "AA+A", "AA/A", "AA A", "AAA\n", "é"] {
      #expect(Base64URL.decode(Array(bad.utf8)) == nil, "\(bad)")
    }
  }

  @Test("Refresh tokens differ, and only what looks like one is hashed")
  func refresh() {
    let tokens = (0..<100).map { _ in RefreshToken() }
    #expect(Set(tokens.map(\.text)).count == 100)
    for token in tokens {
      #expect(token.text.hasPrefix("fkr_") && token.hash.count == 32)
      #expect(RefreshToken(token.text)?.hash == token.hash)
    }
    for bad in [
      "", "fkr_", tokens[0].text + "A", String(tokens[0].text.dropLast()), "xxx_" + tokens[0].text.dropFirst(4),
    ] {
      #expect(RefreshToken(bad) == nil)
    }
  }

  @Test(
    "Names come from the address's local part",
    arguments: [
      ("skipper@example.com", "skipper"), ("Anna.Maria+spam@example.com", "anna.maria"), ("a_b-c.9@x.y", "a_b-c.9"),
      ("--..old.salt..@example.com", "old.salt"), ("jörg@example.com", "jrg"),
      ("abcdefghijklmnopqrstuvwxyz0123456789@example.com", "abcdefghijklmnopqrstuvwxyz0123"),
    ])
  func names(_ address: String, _ name: String) {
    let email: EmailAddress? = EmailAddress(address)
    #expect(email != nil)
    #expect(Username.suggestion(for: email, isPrivate: false) == name)
  }

  @Test(
    "If it gives none, the name is random",
    arguments: ["ab@example.com", "...@example.com", "x7gh2@privaterelay.appleid.com", "Борис@example.com", "+tag@x.y"])
  func randomNames(_ address: String) {
    let email: EmailAddress? = EmailAddress(address)
    #expect(email != nil)
    let name = Username.suggestion(for: email, isPrivate: false)
    #expect(name.wholeMatch(of: /sailor-[a-z2-9]{6}/) != nil)
    #expect(Username.suggestion(for: EmailAddress("skipper@example.com"), isPrivate: true).hasPrefix("sailor-"))
    #expect(Username.suggestion(for: nil, isPrivate: false).hasPrefix("sailor-"))
  }

  @Test(
    "A reserved name is neither suggested nor chosen",
    arguments: [
      "admin", "ad.min", "support7", "by-id", "any_fleet", "system", "moderator", "me.me", "adm1n", "admln", "r00t",
      "supp0rt", "anyf1eet", "inf0", "mai12", "b1lge", "lilo10",
    ])
  func reservedNames(_ name: String) {
    let isReserved = !["me.me", "b1lge", "lilo10"].contains(name)
    let suggested = Username.suggestion(for: EmailAddress("\(name)@example.com"), isPrivate: false)
    #expect((suggested == name) != isReserved && suggested.hasPrefix("sailor-") == isReserved)
    #expect(Username.refusal(of: name) == (isReserved ? .reserved : nil))
    #expect(Username.refusal(of: name.uppercased()) == (isReserved ? .reserved : nil))
    #expect((0..<200).allSatisfy { _ in Username.refusal(of: Username.random()) == nil })
  }

  @Test("A text that cannot be an address is refused")
  func addresses() {
    for bad in [
      "", "@", "a@", "@b", "a", "a@b@c", "a b@c", "a@b\n", "a\u{0}@b", "a\u{85}@b",
      String(repeating: "a", count: 254) + "@b",
    ] {
      #expect(EmailAddress(bad) == nil, "\(bad)")
    }
    #expect(EmailAddress("Skipper@Example.COM")?.text == "skipper@example.com")
  }

  @Test("New ids are random UUIDs as they are written on the wire")
  func newIDs() {
    let ids = (0..<2000).map { _ in RegistryID() }
    #expect(Set(ids).count == ids.count)
    for id in ids {
      #expect(RegistryID(id.text) == id && id.text == id.text.lowercased())
      let digits = Array(id.text)
      #expect(digits[14] == "4" && "89ab".contains(digits[19]))
    }
    // Each of the other digits takes every value.
    for place in 0..<36 where ![8, 13, 14, 18, 19, 23].contains(place) {
      #expect(Set(ids.map { Array($0.text)[place] }).count == 16)
    }
  }
}
