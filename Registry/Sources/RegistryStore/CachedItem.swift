import RegistryModel

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
