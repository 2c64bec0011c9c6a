import Content
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let people: [ConformanceCase] = [
    ConformanceCase("a person is made once and found again") { store async throws in
      let first = try await store.signIn(
        appleID: "001.ann", email: "ann@example.org", usernameHint: "ann", at: StoreSamples.start)
      #expect(first.username == "ann" && first.email == "ann@example.org" && first.appleID == "001.ann")
      #expect(first.createdAt == StoreSamples.start && first.updatedAt == StoreSamples.start)
      let again = try await store.signIn(appleID: "001.ann", email: nil, usernameHint: "zoe", at: StoreSamples.time(9))
      #expect(again == first)
      #expect(try await store.user(first.id) == first)
      #expect(try await store.user(RegistryID()) == nil)
      let moved = try await store.signIn(
        appleID: "001.ann", email: "new@example.org", usernameHint: "zoe", at: StoreSamples.time(10))
      #expect(moved.id == first.id && moved.email == "new@example.org" && moved.username == "ann")
      #expect(moved.updatedAt == StoreSamples.time(10) && moved.createdAt == StoreSamples.start)
      #expect(try await store.user(first.id) == moved)
    },
    ConformanceCase("names are unique, and an address belongs to one person") { store async throws in
      var names: Set<String> = []
      for index in 0..<30 {
        let user = try await store.signIn(
          appleID: "person \(index)", email: "same@example.org", usernameHint: "ann", at: StoreSamples.start)
        #expect(names.insert(user.username).inserted && user.username.hasPrefix("ann"))
        #expect(user.email == (index == 0 ? "same@example.org" : nil))
      }
      let nameless = try await store.signIn(appleID: "x", email: nil, usernameHint: "", at: StoreSamples.start)
      #expect(!nameless.username.isEmpty)
    },
    ConformanceCase("a name that a deleted account's work still has is not given away") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let eve = try await store.person("eve")
      let origin = try #require(try await store.publish(StoreSamples.request("origin"), by: ann))
      _ = try await store.publish(StoreSamples.request("other"), by: eve)
      _ = try await store.publish(StoreSamples.request("fork", parent: origin.id), by: bob)
      try await store.deleteUser(ann.id, at: StoreSamples.time(10))
      try await store.deleteUser(eve.id, at: StoreSamples.time(10))
      let next = try await store.signIn(
        appleID: "another", email: nil, usernameHint: "ann", at: StoreSamples.time(20))
      #expect(next.username == "ann2")
      #expect(try await store.lineage(.publicID("fork"), depth: 10)?.map(\.creator) == ["ann", "bob"])
      // This name is not in use.
      let free = try await store.signIn(
        appleID: "one more", email: nil, usernameHint: "eve", at: StoreSamples.time(20))
      #expect(free.username == "eve")
      // The credit is removed with the last fork, and the name becomes free.
      _ = try await store.run([.unpublish(publicID: "fork", ifMatch: nil)], by: bob, at: StoreSamples.time(30))
      try await store.sweep(at: StoreSamples.time(40))
      let late = try await store.signIn(
        appleID: "a third", email: nil, usernameHint: "ann", at: StoreSamples.time(50))
      #expect(late.username == "ann")
    },
    ConformanceCase("a session lives until it is ended, and its tokens work once") { store async throws in
      let ann = try await store.person("ann")
      let session = Session(
        id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1000))
      #expect(try await !store.isLive(session))
      try await store.beginSession(session, tokenHash: StoreSamples.hash(1))
      #expect(try await store.isLive(session))
      let first = try await store.rotate(
        tokenHash: StoreSamples.hash(1), next: StoreSamples.hash(2), at: StoreSamples.time(500),
        expiresAt: StoreSamples.time(1500))
      let longer = Session(
        id: session.id, userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1500))
      #expect(first == .rotated(longer, ann))
      // The tokens are an unknown one and one that has expired.
      #expect(
        try await store.rotate(
          tokenHash: StoreSamples.hash(9), next: StoreSamples.hash(3), at: StoreSamples.time(500),
          expiresAt: StoreSamples.time(1500)) == .unknown)
      #expect(
        try await store.rotate(
          tokenHash: StoreSamples.hash(2), next: StoreSamples.hash(3), at: StoreSamples.time(1500),
          expiresAt: StoreSamples.time(2500)) == .unknown)
      #expect(try await store.isLive(session))
      // The first token is used again: it has been copied, so the session ends for everybody.
      #expect(
        try await store.rotate(
          tokenHash: StoreSamples.hash(1), next: StoreSamples.hash(3), at: StoreSamples.time(600),
          expiresAt: StoreSamples.time(1600)) == .reused)
      #expect(try await !store.isLive(session))
      #expect(
        try await store.rotate(
          tokenHash: StoreSamples.hash(2), next: StoreSamples.hash(4), at: StoreSamples.time(600),
          expiresAt: StoreSamples.time(1600)) == .unknown)
    },
    ConformanceCase("a token that asks for the same next one again is given it, for a minute and until that is used") {
      store async throws in
      let ann = try await store.person("ann")
      let grace = Session.grace * 1000
      func rotate(_ hash: Int, _ next: Int, _ time: Int64) async throws -> RotationOutcome {
        try await store.rotate(
          tokenHash: StoreSamples.hash(hash), next: StoreSamples.hash(next), at: StoreSamples.time(time),
          expiresAt: StoreSamples.time(time + 500_000))
      }
      for (round, isUsed) in [false, true].enumerated() {
        let (first, second, third) = (round * 10, round * 10 + 1, round * 10 + 2)
        let session = Session(
          id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(100_000))
        try await store.beginSession(session, tokenHash: StoreSamples.hash(first))
        let answer = try await rotate(first, second, 1000)
        #expect(try await rotate(first, second, 1000 + grace) == answer)
        #expect(try await store.isLive(session))
        if isUsed { _ = try await rotate(second, third, 2000) }
        #expect(try await rotate(first, second, isUsed ? 2001 : 1001 + grace) == .reused)
        #expect(try await !store.isLive(session))
      }
    },
    ConformanceCase("ending a session ends that one; sweeping ends those that are over") { store async throws in
      let ann = try await store.person("ann")
      var sessions: [Session] = []
      for index in 0..<3 {
        let session = Session(
          id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start,
          expiresAt: StoreSamples.time(Int64(index) * 1000 + 1000))
        try await store.beginSession(session, tokenHash: StoreSamples.hash(index))
        sessions.append(session)
      }
      try await store.endSession(sessions[2].id)
      try await store.endSession(sessions[2].id)
      try await store.endSession(RegistryID())
      #expect(try await store.isLive(sessions[0]))
      #expect(try await !store.isLive(sessions[2]))
      try await store.sweep(at: StoreSamples.time(1500))
      #expect(try await !store.isLive(sessions[0]))
      #expect(try await store.isLive(sessions[1]))
      let stranger = Session(
        id: RegistryID(), userID: RegistryID(), createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1))
      await #expect(throws: StoreFailure.unknownUser) {
        try await store.beginSession(stranger, tokenHash: StoreSamples.hash(7))
      }
    },
    ConformanceCase("one token used twice: one gets the next, the other ends the session") { store async throws in
      let ann = try await store.person("ann")
      for round in 0..<20 {
        let session = Session(
          id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1000))
        try await store.beginSession(session, tokenHash: StoreSamples.hash(round * 10))
        let outcomes = try await withThrowingTaskGroup(of: RotationOutcome.self) { group in
          for next in 1...2 {
            group.addTask {
              try await store.rotate(
                tokenHash: StoreSamples.hash(round * 10), next: StoreSamples.hash(round * 10 + next),
                at: StoreSamples.time(1), expiresAt: StoreSamples.time(1000))
            }
          }
          return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(outcomes.filter { $0 == .reused }.count == 1)
        #expect(try await !store.isLive(session))
      }
    },
    ConformanceCase("an account that is deleted is gone: session, items, name; its slugs stay taken") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let session = Session(
        id: RegistryID(), userID: ann.id, createdAt: StoreSamples.start, expiresAt: StoreSamples.time(1000))
      try await store.beginSession(session, tokenHash: StoreSamples.hash(1))
      let parent = try #require(try await store.publish(StoreSamples.request("parent", title: "Kept"), by: ann))
      _ = try await store.publish(StoreSamples.request("alone", tags: ["x"]), by: ann)
      let fork = try #require(try await store.publish(StoreSamples.request("fork", parent: parent.id), by: bob))
      _ = try await store.content(publicID: "alone", countingView: true)
      try await store.deleteUser(ann.id, at: StoreSamples.time(50))
      try await store.deleteUser(ann.id, at: StoreSamples.time(51))
      #expect(try await store.user(ann.id) == nil)
      #expect(try await !store.isLive(session))
      #expect(
        try await store.rotate(
          tokenHash: StoreSamples.hash(1), next: StoreSamples.hash(2), at: StoreSamples.time(60),
          expiresAt: StoreSamples.time(1000)) == .unknown)
      #expect(try await store.content(publicID: "alone", countingView: true) == nil)
      #expect(try await store.content(publicID: "parent", countingView: true) == nil)
      #expect(try await store.head(.id(parent.id)) == nil)
      #expect(try await store.list(PublicQuery()).items.map(\.publicID) == ["fork"])
      #expect(try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 10).items.isEmpty)
      let lineage = try #require(try await store.lineage(.publicID("fork"), depth: 10))
      #expect(lineage.map(\.title) == ["", fork.title] && lineage.map(\.creator) == ["ann", "bob"])
      await #expect(throws: StoreFailure.unknownUser) {
        try await store.run([.publish(StoreSamples.request("new"))], by: ann)
      }
      // One batch tries to publish the deleted items' slugs and others: the deleted items' slugs stay taken in any
      // letter case, although no item has them.
      for slug in ["alone", "ALONE", "Parent", "parent"] {
        let results = try await store.run(
          [
            .publish(StoreSamples.request(slug)), .publish(StoreSamples.request("new-\(slug)")),
            .publish(StoreSamples.request(slug.capitalized)), .unpublish(publicID: slug, ifMatch: nil),
            .update(publicID: slug, StoreSamples.change { $0.title = "x" }, ifMatch: nil),
            .unpublish(publicID: "new-\(slug)", ifMatch: nil),
          ], by: bob)
        #expect(results[0] == .refused(.publicIDTaken) && results[2] == .refused(.publicIDTaken))
        #expect(results[3] == .refused(.notFound) && results[4] == .refused(.notFound), "\(slug)")
        #expect(try await store.content(publicID: slug, countingView: true) == nil)
        #expect(try await store.countFork(publicID: slug) == .notFound)
        #expect(try await store.lineage(.publicID(slug), depth: 10) == nil)
      }
      // The same person is then a new user.
      let again = try await store.person("ann", at: StoreSamples.time(99))
      #expect(again.id != ann.id && again.email == "ann@example.org")
      // The name is kept as long as another user's item descends from the deleted user's item.
      let first = try #require(try await store.publish(StoreSamples.request("fork1", parent: fork.id), by: bob))
      _ = try await store.run([.unpublish(publicID: "fork", ifMatch: nil)], by: bob)
      try await store.sweep(at: StoreSamples.time(100))
      let kept = try #require(try await store.lineage(.id(first.id), depth: 10))
      #expect(kept.map(\.creator) == ["ann", "bob", "bob"])
      _ = try await store.run([.unpublish(publicID: "fork1", ifMatch: nil)], by: bob)
      try await store.sweep(at: StoreSamples.time(100))
      #expect(try await store.lineage(.id(first.id), depth: 10) == nil)
    },
  ]
}
