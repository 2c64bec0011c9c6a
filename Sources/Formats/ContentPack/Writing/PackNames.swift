import Content
import Foundation

/// Gives the items of one folder their file names, independent of the order of the input.
///
/// A slug that only one item has is its name. Where several share a slug, each gets the first eight digits of its id
/// appended, and all digits where eight are not enough. All names are ASCII in lower case, so no file system confuses
/// two.
enum PackNames {
  /// An item to be named.
  struct Item {
    /// The slug of its title.
    let slug: String
    /// Its id, a UUID.
    let id: String
  }

  /// Names without an ending, in the order of the items.
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

  /// Whether a text sorts before another one by bytes.
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
