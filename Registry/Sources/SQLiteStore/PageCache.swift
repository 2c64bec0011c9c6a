import Content
import RegistryModel
import RegistryStore

/// The key of a list query, compared by bytes.
struct PageKey: Hashable, Sendable {
  private let contentType: ByteKey?
  private let tags: [ByteKey]
  private let language: ByteKey?
  private let text: ByteKey?
  private let limit: Int
  private let offset: Int
  private let time: Int64?
  private let id: RegistryID?

  init(_ query: PublicQuery) {
    contentType = query.contentType.map(ByteKey.init)
    tags = query.tags.map(ByteKey.init)
    language = query.language.map(ByteKey.init)
    text = query.text.map(ByteKey.init)
    limit = query.limit
    offset = query.offset
    time = query.after?.time.milliseconds
    id = query.after?.id
  }

  /// Whether the result may change when an item is added.
  func isTouched(by new: PublicationHead) -> Bool {
    if let contentType, contentType != ByteKey(new.contentType.rawValue) { return false }
    if let language, ByteKey(ListQuery.base(of: language.text)) != ByteKey(ListQuery.base(of: new.language)) {
      return false
    }
    // A page that begins after an older item cannot contain a newer one.
    if let time, time < new.createdAt.milliseconds { return false }
    let theirs = new.tags.map { Self.folded($0) }
    return tags.allSatisfy { theirs.contains(Self.folded($0.text)) }
  }

  /// Returns a tag in the form in which tags are compared: without regard to ASCII case.
  private static func folded(_ tag: String) -> [UInt8] {
    tag.utf8.map { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") ? $0 | 0x20 : $0 }
  }

  /// The approximate size of the key, in bytes.
  var cost: Int {
    let texts = tags + [contentType, language, text].compactMap { $0 }
    return texts.reduce(160) { $0 + 16 + $1.text.utf8.count }
  }
}

/// The rows of a page from one snapshot of the file.
final class CachedPage: Sendable {
  let numbers: [Int64]
  /// The value of `store_state.view_flush` in the same snapshot.
  let seen: Int64
  private let heads: [PublicationHead]
  private let next: PagePosition?
  private let memo = Memo()

  /// - Parameter found: the rows that were read, one more than the limit when there is a next page.
  init(_ found: [ContentRow], limit: Int, time: KeyPath<PublicationHead, Timestamp>) {
    let rows = found.prefix(limit)
    heads = rows.map(\.head)
    numbers = rows.map(\.number)
    seen = found.first?.seen ?? .max
    next = found.count > limit ? heads.last.map { PagePosition(time: $0[keyPath: time], id: $0.id) } : nil
  }

  /// Returns the page, with the views that are missing in its rows.
  func page(_ views: [Int64], isKept: Bool = true) -> ContentPage {
    ContentPage(rows: heads, views: views, next: next, memo: isKept ? memo : nil)
  }

  /// The approximate size of the page with its derived values, in bytes.
  var cost: Int {
    heads.reduce(256) { sum, head in
      let texts = head.title.utf8.count + (head.description?.utf8.count ?? 0)
      return sum + 2 * (head.tags.reduce(texts) { $0 + 16 + $1.utf8.count }) + 1200
    }
  }
}

/// The pages that were read since the last change that could affect them. A new item drops the pages on which it may
/// appear; any other change drops all pages.
struct PageCache {
  private var pages: [PageKey: CachedPage] = [:]
  private var bytes = 0
  private let limit: Int

  /// - Parameter limit: the maximum size, in bytes; when it is exceeded, the cache is cleared.
  init(limit: Int) { self.limit = limit }

  subscript(key: PageKey) -> CachedPage? { pages[key] }

  mutating func keep(_ page: CachedPage, for key: PageKey) {
    let cost = key.cost + page.cost
    guard cost <= limit / 8 else { return }
    remove(key)
    if bytes + cost > limit { removeAll() }
    pages[key] = page
    bytes += cost
  }

  mutating func remove(_ key: PageKey) {
    if let page = pages.removeValue(forKey: key) { bytes -= key.cost + page.cost }
  }

  /// Drops the pages on which these items may appear.
  mutating func remove(touchedBy new: [PublicationHead]) {
    for key in pages.keys where new.contains(where: key.isTouched) { remove(key) }
  }

  mutating func removeAll() {
    if !pages.isEmpty { pages = [:] }
    bytes = 0
  }
}
