import Foundation
import RegistryModel
import RegistryTestSupport
import Testing

@Suite("A public profile")
struct ProfileReadTests {
  private static let link = #"{"id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","platform":"instagram","handle":"cap"}"#
  private static let community =
    #"{"id":"b","name":"Baltic","icon_url":null,"role":"founder","is_primary":true}"#

  @Test("is found by name and by id, without a sign-in")
  func found() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      let mate = try await server.person("mate")
      let put = try await server.send(
        "PUT", "/api/v1/auth/me", token: captain.token,
        body: #"""
          {"bio":"Sails.","location":"Kiel","nationality":"DE","social_links":[\#(Self.link)],
          "community_memberships":[\#(Self.community)]}
          """#)
      #expect(put.status == 200, "\(put.text)")
      let item = try await server.publish("one-1", by: captain)
      try await server.publish("two-2", by: captain)
      try await server.publish("gone-3", by: captain)
      try await server.publish("fork-4", by: mate, more: #","forked_from_id":"\#(item)""#)
      for slug in ["one-1", "one-1", "gone-3", "two-2", "fork-4"] {
        #expect(try await server.send("POST", "\(TestServer.content)/\(slug)/fork").status == 200)
      }
      #expect(try await server.send("DELETE", "\(TestServer.content)/gone-3", token: captain.token).status == 204)
      for path in ["captain", "CAPTAIN", "by-id/\(captain.id)", "by-id/\(captain.id.text.uppercased())"] {
        let answer = try await server.send("GET", "/api/v1/users/\(path)")
        let profile = try answer.decode(AppTypes.PublicProfile.self)
        #expect(profile.id.uuidString.lowercased() == captain.id.text && profile.username == "captain")
        #expect(profile.bio == "Sails." && profile.location == "Kiel" && profile.nationality == "DE")
        #expect(profile.createdAt == Date(timeIntervalSince1970: 1_767_607_872))
        #expect(profile.stats.totalContributions == 2 && profile.stats.totalForks == 2)
        #expect(profile.stats.averageRating == nil && profile.socialLinks.count == 1)
        #expect(profile.primaryCommunity == nil && !answer.text.contains("founder"))
        #expect(!answer.text.contains("@"))
      }
      let own = try await server.send("GET", "/api/v1/profile/stats", token: captain.token)
        .decode(AppTypes.OwnStats.self)
      #expect(own.totalContributions == 2 && own.totalForks == 2 && own.communitiesJoined == 1)
      #expect(own.averageRating == 0 && own.daysAtSea == 0)
      let nothing = try await server.send(
        "GET", "/api/v1/profile/stats", token: try await server.person("cook").token
      ).decode(AppTypes.OwnStats.self)
      #expect(nothing.totalContributions == 0 && nothing.totalForks == 0 && nothing.communitiesJoined == 0)
    }
  }

  @Test("that is not public has only name, time and counts", arguments: ["private", "members_only"])
  func hidden(word: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      func put(_ word: String) async throws {
        let answer = try await server.send(
          "PUT", "/api/v1/auth/me", token: captain.token,
          body: #"""
            {"bio":"zqsecret","location":"zqsecret","nationality":"zqsecret","profile_visibility":"\#(word)",
            "social_links":[{"id":"9B2C0A54-0B7E-4C5D-8A51-6D1F0C3E7A10","platform":"other","handle":"zqsecret"}]}
            """#)
        #expect(try answer.decode(AppTypes.User.self).bio == "zqsecret")
      }
      try await put("public")
      #expect(try await server.send("GET", "/api/v1/users/captain").text.contains("zqsecret"))
      try await put(word)
      for path in ["captain", "by-id/\(captain.id)"] {
        for token in [nil, captain.token] {
          let answer = try await server.send("GET", "/api/v1/users/\(path)", token: token)
          let profile = try answer.decode(AppTypes.PublicProfile.self)
          #expect(!answer.text.contains("zqsecret") && profile.socialLinks.isEmpty)
          #expect(profile.username == "captain" && profile.stats.totalContributions == 1)
        }
      }
    }
  }

  @Test("that is not there is not found")
  func missing() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      for path in [
        "nobody", "by-id", "by-id/\(RegistryID())", "by-id/captain", "by-id/\(captain.id)x", "a", "%00", "cap%00tain",
        "captain%20", "%D0%96", String(repeating: "a", count: 300), captain.id.text, "captain%40example.com",
      ] {
        let answer = try await server.send("GET", "/api/v1/users/\(path)")
        #expect(answer.status == 404 && answer.problemCode == "not_found", "\(path) \(answer.text)")
        #expect(try await server.send("HEAD", "/api/v1/users/\(path)").status == 404, "\(path)")
      }
      // `me` means the caller and is not a name.
      #expect(try await server.send("GET", "/api/v1/users/me").status == 401)
    }
  }

  @Test("of an account from before names were reserved keeps its name", arguments: ["admin", "me", "by-id", "a"])
  func earlier(name: String) async throws {
    try await TestServer.run { server in
      let email = "\(name)@example.com"
      _ = try await server.registry.store.signIn(
        appleID: "test:" + email, email: email, usernameHint: name, at: server.clock.now)
      let person = try await server.person(name)
      let put = try await server.send(
        "PUT", "/api/v1/auth/me", token: person.token, body: #"{"username":"\#(name)","bio":"Sails."}"#)
      #expect(try put.decode(AppTypes.User.self).username == name)
      let profile = try await server.send("GET", "/api/v1/users/by-id/\(person.id)").decode(AppTypes.PublicProfile.self)
      #expect(profile.username == name && profile.bio == "Sails.")
      // Words in paths take precedence over names.
      let status = ["me": 401, "by-id": 404][name] ?? 200
      #expect(try await server.send("GET", "/api/v1/users/\(name)").status == status)
      let mate = try await server.person("mate")
      let other = try await server.send(
        "PUT", "/api/v1/auth/me", token: mate.token, body: #"{"username":"\#(name)"}"#)
      #expect(other.status == 422)
    }
  }

  @Test("of a user whose address is reserved has another name")
  func reserved() async throws {
    try await TestServer.run { server in
      for name in ["admin", "by-id", "support1", "root.", "any_fleet", "me-me", "system"] {
        let answer = try await server.send("POST", "/api/v1/auth/test-signin?email=\(name)%40example.com")
        let given = try #require(try answer.decode(AppTypes.Tokens.self).user.username)
        #expect(given.hasPrefix("sailor-") != (name == "me-me"), "\(name) \(given)")
      }
    }
  }
}
