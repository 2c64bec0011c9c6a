import JSONText
import PostgreSQLStore
import RegistryAPI
import RegistryModel
import RegistryTestSupport
import Testing

/// Tests fork counts, which no caller can inflate.
@Suite struct ContentForkTests {
  private static var behindProxy: RegistrySettings {
    var settings = TestServer.settings
    settings.trustsProxy = true
    return settings
  }

  /// Counts a fork from an address, and returns the count.
  private func fork(_ server: TestServer, _ slug: String, from address: String) async throws -> Int64? {
    let answer = try await server.send(
      "POST", "/api/v1/content/\(slug)/fork", headers: [("X-Forwarded-For", address)])
    #expect(answer.status == 200, "\(answer.text)")
    return try answer.json()["fork_count"]?.integer
  }

  @Test func `an address counts once a day for each item`() async throws {
    try await TestServer.run(settings: Self.behindProxy) { server in
      let captain = try await server.person()
      let id = try await server.publish("one-1", by: captain)
      try await server.publish("two-1", by: captain)
      for _ in 0..<3 { #expect(try await fork(server, "one-1", from: "203.0.113.9") == 1) }
      #expect(try await fork(server, "one-1", from: "203.0.113.10") == 2)
      #expect(try await fork(server, "one-1", from: "203.0.113.9") == 2)
      #expect(try await fork(server, "two-1", from: "203.0.113.9") == 1)
      // The owner of an IPv6 connection has a /64 of addresses.
      for (address, count) in [("2001:db8::1", 3), ("2001:db8::ffff:2", 3), ("2001:db8:0:1::1", 4)] as [(String, Int64)]
      {
        #expect(try await fork(server, "one-1", from: address) == count)
      }
      #expect(try await server.read("one-1")["fork_count"]?.integer == 4)
      let answer = try await server.send(
        "POST", "/api/v1/content/one-1/fork", headers: [("X-Forwarded-For", "203.0.113.9")])
      #expect(try answer.json()["id"]?.string == id && answer.json()["public_id"]?.string == "one-1")
      // The clock is at 10:11:12 UTC: the next day begins in 13 h 48 min 48 s.
      server.clock.advance(seconds: 49_727)
      #expect(try await fork(server, "one-1", from: "203.0.113.9") == 4)
      server.clock.advance(seconds: 1)
      #expect(try await fork(server, "one-1", from: "203.0.113.9") == 5)
      #expect(try await fork(server, "one-1", from: "203.0.113.9") == 5)
    }
  }

  @Test func `what may not be forked, or is gone, stays so for who was counted`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("closed-1", by: captain, more: #","can_fork":false"#)
      let open = try await server.publish("open-1", by: captain)
      for _ in 0..<2 {
        #expect(try await server.send("POST", "/api/v1/content/closed-1/fork").problemCode == "fork_forbidden")
        #expect(try await server.send("POST", "/api/v1/content/late-1/fork").status == 404)
      }
      // A call without effect is not counted.
      try await server.publish("late-1", by: captain)
      #expect(try await server.send("POST", "/api/v1/content/late-1/fork").json()["fork_count"]?.integer == 1)
      // Publishing copies does not count them; the call does.
      for number in 0..<3 {
        try await server.publish("copy-\(number)", by: captain, more: #","forked_from_id":"\#(open)""#)
      }
      #expect(try await server.read("open-1")["fork_count"]?.integer == 0)
      #expect(try await server.send("POST", "/api/v1/content/open-1/fork").status == 200)
      _ = try await server.send("DELETE", "/api/v1/content/open-1", token: captain.token)
      #expect(try await server.send("POST", "/api/v1/content/open-1/fork").status == 404)
    }
  }

  @Test func `many calls at once from one address are one`() async throws {
    try await TestServer.run { server in
      let captain = try await server.person()
      try await server.publish("one-1", by: captain)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<12 {
          group.addTask { try await server.send("POST", "/api/v1/content/one-1/fork").status }
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(try await server.read("one-1")["fork_count"]?.integer == 1)
    }
  }

  @Test func `memory is bounded, and a day's key goes with the day`() async throws {
    let clock = HandClock()
    let forks = ForkDeduplicator(clock: clock.clock, capacity: 10)
    for number in 0..<100 {
      guard let claim = try await forks.begin("item-\(number)", caller: "a") else {
        Issue.record("\(number)")
        continue
      }
      #expect(try await forks.begin("item-\(number)", caller: "a") == nil)
      await forks.end(claim, isCounted: true)
      #expect(try await forks.begin("item-\(number)", caller: "a") == nil)
    }
    #expect(forks.count == 10)
    // The oldest marks are forgotten.
    #expect(try await forks.begin("item-90", caller: "a") == nil)
    let again = try await forks.begin("item-89", caller: "a")
    #expect(again != nil && forks.count == 11)
    clock.advance(seconds: 86_400)
    forks.sweep()
    #expect(forks.count == 0)
    // A claim from yesterday ends without effect today.
    if let again { await forks.end(again, isCounted: true) }
    #expect(forks.count == 0)
    let names = [("item-1", "a"), ("item-", "1a"), ("item-1\na", "")]
    for name in names { #expect(try await forks.begin(name.0, caller: name.1) != nil) }
    #expect(forks.count == 3)
  }

  @Test func `several processes count a caller's fork once a day`() async throws {
    let database = try ScratchDatabase()
    let stores = try (0..<3).map { _ in try PostgreSQLStore(database.address) }
    let clock = HandClock()
    func processes() -> [ForkDeduplicator] { stores.map { ForkDeduplicator(clock: clock.clock, store: $0) } }
    let forks = processes()
    let claim = try #require(try await forks[0].begin("item", caller: "a"))
    #expect(try await forks[1].begin("item", caller: "a") == nil)
    #expect(try await forks[1].begin("item", caller: "b") != nil)
    await forks[0].end(claim, isCounted: false)
    // The first one failed, so another process may try.
    let again = try #require(try await forks[2].begin("item", caller: "a"))
    await forks[2].end(again, isCounted: true)
    for one in processes() { #expect(try await one.begin("item", caller: "a") == nil) }
    clock.advance(seconds: 86_400)
    #expect(try await forks[1].begin("item", caller: "a") != nil)
    for store in stores { try await store.close() }
  }
}
