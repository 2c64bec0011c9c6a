import Content
import Foundation

/// Assigns file names to the items in a folder. The names do not depend on the order of the input.
///
/// An item whose slug is unique is named by the slug. Items that share a slug get the first eight digits of their ids
/// appended, or the whole id where eight digits are not enough. All names are lower-case ASCII, so they are distinct on
/// every file system.
enum PackNames {
  /// An item to be named.
  struct Item {
    /// The slug of the item's title.
    let slug: String
    /// The item's id, a UUID.
    let id: String
  }

  /// Returns names without extensions, in the order of the items.
  static func names(of items: [Item]) -> [String] {
    let order = items.indices.sorted { left, right in
      if items[left].slug != items[right].slug { return isBefore(items[left].slug, items[right].slug) }
      return isBefore(items[left].id, items[right].id)
    }
    var names = items.map(\.slug)
    var taken: Set<String> = []
    var shared: [Range<Int>] = []
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, items[order[end]].slug == items[order[start]].slug { end += 1 }
      if end - start == 1 { taken.insert(items[order[start]].slug) } else { shared.append(start..<end) }
      start = end
    }
    for index in shared.joined().map({ order[$0] }) {
      let id = items[index].id.lowercased()
      let candidates = [items[index].slug + "-" + id.utf8Prefix(8), items[index].slug + "-" + id]
      var name = candidates.first { !taken.contains($0) } ?? id
      while taken.contains(name) { name += "-2" }
      taken.insert(name)
      names[index] = name
    }
    return names
  }

  /// Whether a string sorts before another string in byte order.
  static func isBefore(_ left: String, _ right: String) -> Bool {
    var (left, right) = (left, right)
    return left.withUTF8 { left in
      right.withUTF8 { right in
        let count = min(left.count, right.count)
        guard count > 0, let first = left.baseAddress, let second = right.baseAddress else {
          return left.count < right.count
        }
        let order = memcmp(first, second, count)
        return order == 0 ? left.count < right.count : order < 0
      }
    }
  }
}
