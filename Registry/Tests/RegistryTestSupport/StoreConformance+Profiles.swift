import Content
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let profiles: [ConformanceCase] = [
    ConformanceCase("a profile keeps unchanged values, and drops removed ones") { store async throws in
      let ann = try await store.person("ann")
      #expect(try await store.account(.id(ann.id)) == Account(user: ann, profile: Profile()))
      #expect(try await store.account(.id(RegistryID())) == nil)
      var first = ProfileChange()
      first.bio = "Sails.\nЖ \u{1F600}"
      first.location = .some("")
      first.visibility = "private"
      first.socialLinks = [SocialLink(id: "A", platform: .telegram, handle: "\"x\\")]
      first.communityMemberships = [
        CommunityMembership(id: "1", name: "Ж", iconURL: nil, role: .founder, isPrimary: true),
        CommunityMembership(id: "2", name: ",", iconURL: "https://x", role: .member, isPrimary: false),
      ]
      let expected = first.applied(to: Profile())
      guard case .changed(let changed) = try await store.change(ann.id, first, at: StoreSamples.time(5)) else {
        return unexpected()
      }
      #expect(changed.profile == expected && changed.user.username == "ann")
      #expect(changed.user.updatedAt == StoreSamples.time(5) && changed.user.createdAt == ann.createdAt)
      #expect(try await store.account(.id(ann.id)) == changed)
      #expect(try await store.account(.username("ann")) == changed)
      #expect(try await store.user(ann.id) == changed.user)
      // An empty change has no effect.
      #expect(try await store.change(ann.id, ProfileChange(), at: StoreSamples.time(6)) == .changed(changed))
      var second = ProfileChange()
      second.bio = .some(nil)
      second.socialLinks = .some([])
      second.communityMemberships = .some(nil)
      _ = try await store.change(ann.id, second, at: StoreSamples.time(7))
      let after = try #require(try await store.account(.id(ann.id))).profile
      #expect(after == second.applied(to: expected) && after.socialLinks == [] && after.communityMemberships == nil)
      #expect(after.bio == nil && after.location == "" && after.visibility == "private")
      await #expect(throws: StoreFailure.unknownUser) {
        try await store.change(RegistryID(), first, at: StoreSamples.time(8))
      }
      var broken = ProfileChange()
      broken.bio = "a\u{0}b"
      await #expect(throws: StoreFailure.self) { try await store.change(ann.id, broken, at: StoreSamples.time(8)) }
      #expect(try await store.account(.username("a\u{0}nn")) == nil)
    },
    ConformanceCase("a name is one account's, in any case of letters") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      var change = ProfileChange()
      change.bio = "x"
      for name in ["ann", "ANN", "aNn"] {
        change.username = name
        #expect(try await store.change(bob.id, change, at: StoreSamples.time(5)) == .usernameTaken)
        #expect(try await store.account(.id(bob.id)) == Account(user: bob, profile: Profile()))
        #expect(try await store.account(.username(name))?.user.id == ann.id)
      }
      change.username = "ANN"
      guard case .changed(let upper) = try await store.change(ann.id, change, at: StoreSamples.time(6)) else {
        return unexpected()
      }
      #expect(upper.user.username == "ANN")
      let other = try await store.signIn(appleID: "x", email: nil, usernameHint: "ann", at: StoreSamples.time(7))
      #expect(other.username == "ann2")
      // The credits of a deleted account keep its name.
      let origin = try #require(try await store.publish(StoreSamples.request("origin"), by: ann))
      _ = try await store.publish(StoreSamples.request("fork", parent: origin.id), by: bob)
      try await store.deleteUser(ann.id, at: StoreSamples.time(8))
      change.username = "Ann"
      #expect(try await store.change(bob.id, change, at: StoreSamples.time(9)) == .usernameTaken)
      #expect(try await store.account(.username("ann")) == nil)
      #expect(try await store.lineage(.publicID("fork"), depth: 10)?.map(\.creator) == ["ANN", "bob"])
    },
    ConformanceCase("a name that is credited here without a link is reserved, except for the account that has it") {
      store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let root = try #require(try await store.publish(StoreSamples.request("root"), by: ann))
      _ = try await store.run([.unpublish(publicID: "root", ifMatch: nil)], by: ann)
      let late = StoreSamples.request("late", parent: root.id, originalAuthor: "zoe")
      #expect(try await store.publish(late, by: bob)?.originalAuthorUsername == "ann")
      func rename(_ user: User, _ name: String) async throws -> Bool {
        var change = ProfileChange()
        change.username = name
        guard case .changed(let account) = try await store.change(user.id, change, at: StoreSamples.time(5)) else {
          return false
        }
        return account.user.username == name
      }
      #expect(try await rename(ann, "Ann"))
      #expect(try await rename(ann, "anna"))
      #expect(try await !rename(bob, "ann"))
      let other = try await store.signIn(appleID: "x", email: nil, usernameHint: "ann", at: StoreSamples.time(7))
      #expect(other.username == "ann2")
      // A credit by name alone is not changed.
      #expect(try await store.head(.publicID("late"))?.originalAuthorUsername == "ann")
    },
    ConformanceCase("a name that only a request credits is free, over any number of copies") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      var parent = RegistryID()
      for (slug, name) in [("one", "zoe"), ("two", "yan"), ("three", nil)] {
        // The second and the third item are copies of an unpublished item: their credit is the name that the request
        // claims.
        let request = StoreSamples.request(slug, parent: parent, originalAuthor: name)
        let copy = try #require(try await store.publish(request, by: ann))
        #expect(copy.originalAuthorUsername == "zoe")
        let linked = StoreSamples.request("\(slug)-copy", parent: copy.id)
        let child = try #require(try await store.publish(linked, by: ann))
        #expect(child.originalAuthorUsername == "zoe")
        _ = try await store.run(
          [.unpublish(publicID: slug, ifMatch: nil), .unpublish(publicID: "\(slug)-copy", ifMatch: nil)], by: ann)
        parent = slug == "one" ? copy.id : child.id
      }
      _ = try await store.publish(StoreSamples.request("four", parent: RegistryID(), originalAuthor: "ann"), by: bob)
      for name in ["anna", "ann", "Zoe", "ann"] {
        var change = ProfileChange()
        change.username = name
        guard case .changed(let account) = try await store.change(ann.id, change, at: StoreSamples.time(5)) else {
          return unexpected(name)
        }
        #expect(account.user.username == name)
      }
      let other = try await store.signIn(appleID: "x", email: nil, usernameHint: "zoe", at: StoreSamples.time(7))
      #expect(other.username == "zoe")
    },
    ConformanceCase("a new name immediately appears on everything that its owner published") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let root = try #require(try await store.publish(StoreSamples.request("root"), by: ann))
      let fork = try #require(try await store.publish(StoreSamples.request("fork", parent: root.id), by: bob))
      let other = try #require(try await store.publish(StoreSamples.request("other"), by: bob))
      _ = try await store.publish(StoreSamples.request("gone"), by: ann)
      _ = try await store.run([.unpublish(publicID: "gone", ifMatch: nil)], by: ann)
      // This loads the items into memory.
      for slug in ["root", "fork"] { _ = try await store.content(publicID: slug, countingView: false) }
      _ = try await store.list(PublicQuery())
      var change = ProfileChange()
      change.username = "anna"
      _ = try await store.change(ann.id, change, at: StoreSamples.time(5000))
      let item = try #require(try await store.content(publicID: "root", countingView: false)?.head)
      #expect(item.authorUsername == "anna" && item.updatedAt == root.updatedAt && item.digest == root.digest)
      let listed = try await store.list(PublicQuery()).items
      #expect(listed.compactMap(\.authorUsername).sorted() == ["anna", "bob", "bob"])
      let mine = try await store.list(ownedBy: ann.id, since: nil, after: nil, limit: 10).items
      #expect(mine.map(\.authorUsername) == ["anna", "anna"])
      #expect(try await store.lineage(.publicID("fork"), depth: 10)?.map(\.creator) == ["anna", "bob"])
      for (id, isRenamed) in [(root.id, true), (fork.id, true), (other.id, false), (RegistryID(), false)] {
        #expect(try await store.isRecredited(id) == isRenamed)
      }
      let late = try #require(try await store.publish(StoreSamples.request("late"), by: ann))
      #expect(late.authorUsername == "anna")
      #expect(try await !store.isRecredited(late.id))
    },
    ConformanceCase("no old name is kept by those who read while it changes") { store async throws in
      let ann = try await store.person("ann")
      let bob = try await store.person("bob")
      let root = try #require(try await store.publish(StoreSamples.request("root"), by: ann))
      _ = try await store.publish(StoreSamples.request("fork", parent: root.id), by: bob)
      for round in 0..<30 {
        let name = "anna\(round)x"
        try await withThrowingTaskGroup { group in
          for slug in ["root", "fork", "root", "fork"] {
            group.addTask {
              for _ in 0..<20 {
                _ = try await store.content(publicID: slug, countingView: true)
                _ = try await store.list(PublicQuery())
                _ = try await store.user(ann.id)
              }
            }
          }
          group.addTask {
            var change = ProfileChange()
            change.username = name
            _ = try await store.change(ann.id, change, at: StoreSamples.time(Int64(round)))
          }
          try await group.waitForAll()
        }
        #expect(try await store.content(publicID: "root", countingView: false)?.head.authorUsername == name)
        #expect(try await store.content(publicID: "fork", countingView: false)?.head.originalAuthorUsername == name)
        let listed = try await store.list(PublicQuery()).items
        #expect(Set(listed.compactMap(\.authorUsername)) == [name, "bob"])
        #expect(try await store.user(ann.id)?.username == name)
      }
    },
    ConformanceCase("public items are counted for their author") { store async throws in
      let ann = try await store.person("ann")
      #expect(try await store.stats(of: ann.id) == AuthorStats(contributions: 0, forks: 0))
      #expect(try await store.stats(of: RegistryID()) == AuthorStats(contributions: 0, forks: 0))
      for slug in ["one", "two", "three"] { _ = try await store.publish(StoreSamples.request(slug), by: ann) }
      for slug in ["one", "one", "two", "three"] { _ = try await store.countFork(publicID: slug) }
      #expect(try await store.stats(of: ann.id) == AuthorStats(contributions: 3, forks: 4))
      _ = try await store.run([.unpublish(publicID: "three", ifMatch: nil)], by: ann)
      #expect(try await store.stats(of: ann.id) == AuthorStats(contributions: 2, forks: 3))
      try await store.deleteUser(ann.id, at: StoreSamples.time(9))
      #expect(try await store.stats(of: ann.id) == AuthorStats(contributions: 0, forks: 0))
    },
  ]
}
