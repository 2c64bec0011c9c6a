import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@Suite("A change of a profile")
struct ProfileChangeTests {
  private static func link(_ member: String = "", id: String = "9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10") -> String {
    #"{"id":"\#(id)","platform":"telegram","handle":"x"\#(member)}"#
  }

  private static func links(_ count: Int) -> String { Array(repeating: link(), count: count).joined(separator: ",") }

  private static func membership(
    role: String = #""member""#, primary: String = "true", icon: String = "null", id: String = #""a""#
  ) -> String {
    #"{"id":\#(id),"name":"Baltic","icon_url":\#(icon),"role":\#(role),"is_primary":\#(primary)}"#
  }

  /// Members that are sent after a valid one, and their findings.
  static let bad: [(body: String, findings: [String])] = [
    (#""bio":7"#, ["REG0401 /bio"]), (#""bio":[]"#, ["REG0401 /bio"]), (#""location":{}"#, ["REG0401 /location"]),
    (#""bio":"\#(String(repeating: "ж", count: 1001))""#, ["REG0402 /bio"]),
    (#""location":"\#(String(repeating: "a", count: 101))""#, ["REG0402 /location"]),
    (#""nationality":"\#(String(repeating: "a", count: 101))""#, ["REG0402 /nationality"]),
    (#""bio":"a\u0000b""#, ["REG0403 /bio"]), (#""bio":"a\r\n\fb""#, ["REG0403 /bio"]),
    (#""bio":"a\u001b[2J""#, ["REG0403 /bio"]), (#""bio":"a\u202eb""#, ["REG0403 /bio"]),
    (#""bio":"a\u0085b""#, ["REG0403 /bio"]), (#""nationality":"a\u2066b""#, ["REG0403 /nationality"]),
    (#""location":"\#(String(repeating: "\\r\\n", count: 101))""#, ["REG0402 /location"]),
    (#""profile_visibility":"\#(String(repeating: "ж", count: 31))""#, ["REG0402 /profile_visibility"]),
    (#""profile_visibility":"public\n""#, ["REG0403 /profile_visibility"]),
    (#""profile_visibility":true"#, ["REG0401 /profile_visibility"]),
    (#""social_links":[\#(links(21))]"#, ["REG0402 /social_links"]),
    (#""social_links":[\#(links(10_000))]"#, ["REG0402 /social_links"]),
    (#""social_links":{}"#, ["REG0401 /social_links"]), (#""social_links":[7]"#, ["REG0401 /social_links/0"]),
    (
      #""social_links":[\#(link()),{"id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10","platform":"myspace","handle":"x"}]"#,
      ["REG0401 /social_links/1/platform"]
    ),
    (#""social_links":[\#(link(id: "1"))]"#, ["REG0401 /social_links/0/id"]),
    (#""social_links":[\#(link(id: "9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a1g"))]"#, ["REG0401 /social_links/0/id"]),
    (
      #""social_links":[{}]"#,
      ["REG0401 /social_links/0/id", "REG0401 /social_links/0/platform", "REG0401 /social_links/0/handle"]
    ),
    (
      #""social_links":[{"id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10","platform":"other","handle":""}]"#,
      ["REG0402 /social_links/0/handle"]
    ),
    (
      #""social_links":[{"id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10","platform":"other","handle":"a\u0007b"}]"#,
      ["REG0403 /social_links/0/handle"]
    ),
    (
      #""community_memberships":[\#(Array(repeating: membership(), count: 51).joined(separator: ","))]"#,
      ["REG0402 /community_memberships"]
    ),
    (
      #""community_memberships":[\#(membership(role: #""admin""#))]"#,
      ["REG0401 /community_memberships/0/role"]
    ),
    (
      #""community_memberships":[\#(membership(primary: "1", id: "7"))]"#,
      ["REG0401 /community_memberships/0/id", "REG0401 /community_memberships/0/is_primary"]
    ),
    (
      #""community_memberships":[\#(membership(icon: "7"))]"#,
      ["REG0401 /community_memberships/0/icon_url"]
    ),
    (
      #""community_memberships":[\#(membership()),\#(membership(icon: #""https://a\tb""#))]"#,
      ["REG0403 /community_memberships/1/icon_url"]
    ),
    (
      #""community_memberships":[\#(membership(icon: #""\#(String(repeating: "ж", count: 2001))""#))]"#,
      ["REG0402 /community_memberships/0/icon_url"]
    ),
    (#""username":null"#, ["REG0401 /username"]), (#""username":7"#, ["REG0401 /username"]),
    (
      #""username":"admin","bio":7,"social_links":[\#(link(id: ""))]"#,
      ["REG0405 /username", "REG0401 /bio", "REG0401 /social_links/0/id"]
    ),
  ]

  static let malformed = [
    "", "ab", "-abc", "abc-", ".abc", "a b c", "abc\\n", "Борис", "K\u{212A}elvin", "a/b/c", "a%62c", "a@b.c",
    String(repeating: "a", count: 31),
  ]

  static let reserved = [
    "admin", "Admin", "ad-min", "a.d.m_i-n", "admin2", "support-2026", "ROOT", "by-id", "by_id", "me2", "AnyFleet",
    "any-fleet", "fleet.kit", "moderator", "system", "help", "security", "official", "api", "www", "null",
    "adm1n", "AdmIn", "admln", "ADM1N7", "r00t", "supp0rt", "anyf1eet", "AnyFIeet", "any-f1eet.2", "inf0", "mai1",
    "mai12", "f1eet-klt",
  ]

  @Test("that cannot be made is refused with every finding, and nothing of it is made", arguments: bad.indices)
  func refused(index: Int) async throws {
    let (body, findings) = Self.bad[index]
    try await TestServer.run { try await Self.check($0, body, findings) }
  }

  @Test("takes no username of another form, and none that is reserved")
  func usernames() async throws {
    try await TestServer.run { server in
      for name in Self.malformed { try await Self.check(server, #""username":"\#(name)""#, ["REG0404 /username"]) }
      for name in Self.reserved { try await Self.check(server, #""username":"\#(name)""#, ["REG0405 /username"]) }
    }
  }

  /// Sends an invalid member after a valid one.
  private static func check(_ server: TestServer, _ member: String, _ findings: [String]) async throws {
    let captain = try await server.person()
    let before = try await server.send("GET", "/api/v1/auth/me", token: captain.token).text
    let good = member.hasPrefix(#""nationality""#) ? #""location":"Kiel""# : #""nationality":"DE""#
    let answer = try await server.send(
      "PUT", "/api/v1/auth/me", token: captain.token, body: "{\(good),\(member)}")
    #expect(answer.status == 422 && answer.problemCode == "invalid_content", "\(answer.text.prefix(500))")
    #expect(answer.findings == findings, "\(member.prefix(60)) \(answer.text.prefix(500))")
    #expect(try await server.send("GET", "/api/v1/auth/me", token: captain.token).text == before)
  }

  @Test("has a hundred findings at most, and the last one reports that there are more")
  func manyFindings() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let memberships = Array(repeating: "{}", count: 50).joined(separator: ",")
      let answer = try await server.send(
        "PUT", "/api/v1/auth/me", token: captain.token, body: #"{"community_memberships":[\#(memberships)]}"#)
      #expect(answer.status == 422 && answer.findings.count == 100)
      #expect(answer.findings.first == "REG0401 /community_memberships/0/id" && answer.findings.last == "INT0107 ")
    }
  }

  @Test("may be as large as it may be")
  func largest() async throws {
    @Sendable func text(_ count: Int) -> String { String(repeating: "😀", count: count) }
    try await TestServer.run { server in
      let captain = try await server.person()
      let link = #"{"id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","platform":"other","handle":"\#(text(100))"}"#
      let address = text(2000)
      let membership =
        #"{"id":"\#(text(100))","name":"\#(text(100))","icon_url":"\#(address)","role":"member","is_primary":false}"#
      let body = #"""
        {"username":"\#(String(repeating: "z", count: 30))","bio":"\#(text(1000))","location":"\#(text(100))",
        "nationality":"\#(text(100))","profile_visibility":"\#(text(30))",
        "social_links":[\#(Array(repeating: link, count: 20).joined(separator: ","))],
        "community_memberships":[\#(Array(repeating: membership, count: 50).joined(separator: ","))]}
        """#
      let user = try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: body)
        .decode(AppTypes.User.self)
      #expect(user.bio == text(1000) && user.socialLinks?.count == 20 && user.communityMemberships?.count == 50)
      #expect(user.communityMemberships?.last?.iconURL == address)
      #expect(try await server.send("GET", "/api/v1/auth/me", token: captain.token).decode(AppTypes.User.self) == user)
    }
  }

  @Test("accepts pasted text: line breaks and tabs become plain, empty words count as null")
  func pasted() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let body = #"""
        {"bio":"a\r\nb\rc\n\n\td","location":"a\r\nb\nc\td\re","nationality":"\t","profile_visibility":"Nur Freunde!",
        "social_links":[{"id":"9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10","platform":"other","handle":"a\nb"}],
        "community_memberships":[
          {"id":"a\tb","name":"c\r\nd","icon_url":"flag: Kiel ⚓","role":"member","is_primary":false},
          {"id":"b","name":"c","icon_url":"","role":"member","is_primary":false}]}
        """#
      let put = try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: body)
      let user = try put.decode(AppTypes.User.self)
      #expect(user.bio == "a\nb\nc\n\n d" && user.location == "a b c d e" && user.nationality == " ")
      #expect(user.profileVisibility == "Nur Freunde!" && user.socialLinks?.map(\.handle) == ["a b"])
      #expect(user.communityMemberships?.map(\.id) == ["a b", "b"])
      #expect(user.communityMemberships?.map(\.name) == ["c d", "c"])
      #expect(user.communityMemberships?.map(\.iconURL) == ["flag: Kiel ⚓", nil])
      // An unknown value hides the profile, even if it differs from `public` only by case; an empty value shows it.
      for (word, isShown) in [("Nur Freunde!", false), ("Public", false), ("", true), ("public", true)] {
        let put = try await server.send(
          "PUT", "/api/v1/auth/me", token: captain.token, body: #"{"profile_visibility":"\#(word)"}"#)
        #expect(try put.decode(AppTypes.User.self).profileVisibility == (word.isEmpty ? nil : word))
        let profile = try await server.send("GET", "/api/v1/users/captain").json()
        #expect((profile["bio"]?.string == nil) != isShown, "\(word)")
      }
    }
  }

  @Test("needs a body that is JSON with one meaning")
  func bodies() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for (body, status, findings) in [
        ("[]", 422, ["REG0301 "]), (#""x""#, 422, ["REG0301 "]), ("{", 400, ["REG0001 "]), ("", 400, ["REG0001 "]),
        (#"{"bio":"a","bio":"b"}"#, 400, ["REG0002 /bio"]),
      ] {
        let answer = try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: body)
        #expect(answer.status == status && answer.findings == findings, "\(body) \(answer.text)")
      }
      let big = #"{"bio":"\#(String(repeating: "a", count: 1 << 20))"}"#
      #expect(try await server.send("PUT", "/api/v1/auth/me", token: captain.token, body: big).status == 413)
    }
  }

  @Test("does not accept another account's name, in any case of letters")
  func taken() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let mate = try await server.person("mate")
      let before = try await server.send("GET", "/api/v1/auth/me", token: mate.token).text
      for name in ["captain", "Captain", "CAPTAIN"] {
        let answer = try await server.send(
          "PUT", "/api/v1/auth/me", token: mate.token, body: #"{"username":"\#(name)","bio":"x"}"#)
        #expect(answer.status == 409 && answer.problemCode == "username_taken")
        #expect(answer.findings == ["REG0406 /username"])
        #expect(try await server.send("GET", "/api/v1/auth/me", token: mate.token).text == before)
      }
      // The user's own name in another case is accepted.
      let own = try await server.send(
        "PUT", "/api/v1/auth/me", token: captain.token, body: #"{"username":"Captain"}"#)
      #expect(try own.decode(AppTypes.User.self).username == "Captain")
      // A later sign-in does not change the name.
      let next = try await server.send("POST", "/api/v1/auth/test-signin?email=captain%40example.org")
      #expect(try next.decode(AppTypes.Tokens.self).user.username == "captain2")
    }
  }

  @Test("of many users to one name at the same time gives it to one")
  func race() async throws {
    try await TestServer.run { server in
      var people: [TestServer.Person] = []
      for index in 0..<8 { people.append(try await server.person("crew\(index)x")) }
      let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
        for person in people {
          group.addTask {
            try await server.send(
              "PUT", "/api/v1/auth/me", token: person.token, body: #"{"username":"bosun"}"#
            ).status
          }
        }
        return try await group.reduce(into: [Int]()) { $0.append($1) }
      }
      #expect(statuses.sorted() == [200] + Array(repeating: 409, count: 7))
    }
  }

  @Test("of the name is visible immediately wherever the author is named")
  func renaming() async throws {
    try await TestServer.run { server in
      let ann = try await server.person("ann")
      let bob = try await server.person("bob")
      let root = try await server.publish("root-1", by: ann)
      try await server.publish("fork-1", by: bob, more: #","forked_from_id":"\#(root)""#)
      // This loads the item into memory, with a tag.
      let before = try await server.send("GET", "\(TestServer.content)/root-1")
      let tag = try #require(before.header("etag"))
      let forkTag = try #require(try await server.send("GET", "\(TestServer.content)/fork-1").header("etag"))
      _ = try await server.listed("")
      let put = try await server.send("PUT", "/api/v1/auth/me", token: ann.token, body: #"{"username":"Anna.K"}"#)
      #expect(try put.decode(AppTypes.User.self).username == "Anna.K")
      let item = try await server.read("root-1")
      #expect(item["author_username"]?.string == "Anna.K")
      #expect(item["updated_at"]?.string == (try before.json())["updated_at"]?.string)
      let list = try await server.send("GET", "\(TestServer.content)/public").json()
      let names = list.elements.map { $0["author_username"]?.string ?? "" }
      #expect(names.sorted() == ["Anna.K", "bob"])
      let mine = try await server.send("GET", "\(TestServer.content)/mine", token: ann.token).json()
      #expect(mine[0]?["author_username"]?.string == "Anna.K")
      let lineage = try await server.send("GET", "\(TestServer.content)/fork-1/lineage").json()
      #expect(lineage.elements.compactMap { $0["creator"]?.string } == ["Anna.K", "bob"])
      let stats = try await server.send("GET", "\(TestServer.content)/root-1/stats").json()
      #expect(stats["creator"]?.string == "Anna.K")
      // Clients that have the item with the old name get it again with the new name and the same tag.
      for method in ["GET", "HEAD"] {
        let again = try await server.send(
          method, "\(TestServer.content)/root-1", headers: [("If-None-Match", tag)])
        #expect(again.status == 200 && again.header("etag") == tag, "\(method)")
      }
      // The copy credits the new name, and clients that have the copy with the old name get it again.
      let copy = try await server.send("GET", "\(TestServer.content)/fork-1", headers: [("If-None-Match", forkTag)])
      #expect(copy.status == 200)
      #expect(try copy.json()["original_author_username"]?.string == "Anna.K")
      // Items that are published afterwards have only ever shown the new name.
      try await server.publish("later-1", by: ann)
      let later = try await server.send("GET", "\(TestServer.content)/later-1")
      #expect(try later.json()["author_username"]?.string == "Anna.K")
      let known = try await server.send(
        "GET", "\(TestServer.content)/later-1", headers: [("If-None-Match", later.header("etag") ?? "")])
      #expect(known.status == 304)
      // Changes work as before.
      let change = try await server.send(
        "PUT", "\(TestServer.content)/root-1", token: ann.token, headers: [("If-Match", tag)],
        body: #"{"title":"Another title"}"#)
      #expect(change.status == 200, "\(change.text)")
      // The old name is free, and does not exist until another account takes it.
      #expect(try await server.send("GET", "/api/v1/users/ann").status == 404)
      #expect(try await server.send("GET", "/api/v1/users/anna.k").status == 200)
    }
  }

  @Test("of what a copy credits is sent to clients that have the copy: its original was unpublished, its author went")
  func credits() async throws {
    try await TestServer.run { server in
      let ann = try await server.person("ann")
      let bob = try await server.person("bob")
      for (slug, isDeletion) in [("root-1", false), ("root-2", true)] {
        let root = try await server.publish(slug, by: ann)
        try await server.publish("fork-" + slug, by: bob, more: #","forked_from_id":"\#(root)""#)
        let path = "\(TestServer.content)/fork-\(slug)"
        let tag = try #require(try await server.send("GET", path).header("etag"))
        #expect(try await server.send("GET", path, headers: [("If-None-Match", tag)]).status == 304)
        let end = isDeletion ? "/api/v1/auth/me" : "\(TestServer.content)/\(slug)"
        #expect(try await server.send("DELETE", end, token: ann.token).status == 204)
        let after = try await server.send("GET", path, headers: [("If-None-Match", tag)])
        #expect(after.status == 200 && after.header("etag") == tag)
        let item = try after.json()
        #expect(item["original_content_public_id"]?.isNull == true)
        #expect(item["original_author_user_id"]?.isNull == isDeletion)
      }
    }
  }
}
