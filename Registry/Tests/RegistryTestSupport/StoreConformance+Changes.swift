import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let changes: [ConformanceCase] = [
    ConformanceCase("a taken slug is refused, whoever took it") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let results = try await store.run(
        [.publish(StoreSamples.request("one")), .publish(StoreSamples.request("one", title: "Other"))], by: ann)
      #expect(results.last == .refused(.publicIDTaken))
      #expect(try await store.run([.publish(StoreSamples.request("one"))], by: bob) == [.refused(.publicIDTaken)])
      #expect(try await store.run([.unpublish(publicID: "one", ifMatch: nil)], by: ann) == [.unpublished])
      #expect(try await store.run([.publish(StoreSamples.request("one"))], by: ann) == [.refused(.publicIDTaken)])
      #expect(try await store.content(publicID: "one", countingView: true) == nil)
    },
    ConformanceCase("a change does not affect members that it does not name") { store async throws in
      let ann = try await store.person("ann")
      let first = try #require(try await store.publish(StoreSamples.request("one", tags: ["a", "b"]), by: ann))
      _ = try await store.content(publicID: "one", countingView: true)
      _ = try await store.countFork(publicID: "one")
      let before = try #require(try await store.content(publicID: "one", countingView: false))
      let change = StoreSamples.change { $0.title = "New title" }
      let results = try await store.run(
        [.update(publicID: "one", change, ifMatch: nil)], by: ann, at: StoreSamples.time(5000))
      guard case .updated(let head)? = results.first else { return unexpected(results) }
      var expected = before.head
      expected.title = "New title"
      expected.updatedAt = StoreSamples.time(5000)
      expected.digest = head.digest
      #expect(head == expected && head.digest != first.digest && head.createdAt == first.createdAt)
      let after = try #require(try await store.content(publicID: "one", countingView: false))
      #expect(after.head == head && after.contentData == before.contentData)
      let none = StoreSamples.change { $0.description = .some(nil) }
      _ = try await store.run([.update(publicID: "one", none, ifMatch: nil)], by: ann, at: StoreSamples.time(6000))
      #expect(try await store.head(.publicID("one"))?.description == nil)
      #expect(try await store.head(.publicID("one"))?.title == "New title")
    },
    ConformanceCase("a change of nothing does not change the time") { store async throws in
      let ann = try await store.person("ann")
      let head = try #require(try await store.publish(StoreSamples.request("one"), by: ann))
      let results = try await store.run(
        [.update(publicID: "one", PublishChange(), ifMatch: nil)], by: ann, at: StoreSamples.time(5000))
      #expect(results == [.updated(head)])
      #expect(try await store.head(.publicID("one")) == head)
    },
    ConformanceCase("a document follows its item where it had the same values") { store async throws in
      let ann = try await store.person("ann")
      // The sample's document has the title "Round".
      _ = try await store.publish(StoreSamples.request("one", title: "Round"), by: ann)
      _ = try await store.publish(StoreSamples.request("two", title: "Departure"), by: ann)
      let change = StoreSamples.change { $0.title = "Harbour" }
      let results = try await store.run(
        ["one", "two"].map { .update(publicID: $0, change, ifMatch: nil) }, by: ann, at: StoreSamples.time(5000))
      let one = try #require(try await store.content(publicID: "one", countingView: false))
      let two = try #require(try await store.content(publicID: "two", countingView: false))
      #expect(String(decoding: one.contentData, as: UTF8.self).contains(#""title":"Harbour","sections""#))
      #expect(two.contentData == StoreSamples.document())
      #expect(results == [.updated(one.head), .updated(two.head)])
      #expect(
        one.head.digest
          == PublicationDigest.sha256(
            title: "Harbour", description: one.head.description, contentType: .checklist,
            contentData: one.contentData, tags: [], language: "en"))
      var query = PublicQuery()
      query.text = "round"
      #expect(try await store.list(query).items.map(\.publicID) == ["two"])
    },
    ConformanceCase("a new document replaces the old one in answers, digests and searches") { store async throws in
      let ann = try await store.person("ann")
      let first = try #require(try await store.publish(StoreSamples.request("one", text: "ballast"), by: ann))
      _ = try await store.content(publicID: "one", countingView: false)
      let change = StoreSamples.change {
        $0.contentData = StoreSamples.document("spinnaker")
        $0.contentType = .practiceGuide
        $0.tags = ["sails"]
        $0.language = "de"
      }
      _ = try await store.run([.update(publicID: "one", change, ifMatch: nil)], by: ann)
      let item = try #require(try await store.content(publicID: "one", countingView: false))
      #expect(item.contentData == change.contentData && item.head.contentType == .practiceGuide)
      #expect(item.head.digest != first.digest)
      func found(_ set: (inout PublicQuery) -> Void) async throws -> Bool {
        var query = PublicQuery()
        set(&query)
        return try await !store.list(query).items.isEmpty
      }
      #expect(try await !found { $0.text = "ballast" })
      #expect(try await found { $0.text = "spinnaker" })
      #expect(try await found { $0.tags = ["SAILS"] })
      #expect(try await found { $0.language = "de" })
      #expect(try await !found { $0.language = "en" })
      #expect(try await found { $0.contentType = "practice_guide" })
      #expect(try await !found { $0.contentType = "checklist" })
    },
    ConformanceCase("a type changes only with its document") { store async throws in
      let ann = try await store.person("ann")
      let head = try #require(try await store.publish(StoreSamples.request("one"), by: ann))
      let change = StoreSamples.change { $0.contentType = .practiceGuide }
      #expect(
        try await store.run([.update(publicID: "one", change, ifMatch: nil)], by: ann)
          == [.refused(.typeWithoutDocument)])
      #expect(try await store.head(.publicID("one")) == head)
      let same = StoreSamples.change { $0.contentType = .checklist }
      guard case .updated? = try await store.run([.update(publicID: "one", same, ifMatch: nil)], by: ann).first
      else { return unexpected() }
    },
    ConformanceCase("others' items and unknown ones are refused, each for its reason") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      _ = try await store.publish(StoreSamples.request("one"), by: ann)
      let change = StoreSamples.change { $0.title = "Mine now" }
      let wrong = ContentOperation.Precondition.digests([[UInt8](repeating: 1, count: 32)])
      let results = try await store.run(
        [
          .update(publicID: "one", change, ifMatch: nil), .unpublish(publicID: "one", ifMatch: wrong),
          .update(publicID: "two", change, ifMatch: .any), .unpublish(publicID: "two", ifMatch: wrong),
        ], by: bob)
      #expect(
        results == [.refused(.notOwner), .refused(.notOwner), .refused(.notFound), .refused(.notFound)])
      _ = try await store.run([.unpublish(publicID: "one", ifMatch: nil)], by: ann)
      let again = try await store.run(
        [.update(publicID: "one", change, ifMatch: nil), .unpublish(publicID: "one", ifMatch: nil)], by: ann)
      #expect(again == [.refused(.notFound), .refused(.notFound)])
    },
    ConformanceCase("If-Match asks for a state") { store async throws in
      let ann = try await store.person("ann")
      let head = try #require(try await store.publish(StoreSamples.request("one"), by: ann))
      let change = StoreSamples.change { $0.title = "Second" }
      let old = ContentOperation.Precondition.digests([[UInt8](repeating: 9, count: 32), head.digest])
      let results = try await store.run(
        [
          .update(publicID: "one", change, ifMatch: .digests([])), .update(publicID: "one", change, ifMatch: old),
          .update(publicID: "one", change, ifMatch: .digests([head.digest])),
          .unpublish(publicID: "one", ifMatch: .digests([head.digest])), .unpublish(publicID: "one", ifMatch: .any),
        ], by: ann)
      #expect(results[0] == .refused(.preconditionFailed))
      guard case .updated = results[1] else { return unexpected(results[1]) }
      #expect(results[2] == .refused(.preconditionFailed) && results[3] == .refused(.preconditionFailed))
      #expect(results[4] == .unpublished)
    },
    ConformanceCase("each change is later than the one before, even if the clock stops or goes back") {
      store async throws in
      let ann = try await store.person("ann")
      var last = Timestamp(milliseconds: .min)
      let offsets: [Int64] = [0, 0, 0, -1000, -1000, 5]
      for (index, offset) in offsets.enumerated() {
        let results = try await store.run(
          [
            .publish(StoreSamples.request("p\(index)")),
            .update(publicID: "p0", StoreSamples.change { $0.title = "T\(index)" }, ifMatch: nil),
          ], by: ann, at: StoreSamples.time(offset))
        for result in results {
          switch result {
          case .published(let head), .updated(let head):
            #expect(head.updatedAt > last && head.createdAt <= head.updatedAt)
            #expect(head.updatedAt >= StoreSamples.time(offset))
            last = head.updatedAt
          default: unexpected(result)
          }
        }
      }
      let mine = try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 100).items
      #expect(mine.map(\.updatedAt) == mine.map(\.updatedAt).sorted() && Set(mine.map(\.updatedAt)).count == 6)
    },
    ConformanceCase("one operation's refusal undoes nothing of the others") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let closed = try #require(try await store.publish(StoreSamples.request("closed", canFork: false), by: bob))
      let results = try await store.run(
        [
          .publish(StoreSamples.request("a")), .publish(StoreSamples.request("a")),
          .publish(StoreSamples.request("b", parent: closed.id)), .publish(StoreSamples.request("c")),
          .unpublish(publicID: "a", ifMatch: nil), .publish(StoreSamples.request("a")),
        ], by: ann)
      #expect(results.count == 6)
      #expect(results[1] == .refused(.publicIDTaken) && results[2] == .refused(.forkingForbidden))
      #expect(results[4] == .unpublished && results[5] == .refused(.publicIDTaken))
      #expect(Set(try await store.list(PublicQuery()).items.map(\.publicID)) == ["c", "closed"])
      #expect(try await store.run([], by: ann).isEmpty)
    },
    ConformanceCase("texts that cannot be kept are an error, not cut") { store async throws in
      let ann = try await store.person("ann")
      await #expect(throws: StoreFailure.self) {
        try await store.run([.publish(StoreSamples.request("nul", title: "a\0b"))], by: ann)
      }
      #expect(try await store.head(.publicID("nul")) == nil)
    },
  ]
}
