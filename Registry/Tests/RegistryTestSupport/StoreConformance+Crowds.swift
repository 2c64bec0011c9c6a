import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

/// Tests with many concurrent callers.
extension StoreConformance {
  static let crowds: [ConformanceCase] = [
    ConformanceCase("concurrent publications: each slug is published once, and all answers are true") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let won = try await withThrowingTaskGroup(of: PublicationHead?.self) { group in
        for index in 0..<300 {
          group.addTask {
            let user = index % 2 == 0 ? ann : bob
            return try await store.publish(StoreSamples.request("slug-\(index % 100)", title: "By \(index)"), by: user)
          }
        }
        return try await group.reduce(into: [PublicationHead]()) { if let head = $1 { $0.append(head) } }
      }
      #expect(won.count == 100 && Set(won.map(\.publicID)).count == 100)
      for head in won { #expect(try await store.content(publicID: head.publicID, countingView: false)?.head == head) }
      var query = PublicQuery()
      query.limit = 100
      #expect(try await Set(store.list(query).items.map(\.id)) == Set(won.map(\.id)))
      for user in [ann, bob] {
        let mine = try await store.list(ownedBy: user.id, since: nil, after: nil, limit: 500).items
        #expect(Set(mine.map(\.updatedAt)).count == mine.count)
      }
    },
    ConformanceCase("concurrent changes of one item under If-Match: no change is lost") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(StoreSamples.request("one", title: ""), by: ann)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for index in 0..<40 {
          group.addTask {
            while true {
              guard let head = try await store.content(publicID: "one", countingView: true)?.head else { return }
              let change = StoreSamples.change { $0.title = head.title + "[\(index)]" }
              let results = try await store.run(
                [.update(publicID: "one", change, ifMatch: .digests([head.digest]))], by: ann)
              if case .updated(let done)? = results.first {
                // A caller that got its answer finds its change, or a newer one, in the next read.
                let seen = try await store.content(publicID: "one", countingView: false)?.head
                #expect(seen.map { $0.updatedAt >= done.updatedAt && $0.title.hasPrefix(done.title) } == true)
                return
              }
              #expect(results == [.refused(.preconditionFailed)])
            }
          }
        }
        try await group.waitForAll()
      }
      let title = try #require(try await store.head(.publicID("one"))).title
      let numbers = title.split { $0 == "[" || $0 == "]" }.compactMap { Int($0) }
      #expect(numbers.count == 40 && Set(numbers) == Set(0..<40))
    },
    ConformanceCase("views are counted one by one while the item changes") { store async throws in
      let ann = try await store.person("ann")
      _ = try await store.publish(StoreSamples.request("one"), by: ann)
      _ = try await store.publish(StoreSamples.request("two"), by: ann)
      let counts = try await withThrowingTaskGroup(of: [Int64].self) { group in
        for index in 0..<30 {
          group.addTask { try await readAndChange(store, by: ann, number: index) }
        }
        return try await group.reduce(into: [Int64]()) { $0 += $1 }
      }
      #expect(counts.sorted() == Array(1...1200))
      let head = try #require(try await store.head(.publicID("one")))
      #expect(head.viewCount == 1200 && head.forkCount == 30)
      #expect(try await store.head(.publicID("two"))?.viewCount == 0)
    },
    ConformanceCase("after a session has ended, no caller finds it live") { store async throws in
      let ann = try await store.person("ann")
      for round in 0..<40 {
        let session = Session(
          id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1000))
        try await store.beginSession(session, tokenHash: StoreSamples.hash(round))
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            group.addTask { while try await store.isLive(session) { await Task.yield() } }
          }
          group.addTask {
            try await store.endSession(session.id)
            for _ in 0..<20 {
              let live = try await store.isLive(session)
              #expect(!live)
            }
          }
          try await group.waitForAll()
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask { while try await store.user(ann.id) != nil { await Task.yield() } }
        group.addTask {
          try await store.deleteUser(ann.id, at: StoreSamples.start)
          let found = try await store.user(ann.id)
          #expect(found == nil)
        }
        try await group.waitForAll()
      }
    },
    ConformanceCase("pages hold together while others publish and unpublish") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let stay = (0..<60).map { "stay-\($0)" }
      _ = try await store.run(stay.map { .publish(StoreSamples.request($0)) }, by: ann)
      try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
          for index in 0..<60 {
            _ = try await store.publish(
              StoreSamples.request("go-\(index)"), by: bob, at: StoreSamples.time(Int64(index)))
            if index % 3 == 0 { _ = try await store.run([.unpublish(publicID: "go-\(index)", ifMatch: nil)], by: bob) }
          }
        }
        for limit in [1, 7, 20] {
          group.addTask {
            for _ in 0..<5 {
              var query = PublicQuery()
              query.limit = limit
              var all: [PublicationHead] = []
              repeat {
                let page = try await store.list(query)
                all += page.items
                query.after = page.next
              } while query.after != nil
              #expect(Set(all.map(\.id)).count == all.count)
              #expect(Set(all.map(\.publicID)).isSuperset(of: stay))
            }
          }
        }
        try await group.waitForAll()
      }
    },
  ]

  /// Reads an item forty times and changes it a few times in between; returns the counts in the answers.
  private static func readAndChange(_ store: any RegistryStore, by user: User, number: Int) async throws -> [Int64] {
    var counts: [Int64] = []
    for round in 0..<40 {
      let item = try #require(try await store.content(publicID: "one", countingView: true))
      let count = item.head.viewCount
      counts.append(count)
      // Other reads show at least the count in the answer.
      if round % 10 == 3 {
        let head = try #require(try await store.head(.publicID("one")))
        #expect(head.viewCount >= count)
        let listed = try await store.list(PublicQuery()).items.first { $0.publicID == "one" }
        #expect((listed?.viewCount ?? 0) >= count)
      }
      if round % 10 == number % 10 {
        let change = StoreSamples.change { $0.title = "T\(number)-\(round)" }
        _ = try await store.run([.update(publicID: "one", change, ifMatch: nil)], by: user)
      }
      if round == 20 { _ = try await store.countFork(publicID: "one") }
    }
    return counts
  }
}
