import RegistryModel

/// An item that a store has in memory, with its view count.
public struct CachedItem: Sendable {
  /// The item, the same object for as long as the store caches it.
  public let held: StoredItem
  /// The number of views; the count in `held` is an older one.
  public let viewCount: Int64

  /// Makes it from its parts.
  public init(held: StoredItem, viewCount: Int64) {
    self.held = held
    self.viewCount = viewCount
  }

  /// The item with its count.
  public var item: SharedContent {
    var item = held.item
    item.head.viewCount = viewCount
    return item
  }
}

/// A cached item: everything except the view count is constant.
public final class StoredItem: Sendable {
  /// The item as read from the file.
  public let item: SharedContent
  /// Values derived from it.
  public let memo = Memo()

  /// Wraps an item.
  public init(_ item: SharedContent) { self.item = item }
}
