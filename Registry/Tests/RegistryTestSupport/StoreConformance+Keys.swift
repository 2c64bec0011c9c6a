import Content
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  private static func claim(_ key: String, _ fingerprint: UInt8, status: Int = 201) -> IdempotencyClaim {
    IdempotencyClaim(key: key, fingerprint: [UInt8](repeating: fingerprint, count: 32)) { results in
      StoredAnswer(
        status: status, headers: [.init(name: "ETag", value: "\"x\\y\""), .init(name: "Location", value: "/é")],
        body: Array("\(results.count) results \0 of \(status)".utf8))
    }
  }

  static let keys: [ConformanceCase] = [
    ConformanceCase("the same request with the same key has the same answer and no effect") { store async throws in
      let ann = try await store.person("ann")
      let operations: [ContentOperation] = [.publish(StoreSamples.request("one"))]
      guard
        case .done(let results) = try await store.apply(
          operations, by: ann.id, at: StoreSamples.start, claim: claim("k", 1)),
        case .published? = results.first
      else { return unexpected() }
      let replay = try await store.apply(
        operations, by: ann.id, at: StoreSamples.time(5), claim: claim("k", 1, status: 500))
      guard case .replayed(let answer) = replay else { return unexpected(replay) }
      #expect(answer == claim("k", 1).render(results))
      let other: [ContentOperation] = [.publish(StoreSamples.request("two"))]
      guard case .keyReused = try await store.apply(other, by: ann.id, at: StoreSamples.time(6), claim: claim("k", 2))
      else { return unexpected() }
      #expect(try await store.head(.publicID("two")) == nil)
      // Keys are compared by bytes, separately for each user.
      guard case .done = try await store.apply(other, by: ann.id, at: StoreSamples.time(7), claim: claim("K", 2))
      else { return unexpected() }
      let bob = try await store.person("bob")
      guard
        case .done(let refused) = try await store.apply(
          operations, by: bob.id, at: StoreSamples.time(8), claim: claim("k", 3))
      else { return unexpected() }
      // A refusal is stored as an answer, too.
      #expect(refused == [.refused(.publicIDTaken)])
      guard
        case .replayed = try await store.apply(operations, by: bob.id, at: StoreSamples.time(9), claim: claim("k", 3))
      else { return unexpected() }
    },
    ConformanceCase("an answer is kept for a day") { store async throws in
      let ann = try await store.person("ann")
      let day: Int64 = 24 * 3600 * 1000
      _ = try await store.apply(
        [.publish(StoreSamples.request("one"))], by: ann.id, at: StoreSamples.start, claim: claim("k", 1))
      try await store.sweep(at: StoreSamples.time(day - 1))
      guard case .replayed = try await store.apply([], by: ann.id, at: StoreSamples.time(day - 1), claim: claim("k", 1))
      else { return unexpected() }
      guard case .done = try await store.apply([], by: ann.id, at: StoreSamples.time(day), claim: claim("k", 2))
      else { return unexpected() }
      guard case .keyReused = try await store.apply([], by: ann.id, at: StoreSamples.time(day), claim: claim("k", 1))
      else { return unexpected() }
      try await store.sweep(at: StoreSamples.time(2 * day))
      guard case .done = try await store.apply([], by: ann.id, at: StoreSamples.time(day), claim: claim("k", 1))
      else { return unexpected() }
    },
    ConformanceCase("concurrent copies of one request have one effect") { store async throws in
      let ann = try await store.person("ann")
      let outcomes = try await withThrowingTaskGroup(of: ApplyOutcome.self) { group in
        for _ in 0..<50 {
          group.addTask {
            try await store.apply(
              [.publish(StoreSamples.request("one"))], by: ann.id, at: StoreSamples.start, claim: claim("k", 1))
          }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      var done = 0
      for outcome in outcomes {
        switch outcome {
        case .done(let results):
          done += 1
          guard case .published? = results.first else { return unexpected() }
        case .replayed(let answer): #expect(answer.status == 201)
        case .keyReused: unexpected()
        }
      }
      #expect(done == 1 && outcomes.count == 50)
    },
    ConformanceCase("a closed store reports that it is closed") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(StoreSamples.request("one"), by: ann)
      _ = try await store.content(publicID: "one", countingView: true)
      try await store.check()
      try await store.close()
      try await store.close()
      await #expect(throws: StoreFailure.closed) { try await store.check() }
      await #expect(throws: StoreFailure.closed) { try await store.content(publicID: "one", countingView: true) }
      await #expect(throws: StoreFailure.closed) { try await store.head(.publicID("one")) }
      await #expect(throws: StoreFailure.closed) { try await store.list(PublicQuery()) }
      await #expect(throws: StoreFailure.closed) { try await store.run([], by: ann) }
      await #expect(throws: StoreFailure.closed) { try await store.sweep(at: StoreSamples.start) }
    },
  ]
}
