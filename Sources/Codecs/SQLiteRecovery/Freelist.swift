/// Follows the list of free pages.
/// - Source: https://sqlite.org/fileformat2.html, section 1.5
enum Freelist {
  /// Marks the free pages.
  /// - Returns: the page at which the list is broken, or nil if the list is intact.
  static func mark(_ image: DatabaseImage, _ use: PageUse) -> UInt32? {
    var trunk = image.firstTrunk
    var last = trunk
    var count = 0
    var isWhole = true
    var bytes: [UInt8] = []
    while trunk != 0 {
      guard use.canBeFree(trunk) else { return last }
      image.read(trunk, into: &bytes)
      let leaves = Int(bytes.number32(4))
      // This is not a trunk page, so its numbers are ignored.
      guard leaves <= image.usableSize / 4 - 2 else { return trunk }
      last = trunk
      use.setFree(trunk, isTrunk: true)
      count += 1 + leaves
      for index in 0..<leaves {
        let leaf = bytes.number32(8 + 4 * index)
        if use.canBeFree(leaf) { use.setFree(leaf, isTrunk: false) } else { isWhole = false }
      }
      trunk = bytes.number32(0)
    }
    return isWhole && count == image.freeCount ? nil : max(1, last)
  }
}
