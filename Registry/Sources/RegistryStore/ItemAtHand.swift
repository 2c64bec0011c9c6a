import RegistryModel

/// An item that a store holds in memory, with its count of views.
public struct ItemAtHand: Sendable {
  /// The item, the same object for as long as the store holds it.
  public let held: HeldItem
  /// How often it was looked at; the count in `held` is an older one.
  public let viewCount: Int64

  /// Makes it of its parts.
  public init(held: HeldItem, viewCount: Int64) {
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

/// An item as a store holds it: everything but the count of views stays as it is.
public final class HeldItem: Sendable {
  /// The item as it was read.
  public let item: SharedContent
  /// Holds what was made of it.
  public let memo = Memo()

  /// Holds an item.
  public init(_ item: SharedContent) { self.item = item }
}
