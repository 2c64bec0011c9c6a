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
      for route in RegistryRouter.make(server.registry).routes {
        routes.insert("\(route.method.rawValue) \(route.path)")
        // The router makes a HEAD of every GET.
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
}
