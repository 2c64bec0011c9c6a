import Foundation
import JSONText
import Testing

/// Decodes every answer about content as the app does.
@Suite struct ContentContractTests {
  /// A decoder like the app's decoder on the oldest system that the app supports: dates are ISO 8601, and a fraction of
  /// a second, which newer decoders accept, is an error.
  private static var decoder: JSONDecoder {
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .custom { decoder in
      let text = try decoder.singleValueContainer().decode(String.self)
      guard text.wholeMatch(of: #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z/#) != nil,
        let date = ISO8601DateFormatter().date(from: text)
      else {
        throw DecodingError.dataCorrupted(
          .init(codingPath: decoder.codingPath, debugDescription: "no date in whole seconds: \(text)"))
      }
      return date
    }
    return decoder
  }

  private func decode<Value: Decodable>(
    _ type: Value.Type, _ answer: HTTPAnswer, status: Int = 200, sourceLocation: SourceLocation = #_sourceLocation
  ) throws -> Value {
    #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
    // The plain strategy accepts times in whole seconds, too.
    let plain = JSONDecoder()
    plain.dateDecodingStrategy = .iso8601
    _ = try plain.decode(type, from: Data(answer.body))
    return try Self.decoder.decode(type, from: Data(answer.body))
  }

  private static let unknown = "9b2c0a54-0b7e-4c5d-8a51-6d1f0c3e7a10"

  /// A checklist from an early build: times are numbers, and one of them has a fraction.
  private static let earlyDocument = #"""
    {"id":"2663557A-0B7E-4C5D-8A51-6D1F0C3E7A10","title":"Fog","sections":[{"title":"On deck","items":[
     {"title":"Horn","isRequired":true,"estimatedMinutes":-1}]}],"createdAt":797072400.136,"updatedAt":797072400}
    """#

  @Test func `the decoder of these tests refuses fractions`() {
    #expect(throws: DecodingError.self) {
      try Self.decoder.decode([Date].self, from: Data(#"["2026-01-05T10:11:12.345Z"]"#.utf8))
    }
  }

  @Test func `publications, changes and items`() async throws {
    try await TestServer.run { server in
      server.clock.advance(seconds: 0.345)
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let share = try await server.send(
        "POST", "/api/v1/content/share", token: captain.token,
        body: Publication.body("fog-1", data: Self.earlyDocument, more: #","description":"""#))
      let published = try decode(AppContent.Published.self, share, status: 201)
      #expect(published.publicID == "fog-1" && published.authorUsername == "captain" && published.canFork)
      #expect(published.authorUserID?.uuidString.lowercased() == captain.id.text && published.notes == nil)
      #expect(published.publishedAt == Date(timeIntervalSince1970: 1_767_607_872))

      let item = try decode(
        AppContent.Item<AppContent.Checklist>.self, try await server.send("GET", "/api/v1/content/fog-1"))
      #expect(item.listed.id == published.id && item.listed.description == "" && item.listed.viewCount == 1)
      #expect(item.listed.chainDepth == 1 && item.listed.forkedFromID == nil)
      #expect(item.listed.originalAuthorUsername == nil && item.listed.originalContentPublicID == nil)
      #expect(item.contentData.createdAt == Date(timeIntervalSinceReferenceDate: 797_072_400))
      #expect(item.contentData.updatedAt == Date(timeIntervalSinceReferenceDate: 797_072_400))
      #expect(item.contentData.sections.first?.items.first?.estimatedMinutes == -1)

      server.clock.advance(seconds: 60.5)
      for method in ["PUT", "PATCH"] {
        let answer = try await server.send(
          method, "/api/v1/content/fog-1", token: captain.token,
          body: #"{"content_type":"guide","content_data":{"markdown":"Fog","created_at":0}}"#)
        let updated = try decode(AppContent.Updated.self, answer)
        #expect(updated.id == published.id && updated.updatedAt >= Date(timeIntervalSince1970: 1_767_607_932))
      }
      let guide = try decode(
        AppContent.Item<AppContent.Guide>.self, try await server.send("GET", "/api/v1/content/fog-1"))
      #expect(guide.listed.contentType == .guide && guide.contentData.markdown == "Fog")
      #expect(guide.contentData.createdAt == Date(timeIntervalSinceReferenceDate: 0))
      try await server.publish("deck-1", by: mate, type: "deck", data: #"{"cards":[{"front":"Q","back":"A"}]}"#)
      let deck = try decode(
        AppContent.Item<AppContent.Deck>.self, try await server.send("GET", "/api/v1/content/deck-1"))
      #expect(deck.contentData.cards.map(\.front) == ["Q"])
    }
  }

  @Test func `lists, forks and where they come from`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      let mate = try await server.person("mate")
      let cook = try await server.person("cook")
      let root = try await server.publish("root-1", by: captain, title: "Root")
      server.clock.advance(seconds: 1.999)
      let copy = try await server.publish("copy-1", by: mate, more: #","forked_from_id":"\#(root)""#)
      try await server.publish("third-1", by: cook, more: #","forked_from_id":"\#(copy)""#)
      let list = try decode([AppContent.Listed].self, try await server.send("GET", "/api/v1/content/public"))
      #expect(Set(list.map(\.publicID)) == ["root-1", "copy-1", "third-1"])
      let third = try #require(list.first { $0.publicID == "third-1" })
      #expect(third.chainDepth == 3 && third.forkedFromID?.uuidString.lowercased() == copy)
      #expect(third.originalAuthorUsername == "captain" && third.originalContentPublicID == "root-1")
      #expect(third.originalAuthorUserID?.uuidString.lowercased() == captain.id.text)
      let detail = try decode(
        AppContent.Item<AppContent.Checklist>.self, try await server.send("GET", "/api/v1/content/third-1"))
      #expect(detail.listed.originalAuthorUsername == "captain" && detail.listed.chainDepth == 3)
      // Every member is present, even if it is null.
      let first = try #require(try await server.send("GET", "/api/v1/content/public").json().elements.last)
      for key in AppContent.Listed.CodingKeys.allCases { #expect(first[key.rawValue] != nil, "\(key.rawValue)") }

      let fork = try await server.send("POST", "/api/v1/content/root-1/fork")
      #expect(try decode(AppContent.ForkCount.self, fork).forkCount == 1)
      let stats = try decode(AppContent.Stats.self, try await server.send("GET", "/api/v1/content/root-1/stats"))
      #expect(stats.forkCount == 1 && stats.viewsCount == 0 && stats.creator == "captain")
      _ = try await server.send("DELETE", "/api/v1/content/root-1", token: captain.token)
      #expect(try await server.send("DELETE", "/api/v1/users/me", token: mate.token).status == 204)
      let way = try decode(
        [AppContent.ForkStep].self, try await server.send("GET", "/api/v1/content/third-1/lineage"))
      #expect(way.map(\.title) == ["", "", "Leaving the berth"] && way.map(\.isCurrent) == [false, false, true])
      #expect(way.map(\.creator) == ["captain", "mate", "cook"])
      let left = try decode([AppContent.Listed].self, try await server.send("GET", "/api/v1/content/public"))
      #expect(left.map(\.originalAuthorUsername) == ["captain"] && left.map(\.originalContentPublicID) == [nil])
    }
  }

  @Test func `batches`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      func batch(_ operations: String) async throws -> HTTPAnswer {
        try await server.send(
          "POST", "/api/v1/content/batch", token: captain.token, body: #"{"operations":[\#(operations)]}"#)
      }
      let early = Publication.body("a-1", data: Self.earlyDocument, more: #","forked_from_id":"\#(Self.unknown)""#)
      let published = try decode(
        AppContent.BatchAnswer<AppContent.Published>.self,
        try await batch(#"{"operation":"publish","payload":\#(early)}"#))
      #expect(published.results.map(\.status) == [201])
      #expect(published.results.first?.body?.notes?.map(\.code) == ["REG0205"])
      let updated = try decode(
        AppContent.BatchAnswer<AppContent.Updated>.self,
        try await batch(
          #"{"operation":"publish_update","payload":{"public_id":"a-1","content_data":{"sections":[],"updatedAt":1}}},"#
            + #"{"operation":"unpublish","payload":{"public_id":"a-1"}}"#))
      #expect(updated.results.map(\.status) == [200, 204] && updated.results[1].body == nil)
    }
  }

  /// Invalid times are refused with their places, and nothing changes.
  @Test(arguments: ["-63113904001", "252423993600", "1e300", "1e400", "true", "[0]", #""NaN""#])
  func `numbers that are no time`(_ time: String) async throws {
    try await TestServer.run { server in
      let captain = try await server.person("captain")
      try await server.publish("a-1", by: captain)
      let before = try await server.send("HEAD", "/api/v1/content/a-1").header("ETag")
      let data = #"{"sections":[],"createdAt":\#(time)}"#
      for (method, path, body) in [
        ("POST", "share", Publication.body("b-1", data: data)),
        ("PUT", "a-1", #"{"title":"Changed","content_data":\#(data)}"#),
      ] {
        let answer = try await server.send(method, "/api/v1/content/\(path)", token: captain.token, body: body)
        #expect(answer.status == 422 && Set(answer.pointers) == ["/content_data/createdAt"], "\(answer.text)")
      }
      let batch = try await server.send(
        "POST", "/api/v1/content/batch", token: captain.token,
        body: #"{"operations":[{"operation":"publish","payload":\#(Publication.body("b-1", data: data))}]}"#)
      let result = try #require(try batch.json()["results"]?[0])
      #expect(result["status"]?.integer == 422)
      #expect(
        result.at(JSONPointer("/body/findings/0/pointer")!)?.string == "/operations/0/payload/content_data/createdAt")
      #expect(try await server.send("HEAD", "/api/v1/content/a-1").header("ETag") == before)
      #expect(try await server.send("GET", "/api/v1/content/b-1").status == 404)
    }
  }
}
