import RegistryTestSupport
import Testing

/// Tests requests as they are sent: their spelling, their order, and the end of the connection.
@Suite struct OperationWireTests {
  private static let item = "/api/v1/content/item-1"
  private static let list = "/api/v1/content/public"

  private static func get(_ path: String, _ fields: String..., version: String = "1.1") -> String {
    "GET \(path) HTTP/\(version)\r\nHost: a\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n"
  }

  /// Returns the statuses of the answers to `requests`, which are sent at once on one connection.
  /// - Parameter closing: the last request, which closes the connection.
  private func statuses(
    _ requests: String, closing: String = get("/health", "Connection: close")
  ) async throws -> [Int] {
    try await TestServer.run { server in
      let ann = try await server.registry.store.person("ann")
      _ = try await server.registry.store.publish(StoreSamples.request("item-1"), by: ann)
      let wire = try await server.exchange(Array((requests + closing).utf8))
      let answers = String(decoding: wire, as: UTF8.self).components(separatedBy: "HTTP/1.1 ").dropFirst()
      return answers.compactMap { Int($0.prefix(3)) }
    }
  }

  @Test func answersKeepTheirOrder() async throws {
    let requests =
      [Self.item, Self.list, "/health", Self.item, "/api/v1/content/gone", Self.list + "?limit=0", Self.item]
      .map { Self.get($0) }.joined()
    #expect(try await statuses(requests) == [200, 200, 200, 200, 404, 422, 200, 200])
  }

  @Test(arguments: [
    ("/api/v1/content%2Fitem-1", 404), ("/api/v1/content/item%252D1", 404), ("/api/v1/content/item%2", 404),
    ("/api/v1/content/item%", 404), ("/api/v1/content/item%2G1", 404), ("/api/v1/content/%2E/item-1", 404),
    ("/api/v1/content/x/%2E%2E/item-1", 404), ("/api/v1/content/ITEM-1", 404), ("/api/v1/content/publi", 404),
    ("/api/v1/content/%70ublic?tag=%72ed", 200), ("http://a/api/v1/content/item%2D1", 200),
  ])
  func spellingsOfATarget(target: String, status: Int) async throws {
    #expect(try await statuses(Self.get(target)) == [status, 200])
  }

  @Test func aConnectionEndsAfterTheRequestThatAsksForIt() async throws {
    #expect(try await statuses(Self.get(Self.item), closing: Self.get(Self.item, "Connection: close")) == [200, 200])
    #expect(try await statuses(Self.get(Self.item), closing: Self.get(Self.item, version: "1.0")) == [200, 200])
    #expect(try await statuses(Self.get(Self.item, "Connection: keep-alive")) == [200, 200])
  }

  @Test(arguments: ["nonsense\r\n\r\n", "GET \r\n\r\n"])
  func aRequestBeforeUnreadableBytesIsAnswered(rest: String) async throws {
    #expect(try await statuses(Self.get(Self.item) + rest) == [200, 400])
  }
}
