import Foundation
import JSONText
import RegistryAPI
import RegistryModel
import Testing

@Suite struct DescriptionTests {
  @Test func `every route is described, and nothing else`() async throws {
    try await TestServer.run { server in
      let described = Set(try #require(DescribedInterface.shared).operations)
      var routes: Set<String> = []
      // Pages are for people.
      for route in RegistryRouter.make(server.registry).routes where !PageRoutes.paths.contains(route.path.description)
      {
        routes.insert("\(route.method.rawValue) \(route.path)")
        // The router adds a HEAD for every GET.
        if route.method == .get { routes.insert("HEAD \(route.path)") }
      }
      #expect(routes.subtracting(described).sorted() == [])
      #expect(described.subtracting(routes).sorted() == [])
    }
  }

  @Test func `the document is served at two places, as it stands in the source`() async throws {
    let source = try #require(
      FileManager.default.contents(
        atPath: URL(filePath: #filePath).deletingLastPathComponent().path
          + "/../../Sources/RegistryAPI/Description/openapi.json"))
    try await TestServer.run { server in
      for path in ["/openapi.json", "/api/v1/openapi.json"] {
        let answer = try await server.send("GET", path)
        #expect(answer.status == 200)
        #expect(answer.body == Array(source))
      }
    }
  }

  @Test func `the examples of schemas are valid`() throws {
    let described = try #require(DescribedInterface.shared)
    var count = 0
    for (name, schema) in described.document.root["components"]?["schemas"]?.members ?? [] {
      for example in schema["examples"]?.elements ?? [] {
        described.hold(Array(example.text.utf8), against: "#/components/schemas/\(name)", "the example of \(name)")
        count += 1
      }
    }
    #expect(count >= 7)
  }

  @Test func `the examples of answers are valid`() throws {
    let described = try #require(DescribedInterface.shared)
    var count = 0
    for (path, item) in described.document.root["paths"]?.members ?? [] {
      for (method, operation) in item.members {
        for (status, response) in operation["responses"]?.members ?? [] {
          for (_, content) in response["content"]?.members ?? [] {
            guard let example = content["example"], let reference = content["schema"]?["$ref"]?.string else { continue }
            described.hold(Array(example.text.utf8), against: reference, "\(method) \(path) \(status)")
            count += 1
          }
        }
      }
    }
    #expect(count >= 8)
  }
  @Test func `every operation says what any request may meet`() throws {
    let described = try #require(DescribedInterface.shared)
    for (path, item) in described.document.root["paths"]?.members ?? [] {
      for (method, operation) in item.members {
        for status in ["400", "429", "431", "500", "503"] {
          #expect(operation["responses"]?[status] != nil, "\(method) \(path) \(status)")
        }
      }
    }
  }

  /// The description must allow the bodies that the registry accepts.
  @Test func `what is taken is described`() async throws {
    let described = try #require(DescribedInterface.shared)
    try await TestServer.run { server in
      let captain = try await server.person()
      let nothing = #","tags":null,"language":null,"can_fork":null,"forked_from_id":null,"description":null"#
      let bodies = [
        Publication.body("one-1", more: nothing),
        Publication.body("two-2", data: #""{\"sections\":[]}""#),
        Publication.body("three-3", type: "guide", data: #"" {\"markdown\":\"Fog\"}\n""#, more: nothing),
        Publication.body("four-4", type: "deck", data: #""{\"cards\":[]}""#),
      ]
      for body in bodies {
        let answer = try await server.send("POST", "/api/v1/content/share", token: captain.token, body: body)
        #expect(answer.status == 201, "\(answer.text)")
        described.hold(Array(body.utf8), against: "#/components/schemas/PublishRequest", body)
      }
      let change = #"{"content_type":"checklist","content_data":"{\"sections\":[]}","tags":null}"#
      let answer = try await server.send(
        "PATCH", "/api/v1/content/one-1", token: captain.token, body: change)
      #expect(answer.status == 200, "\(answer.text)")
      described.hold(Array(change.utf8), against: "#/components/schemas/ChangeRequest", change)
    }
  }

  /// The interface's finding codes are listed in three places: the source code, the interface's description, and the
  /// operator's page.
  @Test func `finding codes are listed`() throws {
    let registry = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let sources = registry.appending(path: "Sources/RegistryAPI")
    var coded: Set<Substring> = []
    let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
    while let file = files?.nextObject() as? URL {
      guard file.pathExtension == "swift" else { continue }
      let text = try String(contentsOf: file, encoding: .utf8)
      for match in text.matches(of: #/"(REG[0-9]{4})"/#) { coded.insert(match.1) }
    }
    let page = try String(contentsOf: registry.appending(path: "../docs/registry.md"), encoding: .utf8)
    let listed = page.matches(of: #/\n\| `(REG[0-9]{4})` \| /#).map(\.1)
    #expect(listed == coded.sorted())
    let finding = try #require(DescribedInterface.shared).document.root["components"]?["schemas"]?["Finding"]
    let described = (finding?["description"]?.string ?? "").matches(of: #/\b([0-9]{4})\b/#).map { "REG\($0.1)" }
    #expect(described == listed.map(String.init))
  }
}
