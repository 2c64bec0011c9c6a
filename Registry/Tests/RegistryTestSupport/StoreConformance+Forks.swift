import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let forks: [ConformanceCase] = [
    ConformanceCase("forks are counted where they are allowed") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(StoreSamples.request("open"), by: ann)
      _ = try await store.publish(StoreSamples.request("closed", canFork: false), by: ann)
      _ = try await store.content(publicID: "open", countingView: false)
      for count in 1...3 {
        guard case .counted(let head) = try await store.countFork(publicID: "open") else { return unexpected() }
        #expect(head.forkCount == Int64(count) && head.publicID == "open")
      }
      #expect(try await store.content(publicID: "open", countingView: false)?.head.forkCount == 3)
      #expect(try await store.countFork(publicID: "closed") == .forbidden)
      _ = try await store.run([.unpublish(publicID: "open", ifMatch: nil)], by: ann)
      #expect(try await store.countFork(publicID: "open") == .notFound)
    },
    ConformanceCase("a fork needs a parent that is known and may be forked") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let open = try #require(try await store.publish(StoreSamples.request("open"), by: ann))
      let closed = try #require(try await store.publish(StoreSamples.request("closed", canFork: false), by: ann))
      let results = try await store.run(
        [
          .publish(StoreSamples.request("f1", parent: open.id)),
          .publish(StoreSamples.request("f2", parent: closed.id)),
          .publish(StoreSamples.request("f3", parent: RegistryID())),
        ], by: bob)
      guard case .published(let fork) = results[0] else { return unexpected() }
      #expect(fork.forkedFromID == open.id)
      #expect(results[1] == .refused(.forkingForbidden) && results[2] == .refused(.unknownParent))
      // One's own may be copied all the same.
      #expect(try await store.publish(StoreSamples.request("f4", parent: closed.id), by: ann) != nil)
      // Publishing a fork counts none: the fork's own call does.
      #expect(try await store.head(.publicID("open"))?.forkCount == 0)
      // What was unpublished takes no new copies, not even its author's; those that are there are changed as before.
      _ = try await store.run([.unpublish(publicID: "open", ifMatch: nil)], by: ann)
      for person in [ann, bob] {
        let late = try await store.run([.publish(StoreSamples.request("f5", parent: open.id))], by: person)
        #expect(late == [.refused(.unknownParent)])
      }
      var change = PublishChange()
      change.title = "Still a copy"
      let kept = try await store.run([.update(publicID: "f1", change, ifMatch: nil)], by: bob)
      guard case .updated(let head) = kept[0] else { return unexpected(kept) }
      #expect(head.forkedFromID == open.id)
    },
    ConformanceCase("lineage goes from the original to the item, the nearest steps first to stay") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      var heads: [ContentHead] = []
      for index in 0..<13 {
        let request = StoreSamples.request("g\(index)", title: "Step \(index)", parent: heads.last?.id)
        heads.append(
          try #require(
            try await store.publish(request, by: index % 2 == 0 ? ann : bob, at: StoreSamples.time(Int64(index)))))
      }
      let short = try #require(try await store.lineage(.publicID("g3"), depth: 10))
      #expect(short.map(\.title) == ["Step 0", "Step 1", "Step 2", "Step 3"])
      #expect(short.map(\.isCurrent) == [false, false, false, true])
      #expect(short.map(\.creator) == ["ann", "bob", "ann", "bob"])
      #expect(short.map(\.createdAt) == heads[0...3].map(\.createdAt))
      #expect(try await store.lineage(.id(heads[3].id), depth: 10) == short)
      let long = try #require(try await store.lineage(.publicID("g12"), depth: 10))
      #expect(long.map(\.title) == (3...12).map { "Step \($0)" })
      #expect(try await store.lineage(.publicID("g12"), depth: 1)?.count == 1)
      // An ancestor that was unpublished is still a step.
      _ = try await store.run([.unpublish(publicID: "g2", ifMatch: nil)], by: ann)
      #expect(try await store.lineage(.publicID("g3"), depth: 10) == short)
      #expect(try await store.lineage(.publicID("g2"), depth: 10) == nil)
    },
  ]
}
