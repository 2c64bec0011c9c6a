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
          .publish(StoreSamples.request("f3", parent: RegistryID(), originalAuthor: "zoe")),
        ], by: bob)
      guard case .published(let fork) = results[0] else { return unexpected() }
      #expect(fork.forkedFromID == open.id)
      #expect(results[1] == .refused(.forkingForbidden))
      guard case .published(let alone) = results[2] else { return unexpected(results) }
      #expect(alone.forkedFromID == nil && alone.originalAuthorUsername == "zoe" && alone.chainDepth == 1)
      #expect(try await store.head(.id(alone.id)) == alone)
      // The owner may nevertheless copy the item.
      #expect(try await store.publish(StoreSamples.request("f4", parent: closed.id), by: ann) != nil)
      // Publishing a fork does not count it; the separate call for forks does.
      #expect(try await store.head(.publicID("open"))?.forkCount == 0)
      // An unpublished item gets no new copies, not even from its author: a copy is then published without the link,
      // under the name in the store. Existing copies can be changed as before.
      _ = try await store.run([.unpublish(publicID: "open", ifMatch: nil)], by: ann)
      for person in [ann, bob] {
        let request = StoreSamples.request("late-\(person.username)", parent: open.id, originalAuthor: "zoe")
        let late = try #require(try await store.publish(request, by: person))
        #expect(late.forkedFromID == nil && late.originalAuthorUsername == "ann" && late.chainDepth == 1)
        #expect(late.originalAuthorUserID == nil && late.originalPublicID == nil)
      }
      var change = PublishChange()
      change.title = "Still a copy"
      let kept = try await store.run([.update(publicID: "f1", change, ifMatch: nil)], by: bob)
      guard case .updated(let head) = kept[0] else { return unexpected(kept) }
      #expect(head.forkedFromID == open.id)
    },
    ConformanceCase("a copy of a copy credits the original, immediately and for as long as it exists") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let cat = try await store.person("cat")
      let root = try #require(try await store.publish(StoreSamples.request("root"), by: ann))
      #expect(root.chainDepth == 1 && root.originalAuthorUsername == nil && root.originalPublicID == nil)
      let copy = try #require(try await store.publish(StoreSamples.request("copy", parent: root.id), by: bob))
      let third = try #require(try await store.publish(StoreSamples.request("third", parent: copy.id), by: cat))
      #expect(third.chainDepth == 3 && third.forkedFromID == copy.id)
      /// Reads the copy through every call, uncached and cached.
      func credit() async throws -> [PublicationHead] {
        var heads: [PublicationHead] = []
        heads.append(try #require(try await store.content(publicID: "third", countingView: false)).head)
        heads.append(try #require(try await store.head(.publicID("third"))))
        heads.append(try #require(try await store.head(.id(third.id))))
        heads += try await store.list(PublicQuery()).items.filter { $0.id == third.id }
        let mine = try await store.list(ownedBy: cat.id, since: nil, after: nil, limit: 10)
        heads += mine.items.filter { $0.id == third.id }
        var words = PublicQuery()
        words.text = "departure"
        heads += try await store.list(words).items.filter { $0.id == third.id }
        #expect(heads.count == 6)
        return heads
      }
      for head in try await credit() {
        #expect(head == third && head.originalAuthorUsername == "ann" && head.originalAuthorUserID == ann.id)
        #expect(head.originalPublicID == "root")
      }
      _ = try await store.run([.unpublish(publicID: "copy", ifMatch: nil)], by: bob)
      #expect(try await credit().allSatisfy { $0 == third })
      // The name is kept, but the slug is not.
      _ = try await store.run([.unpublish(publicID: "root", ifMatch: nil)], by: ann)
      for head in try await credit() {
        #expect(head.originalAuthorUsername == "ann" && head.originalAuthorUserID == ann.id)
        #expect(head.originalPublicID == nil && head.chainDepth == 3)
      }
      // A new copy of an unpublished item keeps the name of the original's author, and its own copies inherit that
      // name.
      let late = try #require(try await store.publish(StoreSamples.request("late", parent: copy.id), by: cat))
      #expect(late.originalAuthorUsername == "ann" && late.chainDepth == 1)
      let later = try #require(try await store.publish(StoreSamples.request("later", parent: late.id), by: bob))
      #expect(later.originalAuthorUsername == "ann" && later.originalAuthorUserID == nil)
      #expect(later.originalPublicID == nil && later.chainDepth == 2 && later.forkedFromID == late.id)
      #expect(try await store.head(.id(later.id)) == later)
      try await store.deleteUser(ann.id, at: StoreSamples.time(5))
      try await store.sweep(at: StoreSamples.time(6))
      for head in try await credit() {
        #expect(head.originalAuthorUsername == "ann" && head.originalAuthorUserID == nil)
      }
      #expect(try await store.person("ann", at: StoreSamples.time(7)).username != "ann")
    },
    ConformanceCase("lineage goes from the original to the item, the nearest steps first to stay") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      var heads: [PublicationHead] = []
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
      // An unpublished ancestor is still a step, without its title.
      _ = try await store.run([.unpublish(publicID: "g2", ifMatch: nil)], by: ann)
      let rest = try #require(try await store.lineage(.publicID("g3"), depth: 10))
      #expect(rest.map(\.title) == ["Step 0", "Step 1", "", "Step 3"])
      #expect(rest.map(\.creator) == short.map(\.creator) && rest.map(\.createdAt) == short.map(\.createdAt))
      #expect(try await store.lineage(.publicID("g2"), depth: 10) == nil)
    },
  ]
}
