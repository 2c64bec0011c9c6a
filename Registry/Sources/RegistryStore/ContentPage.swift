import RegistryModel
import Synchronization

/// A page of a list.
///
/// The store may cache the rows and share them among many pages, with the views of each page stored separately; then
/// only counts are copied.
public struct ContentPage: Sendable, Equatable {
  /// The items without `views`, in the list's order.
  public let rows: [PublicationHead]
  /// The views to add to each row; empty if there is nothing to add.
  public let views: [Int64]
  /// The beginning of the next page; nil on the last page.
  public let next: PagePosition?
  /// A value that was derived from these rows; nil if they are not cached.
  public let memo: Memo?

  /// Makes a page of items with their counts.
  public init(items: [PublicationHead], next: PagePosition?) {
    self.init(rows: items, views: [], next: next, memo: nil)
  }

  /// Makes a page of cached rows.
  public init(rows: [PublicationHead], views: [Int64], next: PagePosition?, memo: Memo?) {
    self.rows = rows
    self.views = views
    self.next = next
    self.memo = memo
  }

  /// Returns the number of views of a row.
  public func viewCount(at index: Int) -> Int64 { rows[index].viewCount &+ (views.isEmpty ? 0 : views[index]) }

  /// The items in the list's order, at most the limit.
  public var items: [PublicationHead] {
    guard !views.isEmpty else { return rows }
    var items = rows
    for index in items.indices { items[index].viewCount = viewCount(at: index) }
    return items
  }

  /// Returns whether both pages have the same items with the same counts, and continue at the same position.
  public static func == (left: ContentPage, right: ContentPage) -> Bool {
    left.items == right.items && left.next == right.next
  }
}

/// An item that a store has in memory, with its view count.
public struct CachedItem: Sendable {
  /// The item, which is the same object for as long as the store caches it.
  public let held: StoredItem
  /// The current number of views; the count in `held` is an older one.
  public let viewCount: Int64

  /// Creates an instance from its members.
  public init(held: StoredItem, viewCount: Int64) {
    self.held = held
    self.viewCount = viewCount
  }

  /// The item with its current view count.
  public var item: SharedContent {
    var item = held.item
    item.head.viewCount = viewCount
    return item
  }
}

/// A cached item, which is constant except for the view count.
public final class StoredItem: Sendable {
  /// The item, as read from the file.
  public let item: SharedContent
  /// A value that was derived from the item.
  public let memo = Memo()

  /// Wraps an item.
  public init(_ item: SharedContent) { self.item = item }
}

/// Stores a value that a caller derived from data in the store's memory, for as long as that data stays in memory.
public final class Memo: Sendable {
  private let kept = Mutex<(any AnyObject & Sendable)?>(nil)

  /// Creates an empty memo.
  public init() {}

  /// Returns the stored value; if there is none of that type, calls `make` first.
  public func value<Value: AnyObject & Sendable>(_ make: () -> Value) -> Value {
    if let value = kept.withLock({ $0 }) as? Value { return value }
    let value = make()
    kept.withLock { $0 = value }
    return value
  }
}
