import RegistryModel

/// A page of a list.
///
/// The rows may be kept by the store and shared by many pages, with the views of each page beside them: then nothing is
/// copied but counts.
public struct ContentPage: Sendable, Equatable {
  /// The items without `views`, in the list's order.
  public let rows: [ContentHead]
  /// Views to add to each row; empty where nothing is to be added.
  public let views: [Int64]
  /// Where the next page begins; nil on the last page.
  public let next: PagePosition?
  /// Holds what was made of these rows; nil when they are not kept.
  public let memo: Memo?

  /// Makes a page of items with their counts.
  public init(items: [ContentHead], next: PagePosition?) {
    self.init(rows: items, views: [], next: next, memo: nil)
  }

  /// Makes a page of rows that are kept.
  public init(rows: [ContentHead], views: [Int64], next: PagePosition?, memo: Memo?) {
    self.rows = rows
    self.views = views
    self.next = next
    self.memo = memo
  }

  /// How often a row was looked at.
  public func viewCount(at index: Int) -> Int64 { rows[index].viewCount &+ (views.isEmpty ? 0 : views[index]) }

  /// In the list's order, at most the limit.
  public var items: [ContentHead] {
    guard !views.isEmpty else { return rows }
    var items = rows
    for index in items.indices { items[index].viewCount = viewCount(at: index) }
    return items
  }

  /// Whether both hold the same items with the same counts, and go on at the same place.
  public static func == (left: ContentPage, right: ContentPage) -> Bool {
    left.items == right.items && left.next == right.next
  }
}
