import RegistryModel

/// A page of a list.
public struct ContentPage: Sendable, Equatable {
  /// The items in the list's order, at most the limit.
  public let items: [PublicationHead]
  /// The beginning of the next page; nil on the last page.
  public let next: PagePosition?

  /// Makes a page.
  /// - Parameter views: the views to add to each item; empty if there is nothing to add.
  public init(items: [PublicationHead], adding views: [Int64] = [], next: PagePosition?) {
    var items = items
    for (index, count) in views.enumerated() { items[index].viewCount &+= count }
    self.items = items
    self.next = next
  }
}
