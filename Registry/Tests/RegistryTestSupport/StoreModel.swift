import Content
import Publishing
import RegistryModel
import RegistryStore

/// The contract of `RegistryStore` in a few lines with arrays: the same results as a store, without speed or
/// durability.
public struct StoreModel {
  struct Item {
    var head: PublicationHead
    var document: [UInt8]
    /// The first item of the item's lineage; nil if the item itself is the first.
    var root: RegistryID?
    /// The name of the original's author, if there is no link to the original.
    var keptName: String?
    var live: Bool { head.deletedAt == nil }
  }

  var items: [Item] = []
  var users: [RegistryID: User] = [:]

  func place(_ slug: String) -> Int? { items.firstIndex { $0.head.publicID.utf8.elementsEqual(slug.utf8) } }
  func live(_ slug: String) -> Int? { place(slug).flatMap { items[$0].live ? $0 : nil } }
  func place(_ id: RegistryID) -> Int? { items.firstIndex { $0.head.id == id } }

  private func changeTime(_ owner: RegistryID, _ now: Timestamp) -> Timestamp {
    let last = items.filter { $0.head.userID == owner }.map(\.head.updatedAt.milliseconds).max()
    return Timestamp(milliseconds: max(now.milliseconds, last.map { $0 + 1 } ?? .min))
  }

  /// Carries out an operation as a store would. The store chooses the id of a new item, so the id is taken from
  /// `actual`.
  mutating func apply(
    _ operation: ContentOperation, by owner: User, at now: Timestamp, actual: OperationResult
  ) -> OperationResult {
    switch operation {
    case .publish(let request):
      let slug = Self.folded(request.publicID)
      if items.contains(where: { Self.folded($0.head.publicID) == slug }) { return .refused(.publicIDTaken) }
      var parent: RegistryID?
      var root: RegistryID?
      var depth: Int64 = 1
      var keptName: String?
      if let id = request.forkedFromID {
        let found = place(RegistryID(stored: id)).map { items[$0] }
        if let found, found.live {
          guard found.head.canFork || found.head.userID == owner.id else { return .refused(.forkingForbidden) }
          parent = found.head.id
          root = found.root ?? found.head.id
          depth = found.head.chainDepth + 1
        } else {
          let ofRoot = found?.root == nil ? found?.head.authorUsername : nil
          keptName = found?.head.originalAuthorUsername ?? ofRoot ?? request.originalAuthorUsername
        }
      }
      guard case .published(let given) = actual, place(given.id) == nil else { return .unpublished }
      let time = changeTime(owner.id, now)
      let head = PublicationHead(
        id: given.id, userID: owner.id, authorUsername: owner.username, title: request.title,
        description: request.description, contentType: request.contentType, tags: request.tags,
        language: request.language, publicID: request.publicID, canFork: request.canFork, forkedFromID: parent,
        chainDepth: depth, viewCount: 0, forkCount: 0, createdAt: time, updatedAt: time, deletedAt: nil,
        digest: PublicationDigest.sha256(
          title: request.title, description: request.description, contentType: request.contentType,
          contentData: request.contentData, tags: request.tags, language: request.language))
      items.append(Item(head: head, document: request.contentData, root: root, keptName: keptName))
      credit()
      return items.last.map { .published($0.head) } ?? .unpublished
    case .update(let slug, let change, let precondition):
      guard let at = live(slug) else { return .refused(.notFound) }
      if let refusal = refusal(at, owner, precondition) { return .refused(refusal) }
      if change == PublishChange() { return .updated(items[at].head) }
      var item = items[at]
      if let type = change.contentType, type != item.head.contentType, change.contentData == nil {
        return .refused(.typeWithoutDocument)
      }
      item.head.contentType = change.contentType ?? item.head.contentType
      item.head.title = change.title ?? item.head.title
      if let description = change.description { item.head.description = description }
      item.head.tags = change.tags ?? item.head.tags
      item.head.language = change.language ?? item.head.language
      item.document = change.contentData ?? item.document
      item.head.digest = PublicationDigest.sha256(
        title: item.head.title, description: item.head.description, contentType: item.head.contentType,
        contentData: item.document, tags: item.head.tags, language: item.head.language)
      item.head.updatedAt = changeTime(owner.id, now)
      items[at] = item
      return .updated(item.head)
    case .unpublish(let slug, let precondition):
      guard let at = live(slug) else { return .refused(.notFound) }
      if let refusal = refusal(at, owner, precondition) { return .refused(refusal) }
      let time = changeTime(owner.id, now)
      items[at].head.deletedAt = time
      items[at].head.updatedAt = time
      credit()
      return .unpublished
    }
  }

  private func refusal(
    _ at: Int, _ owner: User, _ precondition: ContentOperation.Precondition?
  ) -> OperationResult.Refusal? {
    guard items[at].head.userID == owner.id else { return .notOwner }
    if case .digests(let all) = precondition, !all.contains(items[at].head.digest) { return .preconditionFailed }
    return nil
  }

  mutating func rename(_ user: RegistryID, to name: String) {
    for at in items.indices where items[at].head.userID == user { items[at].head.authorUsername = name }
    credit()
  }

  /// Writes the original's author into each copy.
  private mutating func credit() {
    for at in items.indices {
      let root = items[at].root.flatMap(place).map { items[$0] }
      let keptName = items[at].keptName ?? root?.keptName
      items[at].head.originalAuthorUsername = keptName ?? root?.head.authorUsername
      items[at].head.originalAuthorUserID = keptName == nil ? root?.head.userID : nil
      items[at].head.originalPublicID = keptName == nil && root?.live == true ? root?.head.publicID : nil
    }
  }

  mutating func delete(_ user: RegistryID) {
    guard users.removeValue(forKey: user) != nil else { return }
    for at in items.indices where items[at].head.userID == user {
      items[at].head.title = ""
      if !hasLiveFork(items[at].head.id, notBy: user) { forgetNames(at) }
      // Only the fact that the item was unpublished counts, not the time, which is never shown.
      items[at].head.deletedAt = items[at].head.deletedAt ?? StoreSamples.start
    }
    for at in items.indices where items[at].head.userID == user { items[at].head.userID = nil }
    credit()
  }

  private mutating func forgetNames(_ at: Int) {
    items[at].head.authorUsername = nil
    items[at].keptName = nil
  }

  /// Removes names from erased items, as a store's sweep does.
  mutating func sweep() {
    for at in items.indices where items[at].head.userID == nil && !hasLiveFork(items[at].head.id, notBy: nil) {
      forgetNames(at)
    }
    credit()
  }

  private func hasLiveFork(_ id: RegistryID, notBy user: RegistryID?) -> Bool {
    var open = [id]
    while let next = open.popLast() {
      for fork in items where fork.head.forkedFromID == next {
        if fork.live, user == nil || fork.head.userID != user { return true }
        open.append(fork.head.id)
      }
    }
    return false
  }

  // MARK: Reading

  func list(_ query: PublicQuery) -> [PublicationHead] {
    let found = items.filter { item in
      item.live && query.contentType.map { $0 == item.head.contentType.rawValue } ?? true
        && query.tags.allSatisfy { tag in item.head.tags.contains { Self.folded($0) == Self.folded(tag) } }
        && query.language.map { item.head.language == $0 || item.head.language.hasPrefix($0 + "-") } ?? true
        && query.author.map { item.head.userID == $0 } ?? true
        && query.text.map { hasWords($0, item) } ?? true
        && query.after.map { Self.isBefore($0, query.order.position(of: item.head), query.order) } ?? true
    }
    return found.map(\.head).sorted {
      Self.isBefore(query.order.position(of: $0), query.order.position(of: $1), query.order)
    }
  }

  private static func isBefore(_ one: PagePosition, _ other: PagePosition, _ order: ListOrder) -> Bool {
    let keys = [one, other].map { ($0.forks ?? 0, $0.time, $0.id) }
    return order == .oldest ? keys[0] < keys[1] : keys[0] > keys[1]
  }

  func list(ownedBy owner: RegistryID, since: Timestamp?, after: PagePosition?) -> [PublicationHead] {
    items.map(\.head)
      .filter { head in
        head.userID == owner && since.map { head.updatedAt > $0 } ?? true
          && after.map { (head.updatedAt, head.id) > ($0.time, $0.id) } ?? true
      }
      .sorted { ($0.updatedAt, $0.id) < ($1.updatedAt, $1.id) }
  }

  func lineage(_ at: Int, depth: Int) -> [ForkStep] {
    var steps: [ForkStep] = []
    var next: Int? = at
    while let step = next, steps.count < depth {
      let head = items[step].head
      steps.append(
        ForkStep(
          title: items[step].live ? head.title : "", creator: head.authorUsername, createdAt: head.createdAt,
          isCurrent: steps.isEmpty))
      next = head.forkedFromID.flatMap(place)
    }
    return steps.reversed()
  }

  private static func folded(_ tag: String) -> [UInt8] {
    tag.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
  }

  /// Whether an item contains all words of a query. It handles only lower-case ASCII words, which the random test uses.
  private func hasWords(_ text: String, _ item: Item) -> Bool {
    let all =
      [item.head.title, item.head.description ?? "", String(decoding: item.document, as: UTF8.self)]
      + item.head.tags
    let words = all.flatMap { $0.lowercased().split { !($0.isLetter || $0.isNumber) } }
    let asked = text.split(separator: " ")
    return asked.enumerated().allSatisfy { index, word in
      words.contains { index == asked.count - 1 ? $0.hasPrefix(word) : $0 == word }
    }
  }
}
