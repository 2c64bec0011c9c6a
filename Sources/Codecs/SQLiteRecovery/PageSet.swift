/// A set of page numbers, with one bit per page.
struct PageSet: Sendable {
  private var words: [UInt64]

  /// Creates an empty set for the pages 0 to `pageCount`.
  init(pageCount: Int) {
    words = Array(repeating: 0, count: pageCount / 64 + 1)
  }

  /// Returns whether the page is in the set, which is false for pages beyond its end.
  func contains(_ page: UInt32) -> Bool {
    let word = Int(page >> 6)
    return word < words.count && words[word] & (1 << UInt64(page & 63)) != 0
  }

  /// Adds a page. A page beyond the end is ignored.
  mutating func insert(_ page: UInt32) {
    let word = Int(page >> 6)
    guard word < words.count else { return }
    words[word] |= 1 << UInt64(page & 63)
  }
}
