import Content
import Publishing
import RegistryModel
import RegistryStore
import Testing

extension StoreConformance {
  static let random: [ConformanceCase] = (1...4).map { seed in
    ConformanceCase("does what the model does, seed \(seed)") { store async throws in
      var run = RandomRun(store, seed: UInt64(seed))
      try await run.go(steps: 700)
    }
  }
}

/// Runs random operations on a store and the model, and compares the two after each.
private struct RandomRun {
  private let store: any RegistryStore
  private var model = StoreModel()
  private var random: StoreRandom
  private var people: [User] = []
  private var now = StoreSamples.start
  private var slugs = 0

  private static let words = ["anchor", "bilge", "chain", "dinghy", "engine", "fender"]
  private static let tags = ["Safety", "safety", "engine", "ж", "night"]
  private static let languages = ["en", "en-GB", "pt", "pt-BR", "ptx"]

  init(_ store: any RegistryStore, seed: UInt64) {
    self.store = store
    random = StoreRandom(seed: seed)
  }

  mutating func go(steps: Int) async throws {
    for name in ["ann", "bob", "cat", "dan"] { try await add(name) }
    for step in 0..<steps {
      // The clock stops, goes forward, and is sometimes set back.
      now = Timestamp(milliseconds: now.milliseconds + Int64(random.pick([0, 0, 1, 500, -700])))
      switch random.below(21) {
      case 0..<9: try await operate()
      case 9..<12: try await compareReads()
      case 12: try await fork()
      case 13..<16: try await list()
      case 16: try await listMine()
      case 17: try await lineage()
      case 18: if step % 7 == 0 { try await deleteSomebody() }
      case 19: try await rename()
      default:
        try await store.sweep(at: StoreSamples.start)
        model.sweep()
      }
    }
    try await compareAll()
  }

  private mutating func add(_ name: String) async throws {
    let user = try await store.person(name, at: now)
    people.append(user)
    model.users[user.id] = user
  }

  private mutating func operate() async throws {
    let user = random.pick(people)
    let operations = (0...random.below(4)).map { _ in operation() }
    let results = try await store.run(operations, by: user, at: now)
    try #require(results.count == operations.count)
    for (operation, result) in zip(operations, results) {
      #expect(model.apply(operation, by: user, at: now, actual: result) == result)
    }
  }

  private mutating func slug() -> String {
    if slugs == 0 || random.below(12) == 0 { return "unknown" }
    return "item-\(random.below(slugs))"
  }

  private mutating func precondition() -> ContentOperation.Precondition? {
    switch random.below(6) {
    case 0: return .any
    case 1: return .digests([])
    case 2: return model.items.isEmpty ? nil : .digests([random.pick(model.items).head.digest])
    default: return nil
    }
  }

  private mutating func operation() -> ContentOperation {
    switch random.below(8) {
    case 0..<4:
      var request = StoreSamples.request(
        "item-\(slugs)", title: random.pick(Self.words),
        description: random.pick([nil, "about \(random.pick(Self.words))"]),
        type: random.pick(ContentType.allCases), text: random.pick(Self.words),
        tags: (0..<random.below(4)).map { _ in random.pick(Self.tags) }, language: random.pick(Self.languages),
        canFork: random.below(4) > 0)
      switch random.below(12) {
      case 0: request.publicID = slug()
      case 1: request.publicID = slug().uppercased()
      default: slugs += 1
      }
      if random.below(2) == 0, !model.items.isEmpty { request.forkedFromID = random.pick(model.items).head.id.text }
      if random.below(20) == 0 { request.forkedFromID = RegistryID().text }
      if random.below(3) == 0 { request.originalAuthorUsername = random.pick(Self.words) }
      return .publish(request)
    case 4..<7:
      var change = PublishChange()
      if random.below(2) == 0 { change.title = random.pick(Self.words) }
      if random.below(3) == 0 { change.description = .some(random.pick([nil, random.pick(Self.words)])) }
      if random.below(3) == 0 { change.tags = [random.pick(Self.tags)] }
      if random.below(4) == 0 { change.language = random.pick(Self.languages) }
      if random.below(3) == 0 { change.contentData = StoreSamples.document(random.pick(Self.words)) }
      if random.below(4) == 0 { change.contentType = random.pick(ContentType.allCases) }
      return .update(publicID: slug(), change, ifMatch: precondition())
    default: return .unpublish(publicID: slug(), ifMatch: precondition())
    }
  }

  private mutating func compareReads() async throws {
    let slug = slug()
    let counting = random.below(2) == 0
    let found = try await store.content(publicID: slug, countingView: counting)
    guard let at = model.live(slug) else {
      #expect(found == nil)
      return
    }
    if counting { model.items[at].head.viewCount += 1 }
    #expect(found == SharedContent(head: model.items[at].head, contentData: model.items[at].document))
    #expect(try await store.head(.id(model.items[at].head.id)) == model.items[at].head)
  }

  private mutating func fork() async throws {
    let slug = slug()
    let outcome = try await store.countFork(publicID: slug)
    guard let at = model.live(slug) else {
      #expect(outcome == .notFound)
      return
    }
    guard model.items[at].head.canFork else {
      #expect(outcome == .forbidden)
      return
    }
    model.items[at].head.forkCount += 1
    #expect(outcome == .counted(model.items[at].head))
  }

  private mutating func list() async throws {
    var query = PublicQuery()
    if random.below(3) == 0 { query.contentType = random.pick(ContentType.allCases).rawValue }
    if random.below(2) == 0 { query.tags = (0...random.below(2)).map { _ in random.pick(Self.tags) } }
    if random.below(3) == 0 { query.language = random.pick(Self.languages) }
    if random.below(4) == 0 { query.author = random.pick(people).id }
    if random.below(3) == 0 {
      query.text = random.pick([random.pick(Self.words), "about \(random.pick(Self.words))", "en", "bilge an"])
    }
    query.order = random.pick(ListOrder.allCases)
    query.limit = 1 + random.below(20)
    var expected = model.list(query)
    if random.below(3) == 0 {
      query.offset = random.below(10)
      let page = try await store.list(query)
      #expect(page.items == Array(expected.dropFirst(query.offset).prefix(query.limit)))
      return
    }
    // This reads all pages, one after another.
    repeat {
      let page = try await store.list(query)
      #expect(page.items == Array(expected.prefix(query.limit)))
      #expect((page.next == nil) == (expected.count <= query.limit))
      expected = Array(expected.dropFirst(query.limit))
      query.after = page.next
    } while query.after != nil
  }

  private mutating func listMine() async throws {
    let user = random.pick(people)
    let since = random.pick([nil, Timestamp(milliseconds: now.milliseconds - Int64(random.below(3000)))])
    let expected = model.list(ownedBy: user.id, since: since, after: nil)
    let page = try await store.list(ownedBy: user.id, since: since, after: nil, limit: 10)
    #expect(page.items == Array(expected.prefix(10)))
    if let next = page.next {
      let rest = try await store.list(ownedBy: user.id, since: since, after: next, limit: 500)
      #expect(rest.items == Array(expected.dropFirst(10)))
    }
  }

  private mutating func lineage() async throws {
    let slug = slug()
    let depth = 1 + random.below(10)
    let expected = model.live(slug).map { model.lineage($0, depth: depth) }
    #expect(try await store.lineage(.publicID(slug), depth: depth) == expected)
  }

  private mutating func rename() async throws {
    let at = random.below(people.count)
    var change = ProfileChange()
    change.username = "\(random.pick(Self.words))\(random.below(4))"
    // Only the store can determine the names that deleted accounts left, so this only checks that a change is either
    // complete or without effect.
    guard case .changed(let account) = try await store.change(people[at].id, change, at: now) else { return }
    #expect(account.user.username == change.username && account.user.id == people[at].id)
    people[at] = account.user
    model.users[account.user.id] = account.user
    model.rename(account.user.id, to: account.user.username)
  }

  private mutating func deleteSomebody() async throws {
    let at = random.below(people.count)
    let user = people.remove(at: at)
    try await store.deleteUser(user.id, at: now)
    model.delete(user.id)
    try await add(user.username)
  }

  private mutating func compareAll() async throws {
    for item in model.items {
      let found = try await store.content(publicID: item.head.publicID, countingView: false)
      #expect(found == (item.live ? SharedContent(head: item.head, contentData: item.document) : nil))
    }
  }
}

/// A generator of the same random numbers in every run.
public struct StoreRandom {
  private var state: UInt64

  /// Creates a generator with a seed.
  public init(seed: UInt64) { state = seed }

  /// Returns the next 64 bits.
  public mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  /// Returns a number from 0 to `limit` - 1.
  public mutating func below(_ limit: Int) -> Int { Int(next() % UInt64(max(1, limit))) }
  /// Returns one of several elements.
  public mutating func pick<Element>(_ all: [Element]) -> Element { all[below(all.count)] }
}
